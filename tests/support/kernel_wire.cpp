// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/kernel_wire.h"

#include <algorithm>

namespace weft {

Status KernelWire::send(const Smp& smp) {
  forget_expired();
  if (smp.method == Method::kGet || smp.method == Method::kSet) {
    const bool added = waiting_.emplace(key_of(smp), clock_.now() + limits_.request_time).second;
    if (!added) {
      ++duplicates;
      return fail(Code::kEnvironment, "umad_send: Invalid argument");
    }
  }
  return wire_.send(smp);
}

std::optional<Smp> KernelWire::receive() {
  forget_expired();
  while (const auto smp = wire_.receive()) {
    const bool answer = (static_cast<unsigned>(smp->method) & 0x80) != 0;
    if (answer && waiting_.erase(key_of(*smp)) == 0) {
      ++unmatched;
    } else if (queue_.size() >= limits_.receive_max) {
      ++overflowed;
    } else {
      queue_.push_back(*smp);
    }
  }
  if (queue_.empty()) return std::nullopt;
  const Smp smp = queue_.front();
  queue_.pop_front();
  return smp;
}

KernelWire::Key KernelWire::key_of(const Smp& smp) {
  return {smp.mgmt_class, static_cast<std::uint32_t>(smp.transaction_id)};
}

void KernelWire::forget_expired() {
  timed_out += std::erase_if(
      waiting_, [now = clock_.now()](const auto& entry) { return entry.second <= now; });
}

}  // namespace weft
