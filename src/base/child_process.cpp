// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>

#include "base/clock.h"

namespace weft {
namespace {

constexpr int kFirstDescriptor = 3;

/// Copies of the descriptors to pass, with numbers above all descriptors of the child, so that
/// dup2() never overwrites a descriptor that is still to be copied.
class HighCopies {
 public:
  explicit HighCopies(const std::vector<int>& descriptors) {
    const int above = kFirstDescriptor + static_cast<int>(descriptors.size());
    for (const int fd : descriptors) copies_.push_back(::fcntl(fd, F_DUPFD_CLOEXEC, above));
  }
  ~HighCopies() {
    for (const int fd : copies_)
      if (fd >= 0) ::close(fd);
  }
  HighCopies(const HighCopies&) = delete;
  HighCopies& operator=(const HighCopies&) = delete;
  const std::vector<int>& all() const { return copies_; }

 private:
  std::vector<int> copies_;
};

std::vector<char*> child_environment() {
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with("LD_PRELOAD=")) variables.push_back(*variable);
  variables.push_back(nullptr);
  return variables;
}

/// Starts the program and sets `child`. Returns 0 or an error number.
int spawn(const ChildProgram& program, pid_t& child) {
  const HighCopies copies(program.descriptors);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  int next = kFirstDescriptor;
  for (const int fd : copies.all()) posix_spawn_file_actions_adddup2(&files, fd, next++);
  posix_spawn_file_actions_addclosefrom_np(&files, next);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> arguments;
  for (const std::string& word : program.arguments)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int error = ::posix_spawn(&child, program.path.c_str(), &files, &attributes,
                                  arguments.data(), child_environment().data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

std::string run_program(const ChildProgram& program, std::chrono::milliseconds limit) {
  pid_t child = -1;
  if (const int error = spawn(program, child); error != 0)
    return fmt::format("cannot start {}: {}", program.path, std::strerror(error));
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
  if (ended < 0) return fmt::format("cannot wait for its process: {}", std::strerror(errno));
  if (WIFSIGNALED(status)) return fmt::format("crashed ({})", ::strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    return fmt::format("ended its process with status {}", WEXITSTATUS(status));
  return {};
}

bool end_with_parent(int parent) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return ::getppid() == parent;
}

}  // namespace weft
