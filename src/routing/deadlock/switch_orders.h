// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Orders of all switches, each defining a layer: paths that never go up after they went down, as in
// up*/down*, have no dependency cycle, and neither do their reverse paths.
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

  /// In all orders switches far from hosts are above those near hosts. At equal distance, the
  /// orders differ as much as possible: in the first order, clusters (switches that share many
  /// neighbors, as in a group of a dragonfly) are in random order, and so are the switches of each
  /// cluster; the next orders reverse the order of the clusters, the order within them, or both;
  /// further orders are random.
  SwitchOrders(const Fabric& fabric, const Trunks& trunks, unsigned count);

  /// Each order is by distance from its own root, as in up*/down*. Roots are chosen one after the
  /// other such that many pairs have a shortest path that agrees with some order, estimated from a
  /// sample of the switches. For fabrics of long paths: on a torus an order agrees with all pairs
  /// except those between which, on some ring, the coordinate opposite to the root lies.
  static SwitchOrders around_roots(const Fabric& fabric, const Trunks& trunks, unsigned count);

  unsigned count() const { return static_cast<unsigned>(places_.size()); }
  /// By switch, a permutation.
  std::span<const std::uint32_t> places(unsigned order) const { return places_[order]; }
  /// Orders in which a trunk leads up.
  Mask up(std::uint32_t trunk) const { return up_[trunk]; }
  /// By trunk: its place in a sequence in which all turns that agree with an order ascend: up
  /// trunks by their lower end, then down trunks by their higher end.
  std::vector<std::uint32_t> row_of(unsigned order, const Trunks& trunks) const;
  /// Orders that agree with a turn: all in which it does not go up after going down.
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

/// Whether pairs of switches are counted, or pairs of the endports at them.
enum class Pairs { kOfSwitches, kOfEndports };

/// The share of pairs, one end with hosts, without any shortest path that agrees with one of the
/// first 0, 1, 2 .. orders; estimated from a sample of the switches.
std::vector<double> unfitted(const Fabric& fabric, const Trunks& trunks, const SwitchOrders& orders,
                             Pairs counted);

}  // namespace weft
