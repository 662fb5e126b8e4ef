// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Weights of hosts from their measured traffic, for load-aware routing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/options.h"

namespace weft {

struct MeasuredWeight {
  Guid port;                 // of the CA
  std::uint32_t weight = 1;  // 1 to kMeasuredWeightMax
  bool operator==(const MeasuredWeight&) const = default;
};

/// Proportional to the rates (by EndportId); of hosts above weight 1 only, which the others have.
std::vector<MeasuredWeight> measured_weights(const Fabric& fabric, std::span<const double> rates);

/// Sets the node weights, and passes of --reweight where it is off or automatic: without passes
/// most engines have no use for weights, and automatic passes are selected for equal traffic. GUIDs
/// that the fabric does not have are skipped.
void apply(std::span<const MeasuredWeight> weights, const Fabric& fabric, RoutingOptions& options);

}  // namespace weft
