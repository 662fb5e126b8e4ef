// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/measured_weights.h"

#include <algorithm>
#include <cmath>

#include "policy/port_files.h"
#include "routing/reweight/parameter.h"

namespace weft {

std::vector<MeasuredWeight> measured_weights(const Fabric& fabric, std::span<const double> rates) {
  std::vector<MeasuredWeight> weights;
  const double most = rates.empty() ? 0 : std::ranges::max(rates);
  if (most <= 0) return weights;
  for (std::size_t i = fabric.switch_count(); i < rates.size(); ++i) {
    const auto weight =
        1 + static_cast<std::uint32_t>(std::lround(rates[i] / most * (kMeasuredWeightMax - 1)));
    const Endport& endport = fabric.endport(EndportId(static_cast<std::uint32_t>(i)));
    if (weight > 1) weights.push_back({fabric.port(endport.port).guid, weight});
  }
  return weights;
}

void apply(std::span<const MeasuredWeight> weights, const Fabric& fabric, RoutingOptions& options) {
  if (weights.empty()) return;
  options.node_weights.assign(fabric.endport_count(), 1);
  for (const MeasuredWeight& measured : weights)
    if (const auto endport = fabric.find_endport(measured.port))
      options.node_weights[endport->value()] = measured.weight;
  const unsigned reweight = options.parameters.of(kReweight);
  if (reweight == 0 || reweight == kReweightAuto)
    options.parameters.set(
        kReweight, passes_for(kReweightAuto, fabric.endport_count(), fabric.switch_count()));
}

}  // namespace weft
