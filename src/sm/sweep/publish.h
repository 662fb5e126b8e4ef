// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Last stage of a sweep: publishes the snapshot of the programmed subnet for the SA and all other
// readers. It sends no SMPs.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sm/options.h"
#include "sm/programming/desired.h"
#include "sm/subnet_memory.h"
#include "sm/sweep_report.h"

namespace weft {

struct PublishInput {
  SubnetMemory& memory;  // gets the snapshot
  const SmOptions& options;
  Desired desired;
  Verdict verdict;
  std::optional<Dependencies> dependencies;  // dependencies of the verdict
  std::vector<KnownManager> managers;        // this manager first
  std::uint64_t sweep = 0;                   // number of the heavy sweep
};
void publish(PublishInput input, SweepReport& report);

}  // namespace weft
