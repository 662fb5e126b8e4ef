// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Totals of a subnet manager's sweeps since the start, and the report of the last heavy sweep, for
// metrics.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "service/metrics/histogram.h"
#include "sm/subnet_manager.h"

namespace weft {

inline constexpr std::array<double, 14> kSweepBounds{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                                     1,     2.5,  5,     10,   30,  60,   300};

struct SmTally {
  /// Kinds of sweeps: heavy sweep; sweep with incremental discovery; update between sweeps, of
  /// multicast trees, partitions, alias GUIDs, virtual ports, names, capabilities or planes.
  enum Kind { kHeavy, kLocal, kMulticast };
  static constexpr std::array<std::string_view, 3> kKindNames{"heavy", "local", "multicast"};

  std::array<std::uint64_t, 3> sweeps{};
  std::uint64_t failed = 0;  // sweeps of all kinds after which the subnet was not up
  std::uint64_t light = 0;   // light sweeps that have begun
  std::array<Histogram, 3> seconds{Histogram(kSweepBounds), Histogram(kSweepBounds),
                                   Histogram(kSweepBounds)};
  std::map<std::string, std::uint64_t> fallbacks;  // number of failed runs, by engine name
  std::uint64_t table_blocks_written = 0;
  std::uint64_t route_runs = 0;  // sweeps that recalculated routes
  // Numbers of virtual ports that appeared, disappeared, moved or could not be configured
  std::uint64_t vports_appeared = 0, vports_gone = 0, vports_moved = 0, vport_failures = 0;
  LoadAwareCounts load_aware;
  /// The report of the last heavy sweep; null: no heavy sweep has ended.
  std::shared_ptr<const SweepReport> full;
  std::uint64_t full_number = 0;  // its number among the sweeps of kHeavy and kLocal
  bool operator==(const SmTally&) const = default;
};

/// Collects the totals. Call update() after each step of the manager. A call is cheap if no sweep
/// has ended.
class SmTallyCollector {
 public:
  void update(const SubnetManager& sm);
  const SmTally& tally() const { return tally_; }

 private:
  void add(SmTally::Kind kind, const SweepReport& report);

  SmTally tally_;
  std::uint64_t sweeps_ = 0;
  std::uint64_t updates_ = 0;
};

}  // namespace weft
