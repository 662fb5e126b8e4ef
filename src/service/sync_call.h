// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Synchronous call to a handler of another component. The result is empty while no handler is
// registered.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace weft {

template <class Signature>
class SyncCall;

template <class Answer, class... Arguments>
class SyncCall<Answer(Arguments...)> {
 public:
  using Handler = std::function<Answer(Arguments...)>;

  /// Registers a handler; an empty handler unregisters it. Blocks while a call runs.
  void set(Handler handler) {
    const std::lock_guard lock(mutex_);
    handler_ = std::move(handler);
  }
  /// Calls the handler and returns its answer; empty if no handler is registered. Concurrent calls
  /// are serialized.
  std::optional<Answer> call(Arguments... arguments) {
    const std::lock_guard lock(mutex_);
    return handler_ ? std::optional<Answer>(handler_(std::forward<Arguments>(arguments)...))
                    : std::nullopt;
  }

 private:
  std::mutex mutex_;  // held during a call
  Handler handler_;
};

}  // namespace weft
