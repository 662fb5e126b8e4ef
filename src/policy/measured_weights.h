// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Node weights for load-aware routing, computed from the measured traffic of hosts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/options.h"

namespace weft {

struct MeasuredWeight {
  Guid port;                 // port of the CA
  std::uint32_t weight = 1;  // 1 to kMeasuredWeightMax
  bool operator==(const MeasuredWeight&) const = default;
};

/// Weights from 1 to kMeasuredWeightMax, linear in `rates` (by EndportId), of CA and router ports.
/// Ports with the weight 1, which is the default, are left out.
std::vector<MeasuredWeight> measured_weights(const Fabric& fabric, std::span<const double> rates);

/// Sets the node weights, and the passes of --reweight if these are off or automatic: without
/// passes most engines do not use weights, and automatic passes are selected for equal traffic.
/// GUIDs that are not in the fabric are skipped. Without weights, `options` stays the same.
void apply(std::span<const MeasuredWeight> weights, const Fabric& fabric, RoutingOptions& options);

}  // namespace weft
