// Orders of all switches, each the base of a layer: paths that never go up again after they went
// down, as up*/down* has it, cannot wait for each other in a circle; and the way back of such a
// path is one too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/shared/trunks.h"

namespace weft {

class SwitchOrders {
 public:
  using Mask = std::uint16_t;  // a bit for each order
  static constexpr unsigned kMost = 15;

  /// Switches far from hosts are above those near them in all orders. Among equals, orders are as
  /// unlike as can be: one puts whole clusters (switches that share many neighbours, as in a group
  /// of a dragonfly) in a random order and then the switches of each, others turn round the first,
  /// the second or both; then come other random ones.
  SwitchOrders(const Fabric& fabric, const Trunks& trunks, unsigned count);

  /// Each order has switches above those that are farther from a root of its own, as up*/down* has
  /// it from one root. Roots are chosen one after the other such that many pairs have a shortest
  /// path that agrees with some order; told by some of the switches. Fits fabrics of long paths: on
  /// a torus an order agrees with all pairs but those with the place opposite to its root between
  /// them on some ring.
  static SwitchOrders around_roots(const Fabric& fabric, const Trunks& trunks, unsigned count);

  unsigned count() const { return static_cast<unsigned>(places_.size()); }
  /// By switch, a permutation.
  std::span<const std::uint32_t> places(unsigned order) const { return places_[order]; }
  /// Orders in which a trunk leads up.
  Mask up(std::uint32_t trunk) const { return up_[trunk]; }
  /// By trunk: its place in a row in which all turns that agree with an order ascend: trunks up by
  /// their lower end, then trunks down by their higher.
  std::vector<std::uint32_t> row_of(unsigned order, const Trunks& trunks) const;
  /// Orders that agree with a turn: all in which it does not go up after going down.
  Mask agree(std::uint32_t in, std::uint32_t out) const {
    return static_cast<Mask>(up_[in] | ~up_[out]);
  }

 private:
  SwitchOrders(const Fabric& fabric, const Trunks& trunks, std::span<const SwitchId> roots);
  void add(const Trunks& trunks, std::span<const std::uint32_t> sorted);

  std::vector<std::vector<std::uint32_t>> places_;
  std::vector<Mask> up_;
};

/// What is counted: pairs of switches, or of the endports at these.
enum class Pairs { kOfSwitches, kOfEndports };

/// What part of the pairs, one end with hosts, has no shortest path at all that agrees with one of
/// the first 0, 1, 2 .. orders; told by some of the switches.
std::vector<double> unfitted(const Fabric& fabric, const Trunks& trunks, const SwitchOrders& orders,
                             Pairs counted);

}  // namespace weft
