// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/server/http_workers.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace weft {
namespace {

constexpr std::array<unsigned, 3> kThreadsByKind = {1, 3, 1};
constexpr int kHttpNiceness = 5;

}  // namespace

/// On Linux, setpriority() with a thread id affects only that thread and the threads that it
/// starts.
void lower_http_priority() {
  const auto id = static_cast<id_t>(::syscall(SYS_gettid));
  (void)::setpriority(PRIO_PROCESS, id, kHttpNiceness);
}

void HttpWorkers::start() {
  for (std::size_t kind = 0; kind < queues_.size(); ++kind)
    for (unsigned i = 0; i < kThreadsByKind[kind]; ++i)
      threads_.emplace_back([this, kind] { work(queues_[kind]); });
}

void HttpWorkers::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  for (Queue& queue : queues_) queue.changed.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool HttpWorkers::post(JobKind kind, Job job, std::size_t waiting_max) {
  Queue& queue = queues_[static_cast<std::size_t>(kind)];
  {
    const std::lock_guard lock(mutex_);
    if (queue.jobs.size() >= waiting_max) return false;
    queue.jobs.push_back(std::move(job));
  }
  queue.changed.notify_one();
  return true;
}

void HttpWorkers::work(Queue& queue) {
  lower_http_priority();
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      queue.changed.wait(lock, [&] { return !queue.jobs.empty() || ending_; });
      if (ending_) return;
      job = std::move(queue.jobs.front());
      queue.jobs.pop_front();
    }
    job();
  }
}

}  // namespace weft
