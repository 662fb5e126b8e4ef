// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Load-aware routing: routes with weights of the measured traffic, compared with the active routes
// under that traffic before anything changes (docs/reference/load-aware-routing.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "congestion/measured_load.h"
#include "policy/measured_weights.h"

namespace weft {

struct SmOptions;
struct Snapshot;

struct LoadAwareOptions {
  bool enabled = false;
  std::chrono::seconds interval{30 * 60};  // minimum time between two changes
  unsigned threshold = 10;                 // percent; minimum gain for a change of routes
  bool operator==(const LoadAwareOptions&) const = default;
};

/// Result of a trial. Both loads are simulated with the same traffic.
struct LoadTrial {
  std::shared_ptr<const Snapshot> snapshot;  // has the routes that were active
  std::vector<MeasuredWeight> weights;
  Status status;    // kUnroutable: no routes with these weights; loads are 0
  LinkLoad before;  // load with the active routes
  LinkLoad after;   // load with the new routes

  /// Percent by which the largest load falls; negative if it rises, 0 if it was 0.
  double gain() const;
  /// "largest link load 62.0% of the data rate (leaf1 port 3), 31.0% with the new routes,
  /// gain 50.0%".
  std::string describe() const;
};

/// Computes and verifies routes as a sweep would, without changing the fabric. Takes as long as the
/// routing of a sweep.
LoadTrial try_measured_weights(std::shared_ptr<const Snapshot> snapshot, const SmOptions& options,
                               const HostTraffic& traffic);

/// Counts of one manager since its start.
struct LoadAwareCounts {
  std::uint64_t trials = 0;
  std::uint64_t changes = 0;  // changes of routes
  double gain = 0;            // percent, of the last trial
  bool operator==(const LoadAwareCounts&) const = default;
};

}  // namespace weft
