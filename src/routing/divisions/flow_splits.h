// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The division of the traffic of all hosts to all hosts among the ports that switches may select,
// so that the largest load of a link is small. The part of the traffic toward a leaf that a port
// carries increases with the capacity of the paths from this port (flow_shares.h), and decreases
// with the sum of the prices of their links. Prices begin at 0. Each pass computes the loads, then
// raises the price of each link by a high power of its load. This is the method of multiplicative
// weights for a maximum concurrent flow (Garg and Koenemann, SIAM J. Computing 37(2), 2007), with
// divisions that change gradually, so that the last passes have nearly the least possible largest
// load.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/divisions/choice_order.h"

namespace weft {

/// The choices of switches for the traffic toward one leaf.
struct LeafChoices {
  SwitchId leaf;
  Lid lid;  // the first LID of the order
  ChoiceOrder order;
};

/// Sets the parts of the channels of a step that divides traffic equally among the LIDs of the
/// leaf, or among the ports of a group.
void set_equal_parts(const ChoiceOrder& order, const ChoiceOrder::Step& step,
                     std::vector<double>& part);

class FlowSplits {
 public:
  /// The parts of the traffic at each switch that its channels carry toward a leaf, by ChannelId;
  /// the parts of a switch add up to 1. Values of channels that are not choices are undefined.
  using Parts = std::function<void(const LeafChoices& to, std::vector<double>& part)>;

  /// `rates` by ChannelId. `divides` by SwitchId: whether the switch can divide traffic unequally.
  /// `leaves` in ascending order. The arguments must outlive this object.
  FlowSplits(const Fabric& fabric, std::span<const std::uint32_t> rates,
             const std::vector<bool>& divides, std::span<const LeafChoices> leaves,
             unsigned threads);

  /// Changes the parts of the choices of a step, which add up to 1 before and after.
  using Restriction =
      std::function<void(const LeafChoices& to, std::size_t step, std::vector<double>& part)>;

  /// Calculates the prices. If `restriction` is not empty, it applies to each division, also in
  /// split(). Cost: O(passes * leaves * channels), with at most 40 passes.
  void balance(Restriction restriction = {});

  /// The parts with the present prices and the restriction of the last balance().
  void split(const LeafChoices& to, std::vector<double>& part) const;

  /// The largest load of a channel: the number of messages, divided by the rate of the channel, if
  /// each host sends a message to each other host.
  double largest_load(const Parts& parts) const { return largest(loads(parts)); }

 private:
  using Loads = std::vector<std::int64_t>;  // by ChannelId
  Loads loads(const Parts& parts) const;
  void add_loads(const LeafChoices& to, std::span<const double> part, std::vector<double>& passing,
                 Loads& load) const;
  double largest(const Loads& load) const;
  /// `most`: the largest of the loads, by largest().
  void raise_prices(const Loads& load, double most, double step);

  const Fabric& fabric_;
  const std::span<const std::uint32_t> rates_;
  const std::vector<bool>& divides_;
  const std::span<const LeafChoices> leaves_;
  const unsigned threads_;
  std::vector<std::uint32_t> hosts_;  // by SwitchId
  std::vector<double> price_;         // by ChannelId
  Restriction restriction_;
};

}  // namespace weft
