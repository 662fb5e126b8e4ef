// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The traffic of a credit loop that the verifier found, for the credit simulator.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <vector>

#include "credits/credit_simulator.h"
#include "verify/verify.h"

namespace weft::credits {

/// A flow for each hop of a cycle: its packets hold the hop's lane and wait for the next one's.
/// Where they are replies, its requests go the other way. All paths must exist.
class CycleTraffic {
 public:
  CycleTraffic(const Fabric& fabric, const Routes& routes, std::span<const CycleHop> cycle);
  std::vector<EndportId> sources() const;
  /// Must not outlive this object.
  Traffic traffic() const;

 private:
  std::deque<LanePath> paths_;  // demands refer to them
  std::map<EndportId, std::vector<Demand>> demands_;
};

}  // namespace weft::credits
