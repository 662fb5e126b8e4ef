// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/child_process.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

#include "base/clock.h"

namespace weft {
namespace {

/// In the child: default signals, no core file, nothing on standard output, which is for reports;
/// the child ends with its parent.
void prepare_child() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int sig : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    std::signal(sig, SIG_DFL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  std::fflush(nullptr);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

}  // namespace

std::string run_in_child(std::chrono::milliseconds limit, const std::function<void()>& work) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) return fmt::format("cannot start a child process: {}", std::strerror(errno));
  if (child == 0) {
    prepare_child();
    work();
    ::_exit(0);
  }
  const Stopwatch watch;
  auto pause = std::chrono::microseconds(100);
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    if (watch.seconds() > std::chrono::duration<double>(limit).count()) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return fmt::format("has not ended after {} s", std::chrono::duration<double>(limit).count());
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(10'000));
  }
  if (ended > 0 && WIFSIGNALED(status))
    return fmt::format("crashed ({})", ::strsignal(WTERMSIG(status)));
  if (ended > 0 && WEXITSTATUS(status) != 0)
    return fmt::format("ended its process with status {}", WEXITSTATUS(status));
  return {};
}

}  // namespace weft
