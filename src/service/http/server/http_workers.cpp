// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/server/http_workers.h"

#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"

namespace weft {
namespace {

constexpr std::array<unsigned, 3> kThreadsByKind = {1, 3, 1};
constexpr int kHttpNiceness = 5;

}  // namespace

/// On Linux, setpriority() for process 0 affects only the calling thread. The sandbox allows only
/// this form.
void lower_own_priority(int niceness) {
  if (::getpriority(PRIO_PROCESS, 0) >= niceness) return;
  if (::setpriority(PRIO_PROCESS, 0, niceness) != 0)
    log::warn("cannot set the niceness of a thread to {}: {}", niceness, std::strerror(errno));
}

void lower_http_priority() { lower_own_priority(kHttpNiceness); }

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
