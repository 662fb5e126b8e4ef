// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Increases of error counters between readings, reported at a limited rate: each counter is
// reported at most once a minute, and each reading reports a limited number of counters. Further
// increases are added up and reported later.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/clock.h"
#include "gmp/counter_store.h"
#include "ib/ids.h"
#include "ib/performance.h"

namespace weft {

/// The increase of one counter of one port. Values are totals of the performance manager, which do
/// not decrease when the hardware counter is cleared.
struct ErrorRise {
  Guid node;
  std::string name;  // name of the node
  PortNum port;
  Counter counter = Counter::kSymbolErrors;
  std::uint64_t before = 0;  // total before the increases since the last report
  std::uint64_t after = 0;
  std::uint64_t sweep = 0;  // number of the heavy sweep of the latest published snapshot
  Guid peer{};              // node at the other end of the cable; 0 if there is none
  std::string peer_name{};
  PortNum peer_port{};
  bool operator==(const ErrorRise&) const = default;
};

class ErrorRises {
 public:
  static constexpr TimeNs kReportInterval = std::chrono::minutes(1);
  static constexpr std::size_t kReportsMax = 256;  // counters that one call of take() returns

  /// Adds the increase of a port's error counters; ignores PortXmitWait, which is not an error.
  void add(Guid node, PortNum port, const CounterValues& delta);
  /// To be called after the totals were cleared: drops increases that were not reported.
  void clear() { pending_.clear(); }
  /// Drops the increases and the report times of a node that is not in the fabric any more.
  void forget(Guid node);

  /// Increases to be reported now, at most kReportsMax, ordered by node, port and counter, with
  /// the totals of `store`. After a call that reached the limit, the order begins behind the last
  /// reported counter, so that each counter is reported in its turn. Drops increases of ports that
  /// are not in `store`.
  std::vector<ErrorRise> take(const CounterStore& store, TimeNs now);

 private:
  using Key = std::tuple<Guid, PortNum, Counter>;
  std::map<Key, std::uint64_t> pending_;  // increase since the last report
  std::map<Key, TimeNs> reported_;        // time of the last report, if within a minute
  std::optional<Key> last_;               // the last counter of a call that reached the limit
};

}  // namespace weft
