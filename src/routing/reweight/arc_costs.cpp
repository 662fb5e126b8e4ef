// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/arc_costs.h"

#include <utility>

namespace weft::reweight {

ArcCosts::ArcCosts(const Arcs& arcs, unsigned doublings, std::vector<std::uint64_t> load)
    : arcs_(&arcs),
      doublings_(doublings),
      potential_(1, doublings),
      load_(std::move(load)),
      cost_(load_.size()),
      part_(load_.size()) {}

void ArcCosts::measure() {
  const std::uint64_t top = std::max<std::uint64_t>(1, std::ranges::max(load_));
  if (top == top_) return;
  top_ = top;
  potential_ = Potential(top, doublings_);
  for (std::uint32_t arc = 0; arc < load_.size(); ++arc) renew(arc);
}

}  // namespace weft::reweight
