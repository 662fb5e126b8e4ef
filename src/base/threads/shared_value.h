// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A value that several threads read and replace.
#pragma once

#include <mutex>
#include <utility>

namespace weft {

/// Copies the value under a mutex; for values that are cheap to copy, such as std::shared_ptr.
template <typename T>
class SharedValue {
 public:
  /// The parameter destroys the old value after the lock is released.
  void set(T value) {
    const std::lock_guard lock(mutex_);
    std::swap(value_, value);
  }
  T get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

}  // namespace weft
