// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/umad_outbox.h"

#include <infiniband/umad.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace weft {
namespace {

/// Returns 0 or an errno.
int send_now(int port, int agent, std::vector<std::byte>& umad, int timeout_ms,
             std::size_t length) {
  errno = 0;
  const int result =
      umad_send(port, agent, umad.data(), static_cast<int>(length), timeout_ms, /*retries=*/0);
  if (result >= 0) return 0;
  return errno != 0 ? errno : -result;
}

bool is_temporary(int error) {
  return error == EAGAIN || error == ENOSPC || error == ENOMEM || error == ENOBUFS ||
         error == EINTR;
}

}  // namespace

Status UmadOutbox::send(int agent, std::span<const std::byte> umad, int timeout_ms,
                        std::size_t length) {
  const std::lock_guard lock(mutex_);
  std::vector<std::byte> bytes(umad.begin(), umad.end());
  int error = EAGAIN;
  if (flush_locked()) error = send_now(port_, agent, bytes, timeout_ms, length);
  if (error == 0) return {};
  if (!is_temporary(error) || waiting_.size() >= kWaitingMax)
    return fail(Code::kEnvironment, "umad_send: {}", std::strerror(error));
  waiting_.push_back({agent, std::move(bytes), timeout_ms, length, clock_.now()});
  return {};
}

bool UmadOutbox::flush() {
  const std::lock_guard lock(mutex_);
  return flush_locked();
}

bool UmadOutbox::flush_locked() {
  while (!waiting_.empty()) {
    Waiting& first = waiting_.front();
    const bool late = clock_.now() - first.since >= kAgeMax;
    const int error =
        late ? 0 : send_now(port_, first.agent, first.umad, first.timeout_ms, first.length);
    if (is_temporary(error)) return false;
    waiting_.pop_front();
  }
  return true;
}

TimeNs UmadOutbox::next_try(TimeNs deadline) {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() ? deadline : std::min(deadline, clock_.now() + kPause);
}

}  // namespace weft
