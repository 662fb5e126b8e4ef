// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A model of the kernel (ib_umad) between a program and the transport, on any clock. It identifies
// requests by class and the lower half of the transaction id, refuses a duplicate of a pending
// request, times requests out, drops responses without a pending request, and queues a limited
// number of received MADs.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "ib/transport.h"

namespace weft {

struct KernelLimits {
  TimeNs request_time = std::chrono::seconds(1);  // timeout of a request without a response
  std::size_t receive_max = 200'000;              // MADs queued for the program
};

class KernelWire final : public SmpTransport {
 public:
  KernelWire(SmpTransport& wire, const Clock& clock, const KernelLimits& limits = {})
      : wire_(wire), clock_(clock), limits_(limits) {}

  Status send(const Smp& smp) override;

  std::optional<Smp> receive() override;

  void wait_until(TimeNs deadline) override { wire_.wait_until(deadline); }
  bool take_link_change() override { return wire_.take_link_change(); }

  std::uint64_t duplicates = 0;  // requests refused
  std::uint64_t unmatched = 0;   // responses without a pending request
  std::uint64_t overflowed = 0;  // MADs dropped because the queue was full
  std::uint64_t timed_out = 0;   // requests without a response within request_time

 private:
  using Key = std::pair<MgmtClass, std::uint32_t>;
  static Key key_of(const Smp& smp);
  void forget_expired();

  SmpTransport& wire_;
  const Clock& clock_;
  const KernelLimits limits_;
  std::map<Key, TimeNs> waiting_;
  std::deque<Smp> queue_;
};

}  // namespace weft
