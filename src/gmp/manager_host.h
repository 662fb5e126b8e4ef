// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs a manager that uses GMPs. On a device the manager has its own thread, so that sweeps and the
// manager do not delay each other. In an emulation the event loop calls step(), so that results
// depend only on the seed. Other threads post functions, which run between two steps.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "ib/gmp_transport.h"

namespace weft {

template <class Manager>
class ManagerHost {
 public:
  using Work = std::function<void(Manager&)>;

  ManagerHost(std::unique_ptr<Manager> manager, GmpTransport& transport)
      : manager_(std::move(manager)), transport_(transport) {}
  ~ManagerHost() {
    stopping_ = true;
    transport_.wake();
    if (thread_.joinable()) thread_.join();
  }
  ManagerHost(const ManagerHost&) = delete;
  ManagerHost& operator=(const ManagerHost&) = delete;

  /// Starts the thread, which calls step() until the host is destroyed.
  void start() {
    thread_ = std::thread([this] {
      while (!stopping_) {
        step();
        transport_.wait_until(manager_->next_event());
      }
    });
  }

  /// Calls the posted functions, then Manager::step(). Callers must not call it after start().
  void step() {
    std::deque<Work> posted;
    {
      const std::lock_guard lock(mutex_);
      posted.swap(posted_);
    }
    for (const Work& work : posted) work(*manager_);
    manager_->step();
  }

  /// Queues a function that the next step() calls. May be called from any thread.
  void post(Work work) {
    {
      const std::lock_guard lock(mutex_);
      posted_.push_back(std::move(work));
    }
    transport_.wake();
  }

 private:
  const std::unique_ptr<Manager> manager_;
  GmpTransport& transport_;
  std::mutex mutex_;
  std::deque<Work> posted_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace weft
