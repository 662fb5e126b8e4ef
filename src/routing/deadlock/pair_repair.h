// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes the paths of given tables so that all paths between two switches, in both directions,
// agree with one order of the switches (switch_orders.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/deadlock/ordered_paths.h"
#include "routing/deadlock/switch_orders.h"
#include "routing/shapes/trunks.h"

namespace weft::ordered {

/// Finds, for each pair of switches, the first order that agrees with all paths of the pair, and
/// reroutes the pairs without such an order. Nearest pairs are processed first, because their paths
/// are parts of other paths.
class PairRepairer {
 public:
  /// `lids` are by switch, `lfts` the initial tables. All arguments must outlive this object.
  PairRepairer(const Fabric& fabric, const Trunks& trunks, const SwitchOrders& orders,
               std::span<const std::vector<Lid>> lids, const Lfts& lfts, unsigned threads);

  struct Repaired {
    unsigned orders = 0;     // the result is the same for `count` to this number of orders
    double pairs_moved = 0;  // share of rerouted pairs, 0 to 1
  };
  /// Reroutes with the first `count` orders.
  Repaired repair(unsigned count);

  const Lfts& lfts() const { return lfts_; }
  Paths& paths() { return paths_; }

 private:
  struct Pair {
    std::uint32_t a;
    std::uint32_t b;
  };
  struct Step {
    std::uint32_t trunk = kNoTrunk;
    Mask agree = 0;  // all orders that agree with the path
  };

  static Mask mask_of(unsigned orders) { return static_cast<Mask>((1u << orders) - 1); }
  std::uint32_t switches() const { return fabric_.switch_count(); }
  std::uint16_t hops(std::uint32_t from, std::uint32_t to) const {
    return hops_[std::size_t{to} * paths_.switches + from];
  }

  void measure();

  Mask agree(std::uint32_t trunk, std::uint32_t to, Lid lid) const;

  /// Adds the paths in the given tables to all LIDs of a switch; a missing or nonminimal path
  /// agrees with no order.
  void add_given_paths(std::uint32_t s, std::uint32_t to, std::vector<Step>& steps) const;

  /// Selects the path with the next hop that is highest in order 0 from the shortest paths that
  /// agree with the allowed orders, or, if there are none, from all shortest paths. On a tree both
  /// directions then turn from down to up at the same leaf of a pod.
  Step another_path(Pair pair, std::uint32_t s, std::uint32_t to, Lid lid, Mask wanted);

  /// Whether `agree` contains an allowed order. If all of the first orders are allowed, also
  /// records whether only later orders agree.
  bool does_fit(Pair pair, Mask agree, Mask wanted);

  void settle(std::uint32_t s, Lid lid, const Step& step, std::uint8_t lane);

  void route_over(std::uint32_t s, Lid lid, std::uint32_t trunk);

  /// Calls body(source, destination, LID) for each path between two switches.
  template <class Body>
  void each_path(Pair pair, const Body& body) const {
    for (const Lid lid : lids_[pair.b]) body(pair.a, pair.b, lid);
    for (const Lid lid : lids_[pair.a]) body(pair.b, pair.a, lid);
  }

  bool exchange_packets(Pair pair) const;

  void repair_pair(Pair pair, std::vector<Step>& steps);

  /// Reroutes paths that do not agree with the allowed orders.
  void move(Pair pair, Mask wanted, std::vector<Step>& steps);

  /// Returns the order as a mask; 0 if no allowed order can agree with all paths of the pair.
  Mask order_with_fewest_moves(Pair pair, std::span<const Step> steps);

  /// Whether all paths can agree with an order if some paths are rerouted.
  bool can_fit(Pair pair, std::span<const Step> steps, Mask order);

  const Fabric& fabric_;
  const Trunks& trunks_;
  const SwitchOrders& orders_;
  const Mask all_;
  const Lfts& given_;
  Lfts lfts_;
  Paths paths_;
  const std::span<const std::vector<Lid>> lids_;  // by switch
  const unsigned threads_;
  unsigned count_ = 0;                   // number of allowed orders
  Mask first_ = 0;                       // allowed orders
  std::vector<Mask> agree_;              // indices as in paths_.trunk; for all orders
  std::vector<std::uint32_t> trunk_at_;  // by switch and port
  std::vector<std::uint16_t> hops_;      // row by destination
  std::uint16_t most_hops_ = 0;
  std::vector<std::uint8_t> differs_;  // by switch b of pairs: more orders change a path
  std::vector<std::uint32_t> moved_;   // by switch b: number of rerouted pairs
};

}  // namespace weft::ordered
