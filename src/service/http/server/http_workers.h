// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Threads of low priority that compute answers, each kind with its own queue.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace weft {

class HttpWorkers {
 public:
  enum class JobKind {
    kHealth,   // health checks, metrics and the page, which other requests cannot delay
    kAnswers,  // three threads: a study and a drawing can occupy only two of them
    kManager,  // requests that wait for the subnet manager, one at a time
  };
  using Job = std::function<void()>;

  HttpWorkers() = default;
  ~HttpWorkers() { stop(); }
  HttpWorkers(const HttpWorkers&) = delete;
  HttpWorkers& operator=(const HttpWorkers&) = delete;

  void start();
  /// Waits for the running jobs and drops the queued jobs.
  void stop();
  /// Queues a job. Returns false if `waiting_max` jobs of this kind are queued.
  bool post(JobKind kind, Job job, std::size_t waiting_max);

 private:
  struct Queue {
    std::deque<Job> jobs;
    std::condition_variable changed;
  };
  void work(Queue& queue);

  std::mutex mutex_;
  std::array<Queue, 3> queues_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

/// Lowers the priority of the calling thread to this niceness, unless it is lower already. Threads
/// that it starts inherit the niceness. Logs a warning if this fails.
void lower_own_priority(int niceness);

/// Lowers the priority of the calling thread below that of the subnet manager.
void lower_http_priority();

}  // namespace weft
