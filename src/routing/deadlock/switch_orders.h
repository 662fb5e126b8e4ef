// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Orders of all switches. Each order defines a layer: as in up*/down*, paths without an up hop
// after a down hop have no dependency cycle together with their reverse paths.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/shapes/trunks.h"

namespace weft {

class SwitchOrders {
 public:
  using Mask = std::uint16_t;  // a bit for each order
  static constexpr unsigned kMost = 15;

  /// In all orders, switches far from hosts are above switches near hosts. At equal distance, the
  /// orders differ as much as possible: in the first order, clusters (switches that share many
  /// neighbors, as in a group of a dragonfly) are in random order, and so are the switches of each
  /// cluster; the next orders reverse the order within the clusters, the order of the clusters, or
  /// both, where such a reversal results in another order; further orders begin with new random
  /// orders. `count`: at most kMost.
  SwitchOrders(const Fabric& fabric, const Trunks& trunks, unsigned count);

  /// Each order is by distance from a root, as in up*/down*. Roots are selected one after another,
  /// such that many pairs have a shortest path that agrees with an order; this is estimated from a
  /// sample of the switches. Intended for fabrics with long paths: on a torus, an order agrees with
  /// all pairs except those with a path that passes, on a ring, through the coordinate opposite to
  /// the root.
  static SwitchOrders around_roots(const Fabric& fabric, const Trunks& trunks, unsigned count);

  unsigned count() const { return static_cast<unsigned>(places_.size()); }
  /// The position of each switch in an order.
  std::span<const std::uint32_t> places(unsigned order) const { return places_[order]; }
  /// Orders in which a trunk is an up hop.
  Mask up(std::uint32_t trunk) const { return up_[trunk]; }
  /// Returns, by trunk, the position in a sequence in which all turns that agree with an order
  /// ascend: up trunks by their lower end, then down trunks by their higher end.
  std::vector<std::uint32_t> row_of(unsigned order, const Trunks& trunks) const;
  /// Orders that agree with a turn: the orders in which the turn is not from down to up.
  Mask agree(std::uint32_t in, std::uint32_t out) const {
    const Mask* const up = up_.data();  // no bounds check: called for each candidate
    return static_cast<Mask>(up[in] | ~up[out]);
  }

 private:
  SwitchOrders(const Fabric& fabric, const Trunks& trunks, std::span<const SwitchId> roots);
  void add(const Trunks& trunks, std::span<const std::uint32_t> sorted);

  std::vector<std::vector<std::uint32_t>> places_;
  std::vector<Mask> up_;
};

/// Whether pairs of switches are counted, or pairs of the endports at the switches.
enum class Pairs { kOfSwitches, kOfEndports };

/// Returns, for the first 0, 1, 2 .. orders, the share of pairs without a shortest path that agrees
/// with one of these orders. Pairs of two switches without hosts are ignored. The shares are
/// estimated from a sample of the switches.
std::vector<double> unfitted_shares(const Fabric& fabric, const Trunks& trunks,
                                    const SwitchOrders& orders, Pairs counted);

}  // namespace weft
