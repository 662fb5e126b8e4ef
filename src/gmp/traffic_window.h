// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Mean rates of hosts over several readings of the counters.
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
  /// The totals at the end of a reading: of the CA ports, or of the switch ports before them.
  void take(const CounterStore& store, const Snapshot& snapshot, TimeNs now);
  /// Rates begin with the next reading.
  void restart() { ports_.clear(); }
  /// Since the first reading of each port; empty before the second one.
  std::optional<HostTraffic> traffic(const Fabric& fabric) const;

 private:
  struct Reading {
    TimeNs at{0};
    std::uint64_t sent = 0, received = 0;  // words
  };
  struct Span {
    Reading first, last;
  };
  std::map<Guid, Span> ports_;  // by GUID of the CA port
};

}  // namespace weft
