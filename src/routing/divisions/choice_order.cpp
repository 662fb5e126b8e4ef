// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/divisions/choice_order.h"

#include <algorithm>

#include "fabric/aggregation.h"

namespace weft {
namespace {

class ChoiceSearch {
 public:
  ChoiceSearch(const Fabric& fabric, const Routes& routes, SwitchId leaf, std::span<const Lid> lids)
      : fabric_(fabric), routes_(routes), lids_(lids), states_(fabric.switch_count(), kNew) {
    states_[leaf.value()] = kDone;
  }

  /// Adds the switches that packets from a switch reach. Returns false if there is a cycle.
  bool search(SwitchId from) {
    if (states_[from.value()] == kNew) open(from);
    while (!visits_.empty()) {
      Visit& visit = visits_.back();
      if (visit.next == visit.step.end) {
        states_[visit.step.sw.value()] = kDone;
        order.steps.push_back(visit.step);
        visits_.pop_back();
        continue;
      }
      const SwitchId next = fabric_.channel(order.channels[visit.next++]).to;
      if (states_[next.value()] == kOpen) return false;
      if (states_[next.value()] == kNew) open(next);
    }
    return true;
  }

  ChoiceOrder order;

 private:
  enum State : std::uint8_t { kNew, kOpen, kDone };
  struct Visit {
    ChoiceOrder::Step step;
    std::uint32_t next = 0;
  };

  void open(SwitchId sw) {
    states_[sw.value()] = kOpen;
    ChoiceOrder::Step step{sw, static_cast<std::uint32_t>(order.channels.size())};
    const ArTables* adaptive = routes_.adaptive ? &*routes_.adaptive : nullptr;
    step.is_group = adaptive != nullptr && adaptive->group_of(sw, lids_[0]) != nullptr;
    if (step.is_group)
      for_each_choice(routes_.lfts, adaptive, sw, lids_[0],
                      [&](PortNum port) { add(sw, port, step.begin); });
    else
      for (const Lid lid : lids_) add(sw, routes_.lfts.port(sw, lid), step.begin);
    step.end = static_cast<std::uint32_t>(order.channels.size());
    visits_.push_back({step, step.begin});
  }

  /// Adds a LID to the channel of a port.
  void add(SwitchId sw, PortNum port, std::uint32_t begin) {
    const ChannelId channel = port == kNoRoute ? kNoChannel : fabric_.channel_at(sw, port);
    if (channel == kNoChannel) return;
    const auto found = std::find(order.channels.begin() + begin, order.channels.end(), channel);
    if (found != order.channels.end()) {
      ++order.lid_counts[static_cast<std::size_t>(found - order.channels.begin())];
      return;
    }
    order.channels.push_back(channel);
    order.lid_counts.push_back(1);
  }

  const Fabric& fabric_;
  const Routes& routes_;
  const std::span<const Lid> lids_;
  std::vector<State> states_;  // by SwitchId
  std::vector<Visit> visits_;
};

std::optional<ChoiceOrder> find_order(const Fabric& fabric, const Routes& routes, SwitchId leaf,
                                      std::span<const Lid> lids) {
  ChoiceSearch choices(fabric, routes, leaf, lids);
  const std::vector<bool> leaves = leaf_switches(fabric);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (leaves[s] && !choices.search(SwitchId(s))) return std::nullopt;
  return std::move(choices.order);
}

}  // namespace

std::optional<ChoiceOrder> choice_order(const Fabric& fabric, const Routes& routes, SwitchId leaf,
                                        std::span<const Lid> lids) {
  auto order = find_order(fabric, routes, leaf, lids);
  return order ? std::move(order) : find_order(fabric, routes, leaf, lids.first(1));
}

}  // namespace weft
