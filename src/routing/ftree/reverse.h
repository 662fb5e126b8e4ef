// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paths to and from I/O nodes with reverse hops: hops down where up*/down* requires a hop up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/trees/equivalent_switches.h"
#include "routing/trees/hops.h"
#include "routing/trees/order.h"
#include "routing/trees/tree.h"

namespace weft::ftree {

/// I/O nodes (-G) may send and receive over up to max_reverse_hops (-H) reverse hops if there is no
/// other path. (OpenSM allows reverse hops only on paths to I/O nodes, so an I/O node cannot reply
/// if the reply needs reverse hops too.)
class ReverseHopPaths {
 public:
  ReverseHopPaths(const Fabric& fabric, std::span<const EndportId> io_nodes,
                  unsigned max_reverse_hops);

  struct Entry {
    SwitchId sw;
    Lid lid;
    PortNum port;
  };
  /// Adds entries for the switches without a path to a destination in the sets from `first` to
  /// `first` + `count` - 1. Each new path has as few reverse hops as possible, and is added only if
  /// so many are allowed for the destination, or for a CA at any of the switches without a path to
  /// the destination. Existing paths stay unchanged. The result has no forwarding loops. The added
  /// paths turn at the lowest possible switch, so that they add few dependencies; credit loops are
  /// nevertheless possible.
  void find(const Tree& tree, const EquivalentSwitches& equivalents,
            const Destinations& destinations, std::uint32_t first, std::uint32_t count,
            const Hops& hops, std::vector<Entry>& entries) const;

 private:
  std::vector<unsigned> allowed_;     // by EndportId: reverse hops allowed on paths to the endport
  std::vector<unsigned> allowed_at_;  // by SwitchId: allowed on paths from CAs at the switch
};

}  // namespace weft::ftree
