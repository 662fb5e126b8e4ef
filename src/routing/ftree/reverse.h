// Ways to I/O nodes that use switches the wrong way around: down where up*/down* would have to go
// up.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/ftree/hops.h"
#include "routing/ftree/order.h"
#include "routing/ftree/tree.h"
#include "routing/ftree/twins.h"
#include "routing/options.h"

namespace weft::ftree {

/// Who may be reached, and may reach others, by reverse hops where there is no other way: the I/O
/// nodes of -G by as many as -H allows. (OpenSM gives such ways to these only, so that they cannot
/// answer where they need reverse hops themselves.)
class ReverseWays {
 public:
  ReverseWays(const Fabric& fabric, const RoutingOptions& options);

  struct Entry {
    SwitchId sw;
    Lid lid;
    PortNum port;
  };
  /// Adds entries for the switches that have no path to a destination in the block of sets from
  /// `first` on: one with as few reverse hops as possible, where somebody's right asks for it.
  /// Paths that exist stay as they are. There are no forwarding loops. All turn at the lowest
  /// switch that serves, so that they make few dependencies; credit loops are possible
  /// nevertheless.
  void find(const Tree& tree, const Twins& twins, const Destinations& destinations,
            std::uint32_t first, std::uint32_t count, const Hops& hops,
            std::vector<Entry>& entries) const;

 private:
  std::vector<unsigned> right_;     // by EndportId: reverse hops of ways to it
  std::vector<unsigned> right_at_;  // by SwitchId: of ways from the CAs there
};

}  // namespace weft::ftree
