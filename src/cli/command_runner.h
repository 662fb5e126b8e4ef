// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs a shell command after a burst of events, once per burst.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace weft::cli {

class CommandRunner {
 public:
  /// The command runs when no event has occurred for `quiet`, and at the latest `most` after the
  /// first event.
  CommandRunner(std::string command, std::chrono::milliseconds quiet,
                std::chrono::milliseconds most);
  ~CommandRunner();
  CommandRunner(const CommandRunner&) = delete;
  CommandRunner& operator=(const CommandRunner&) = delete;

  /// Records an event. Thread-safe. After an event during a run of the command, the command runs
  /// again. The destructor waits for a run in progress, and drops events without a run.
  void note_event();

 private:
  using Clock = std::chrono::steady_clock;
  void serve();
  void run(unsigned events) const;

  const std::string command_;
  const std::chrono::milliseconds quiet_, most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned events_ = 0;  // number of events since the last run
  Clock::time_point first_, last_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace weft::cli
