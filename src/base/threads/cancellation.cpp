// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/threads/cancellation.h"

#include <utility>

namespace weft {
namespace {

thread_local Cancellation* current_cancellation = nullptr;

}  // namespace

Cancellation* Cancellation::current() { return current_cancellation; }

CancellationScope::CancellationScope(Cancellation* cancellation)
    : before_(std::exchange(current_cancellation, cancellation)) {}
CancellationScope::~CancellationScope() { current_cancellation = before_; }

void throw_if_cancelled() {
  if (current_cancellation != nullptr && current_cancellation->is_requested()) throw Cancelled();
}

}  // namespace weft
