// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/hoplanes/channel_orders.h"

#include "fabric/aggregation.h"
#include "routing/deadlock/switch_orders.h"
#include "routing/shapes/trunks.h"
#include "routing/topology.h"

namespace weft::hoplanes {
namespace {

constexpr unsigned kClusterOrders = 4;  // by clusters of switches: an order and its reversals
constexpr unsigned kRootOrders = 2;

/// Channels within groups come before channels between groups. In groups with levels, channels from
/// a spine to a leaf come last: the order is up, between groups, down.
ChannelOrder within_groups_first(const Fabric& fabric, const SwitchGroups& groups) {
  const std::vector<bool> leaves = leaf_switches(fabric);
  ChannelOrder places;
  for (const Channel& channel : fabric.channels())
    places.push_back(groups.of[channel.from.value()] != groups.of[channel.to.value()] ? 1
                     : !leaves[channel.from.value()] && leaves[channel.to.value()]    ? 2
                                                                                      : 0);
  return places;
}

void add_orders(const Fabric& fabric, const Trunks& trunks, const SwitchOrders& orders,
                std::vector<ChannelOrder>& result) {
  for (unsigned order = 0; order < orders.count(); ++order) {
    const auto rows = orders.row_of(order, trunks);
    ChannelOrder& places = result.emplace_back(fabric.channel_count());
    for (std::uint32_t t = 0; t < trunks.count(); ++t)
      for (const std::uint32_t channel : trunks.channels_of(t)) places[channel] = rows[t];
  }
}

}  // namespace

std::vector<ChannelOrder> channel_orders(const Fabric& fabric) {
  std::vector<ChannelOrder> orders{ChannelOrder(fabric.channel_count(), 0)};
  if (const auto groups = find_groups(fabric))
    orders.push_back(within_groups_first(fabric, *groups));
  const Trunks trunks(fabric);
  add_orders(fabric, trunks, SwitchOrders(fabric, trunks, kClusterOrders), orders);
  add_orders(fabric, trunks, SwitchOrders::around_roots(fabric, trunks, kRootOrders), orders);
  return orders;
}

}  // namespace weft::hoplanes
