// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Mean data rates of hosts over several readings of the counters.
#pragma once

#include <map>
#include <optional>

#include "base/clock.h"
#include "congestion/measured_load.h"
#include "gmp/counter_store.h"
#include "sm/sweep_report.h"

namespace weft {

class TrafficWindow {
 public:
  /// Adds the data totals at the end of a reading: those of the CA and router ports, or, if such a
  /// port is not read, those of the port at the other end of its cable.
  void take(const CounterStore& store, const Snapshot& snapshot, TimeNs now);
  /// Discards earlier readings: rates begin with the next reading.
  void restart() { ports_.clear(); }
  /// Mean rates since the first reading of each port, or since the first reading after its totals
  /// were cleared; none before the second reading.
  std::optional<HostTraffic> traffic(const Fabric& fabric) const;

 private:
  struct Reading {
    TimeNs at{0};
    std::uint64_t sent = 0, received = 0;  // in words of 4 bytes
  };
  struct Span {
    Reading first, last;
  };
  std::map<Guid, Span> ports_;  // by GUID of the CA or router port
};

}  // namespace weft
