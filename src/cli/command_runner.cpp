// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/command_runner.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/log.h"

namespace weft::cli {

CommandRunner::CommandRunner(std::string command, std::chrono::milliseconds quiet,
                             std::chrono::milliseconds most)
    : command_(std::move(command)), quiet_(quiet), most_(most), thread_([this] { serve(); }) {}

CommandRunner::~CommandRunner() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void CommandRunner::note_event() {
  {
    const std::lock_guard lock(mutex_);
    last_ = Clock::now();
    if (events_++ == 0) first_ = last_;
  }
  changed_.notify_one();
}

void CommandRunner::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || events_ > 0; });
    while (!ending_) {
      const auto due = std::min(last_ + quiet_, first_ + most_);
      if (Clock::now() >= due) break;
      changed_.wait_until(lock, due);
    }
    if (ending_) return;
    const unsigned events = std::exchange(events_, 0u);
    lock.unlock();
    run(events);
    lock.lock();
  }
}

/// The output of the command is sent to standard error, because standard output has the events.
/// The command gets only the number of events, because the texts of events are untrusted input.
void CommandRunner::run(unsigned events) const {
  std::vector<std::string> variables{fmt::format("WEFT_EVENT_COUNT={}", events)};
  std::vector<char*> environment{variables.front().data()};
  for (char** variable = environ; *variable != nullptr; ++variable)
    environment.push_back(*variable);
  environment.push_back(nullptr);
  std::string shell = "sh", option = "-c", command = command_;
  char* words[] = {shell.data(), option.data(), command.data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t process = 0;
  const int error =
      ::posix_spawn(&process, "/bin/sh", &actions, nullptr, words, environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return log::error("cannot start {}: {}", command_, std::strerror(error));
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    log::warn("{}: ended with {} {}", command_, WIFEXITED(status) ? "status" : "signal",
              WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

}  // namespace weft::cli
