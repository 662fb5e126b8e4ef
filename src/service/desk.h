// Somebody of another thread who can be asked while he is there.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace weft {

template <class Signature>
class Desk;

template <class Answer, class... Words>
class Desk<Answer(Words...)> {
 public:
  using Clerk = std::function<Answer(Words...)>;

  /// Null: nobody is there any more. Waits for a call that is under way.
  void set(Clerk clerk) {
    const std::lock_guard lock(mutex_);
    clerk_ = std::move(clerk);
  }
  /// Nothing where nobody is there. One asks at a time.
  std::optional<Answer> ask(Words... words) {
    const std::lock_guard lock(mutex_);
    return clerk_ ? std::optional<Answer>(clerk_(std::forward<Words>(words)...)) : std::nullopt;
  }

 private:
  std::mutex mutex_;  // held while somebody is asked
  Clerk clerk_;
};

}  // namespace weft
