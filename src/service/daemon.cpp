// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/daemon.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/file.h"

namespace weft {
namespace {

constexpr int kStandardStreams = 3;

tl::unexpected<Error> daemon_error(const char* what) {
  return fail(Code::kEnvironment, "cannot run in the background: {}: {}", what,
              std::strerror(errno));
}

}  // namespace

Status daemonize(const std::string& pid_file) {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return daemon_error("/dev/null");
  const pid_t child = ::fork();
  if (child < 0) return daemon_error("fork");
  if (child > 0) {
    // The file must exist before this process ends. _exit() releases nothing, because the child
    // uses all resources.
    if (!pid_file.empty())
      if (auto written = write_file(pid_file, std::to_string(child) + "\n"); !written) {
        (void)::kill(child, SIGTERM);
        return written;
      }
    ::_exit(EXIT_SUCCESS);
  }
  if (::setsid() < 0) return daemon_error("setsid");
  for (int stream = 0; stream < kStandardStreams; ++stream)
    if (::dup2(nothing, stream) < 0) return daemon_error("dup2");
  return {};
}

}  // namespace weft
