// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/child_process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

namespace weft {
namespace {

TEST(ChildProcess, IsNotSuccessfulIfItsStatusIsUnknown) {
  const ChildProgram program{"/bin/true", {"true"}, {}};
  EXPECT_EQ(run_program(program, std::chrono::minutes(1)), "");
  const auto old = std::signal(SIGCHLD, SIG_IGN);  // the kernel then keeps no status of a child
  const std::string reason = run_program(program, std::chrono::minutes(1));
  std::signal(SIGCHLD, old);
  EXPECT_EQ(reason, "cannot wait for its process: No child processes");
}

}  // namespace
}  // namespace weft
