// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Long computations of the package: they run on a separate thread while the calling thread waits
// without the GIL, reports progress, and handles signals, so that Ctrl-C ends them.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/threads/cancellation.h"

namespace weft::python {

class Task : public Cancellation {
 public:
  /// `objects`: Python objects that calls use.
  explicit Task(std::vector<pybind11::object> objects = {}) : objects_(std::move(objects)) {}

  /// The task of this thread; null if there is none.
  static Task* current() { return dynamic_cast<Task*>(Cancellation::current()); }

  /// Sets the progress: steps done, of `total`. A number of steps below an earlier one is ignored.
  /// Thread-safe.
  void report(std::uint64_t done, std::uint64_t total);
  /// Reports the name of the step that begins, for computations without a known number of steps.
  /// Thread-safe.
  void begin(std::string_view what);
  /// Runs the call on the calling thread, which then holds the GIL. Thread-safe. Throws Cancelled
  /// if the call raised an exception, and if the task has been cancelled.
  void call(const std::function<void()>& python);

  /// Must be called only during call().
  const pybind11::object& object(std::size_t index) const { return objects_[index]; }

 private:
  friend class TaskRun;
  struct Call {
    const std::function<void()>* python = nullptr;
    bool done = false;
    bool failed = false;
  };

  std::vector<pybind11::object> objects_;  // used and freed by the calling thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Call*> calls_;
  std::vector<std::string> begun_;  // steps that were not reported yet
  bool finished_ = false;
  bool abandoned_ = false;
  std::exception_ptr thrown_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> total_{0};
};

/// Runs `work` on a separate thread and returns when it has ended; rethrows its exception.
/// `progress` is None or a Python callable with the steps done and their total, or with the text of
/// begin(). Rethrows the first exception of a call, of `progress` or of a Python signal handler.
/// The work is then cancelled, and abandoned if it does not end within a second. Therefore `work`
/// must own all its data and have no references to Python objects.
void run_task(const std::shared_ptr<Task>& task, std::function<void()> work,
              const pybind11::object& progress = pybind11::none());

/// Like run_task(), for work with a result.
template <class Work>
auto compute(Work work, const pybind11::object& progress = pybind11::none(),
             const std::shared_ptr<Task>& task = std::make_shared<Task>()) {
  using Value = decltype(work(*task));
  const auto value = std::make_shared<std::optional<Value>>();
  run_task(
      task, [work = std::move(work), value, own = task.get()] { value->emplace(work(*own)); },
      progress);
  return std::move(**value);
}

/// Waits until all abandoned work has ended. Throws error_already_set if a Python signal handler
/// raises an exception. Must be called before the interpreter ends.
void wait_for_abandoned();

}  // namespace weft::python
