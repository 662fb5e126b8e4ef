// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Traffic for the credit simulator that follows a credit loop found by the verifier.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <vector>

#include "credits/credit_simulator.h"
#include "verify/verify.h"

namespace weft::credits {

/// A flow for each hop of a cycle. The packets of the flow hold the lane of the hop and wait for
/// the lane of the next hop. If these packets are replies, the flow sends their requests. All paths
/// must exist.
class CycleTraffic {
 public:
  CycleTraffic(const Fabric& fabric, const Routes& routes, std::span<const CycleHop> cycle);
  std::vector<EndportId> sources() const;
  /// The result is valid while this object exists.
  Traffic traffic() const;

 private:
  std::deque<LanePath> paths_;  // demands_ has pointers to these paths
  std::map<EndportId, std::vector<Demand>> demands_;
};

}  // namespace weft::credits
