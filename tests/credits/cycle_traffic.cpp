// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "credits/cycle_traffic.h"

#include <utility>

#include "base/check.h"

namespace weft::credits {

CycleTraffic::CycleTraffic(const Fabric& fabric, const Routes& routes,
                           std::span<const CycleHop> cycle) {
  for (const CycleHop& hop : cycle) {
    const EndportId owner = fabric.endport_of(hop.lid);
    auto path = lane_path(fabric, routes, hop.source, hop.lid, hop.sl);
    CHECK(path.has_value());
    paths_.push_back(std::move(*path));
    if (!hop.reply) {
      demands_[hop.source].push_back({&paths_.back(), nullptr});
      continue;
    }
    auto request = lane_path(fabric, routes, owner, fabric.endport(hop.source).lid, hop.sl);
    CHECK(request.has_value());
    const LanePath* reply = &paths_.back();
    paths_.push_back(std::move(*request));
    demands_[owner].push_back({&paths_.back(), reply});
  }
}

std::vector<EndportId> CycleTraffic::sources() const {
  std::vector<EndportId> sources;
  for (const auto& [source, demands] : demands_) sources.push_back(source);
  return sources;
}

Traffic CycleTraffic::traffic() const {
  return [this](EndportId source, Rng& rng) {
    const auto& demands = demands_.at(source);
    return demands[rng.below(demands.size())];
  };
}

}  // namespace weft::credits
