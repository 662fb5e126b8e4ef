// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "python/task.h"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

namespace py = pybind11;

namespace weft::python {
namespace {

constexpr std::chrono::milliseconds kSignalInterval{50};
constexpr std::chrono::milliseconds kCancelTimeout{1000};  // time in which cancelled work must end

/// Counts the abandoned tasks with work that has not ended.
struct Abandoned {
  std::mutex mutex;
  std::condition_variable changed;
  unsigned count = 0;

  void add(int difference) {
    const std::lock_guard lock(mutex);
    count += static_cast<unsigned>(difference);
    changed.notify_all();
  }
};
Abandoned& abandoned() {
  static auto* const all = new Abandoned;  // threads may outlive static objects
  return *all;
}

}  // namespace

void Task::report(std::uint64_t done, std::uint64_t total) {
  total_ = total;
  std::uint64_t before = done_;
  while (before < done && !done_.compare_exchange_weak(before, done)) {
  }
}

void Task::begin(std::string_view what) {
  const std::lock_guard lock(mutex_);
  begun_.emplace_back(what);
}

void Task::call(const std::function<void()>& python) {
  Call own{&python};
  std::unique_lock lock(mutex_);
  if (is_requested()) throw Cancelled();
  calls_.push_back(&own);
  changed_.notify_all();
  changed_.wait(lock, [&] { return own.done; });
  if (own.failed) throw Cancelled();
}

/// The part of a task that runs on the calling thread.
class TaskRun {
 public:
  TaskRun(std::shared_ptr<Task> task, const py::object& progress)
      : task_(std::move(task)), progress_(progress) {}

  void start(std::function<void()> work) {
    thread_ = std::thread([task = task_, work = std::move(work)]() mutable {
      const CancellationScope scope(task.get());
      std::exception_ptr thrown;
      try {
        work();
      } catch (...) {
        thrown = std::current_exception();
      }
      work = nullptr;  // frees the data of the work before the task is finished
      const std::lock_guard lock(task->mutex_);
      task->thrown_ = std::move(thrown);
      task->finished_ = true;
      task->changed_.notify_all();
      if (task->abandoned_) abandoned().add(-1);
    });
  }

  /// Runs calls, reports progress and handles signals until the work has ended or is abandoned.
  void wait() {
    while (!wait_once()) {
      if (guarded([&] { report(); })) guarded([] { take_signals(); });
    }
    if (thread_.joinable()) {
      thread_.join();
      if (!raised_) guarded([&] { report(); });
    }
    if (raised_) std::rethrow_exception(raised_);
    if (task_->thrown_) std::rethrow_exception(task_->thrown_);
  }

 private:
  static void take_signals() {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }

  /// Runs the body. An exception cancels the work. Returns false if the body raised an exception.
  template <class Body>
  bool guarded(const Body& body) {
    try {
      body();
      return true;
    } catch (...) {
      if (!raised_) {
        raised_ = std::current_exception();
        cancelled_at_ = std::chrono::steady_clock::now();
      }
      task_->request();
      return false;
    }
  }

  /// Waits for a call for a short time, and runs the call. Returns true if the work has ended or is
  /// abandoned.
  bool wait_once() {
    Task::Call* call = nullptr;
    {
      const py::gil_scoped_release released;
      std::unique_lock lock(task_->mutex_);
      task_->changed_.wait_for(lock, kSignalInterval,
                               [&] { return task_->finished_ || !task_->calls_.empty(); });
      if (task_->finished_) return true;
      if (!task_->calls_.empty()) {
        call = task_->calls_.front();
        task_->calls_.pop_front();
      } else if (raised_ && std::chrono::steady_clock::now() - cancelled_at_ > kCancelTimeout) {
        task_->abandoned_ = true;
        objects_.swap(task_->objects_);
        abandoned().add(1);
        thread_.detach();
        return true;
      }
    }
    if (call != nullptr) serve(*call);
    return false;
  }

  void serve(Task::Call& call) {
    const bool good = !raised_ && guarded([&] { (*call.python)(); });
    const std::lock_guard lock(task_->mutex_);
    call.failed = !good;
    call.done = true;
    task_->changed_.notify_all();
  }

  void report() {
    if (raised_ || progress_.is_none()) return;
    std::vector<std::string> begun;
    {
      const std::lock_guard lock(task_->mutex_);
      begun.swap(task_->begun_);
    }
    for (const std::string& what : begun) progress_(what);
    const std::uint64_t done = task_->done_;
    if (done == reported_) return;
    reported_ = done;
    progress_(done, task_->total_.load());
  }

  std::shared_ptr<Task> task_;
  py::object progress_;
  std::vector<py::object> objects_;  // objects of an abandoned task
  std::thread thread_;
  std::uint64_t reported_ = 0;
  std::exception_ptr raised_;
  std::chrono::steady_clock::time_point cancelled_at_{};
};

void run_task(const std::shared_ptr<Task>& task, std::function<void()> work,
              const py::object& progress) {
  TaskRun run(task, progress);
  run.start(std::move(work));
  run.wait();
}

void wait_for_abandoned() {
  Abandoned& all = abandoned();
  while (true) {
    {
      const py::gil_scoped_release released;
      std::unique_lock lock(all.mutex);
      if (all.changed.wait_for(lock, kSignalInterval, [&] { return all.count == 0; })) return;
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

}  // namespace weft::python
