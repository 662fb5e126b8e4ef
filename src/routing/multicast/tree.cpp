// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/multicast/tree.h"

#include <algorithm>

#include "base/check.h"
#include "fabric/hops.h"

namespace weft::multicast {

TreeMaker::TreeMaker(const Fabric& fabric)
    : fabric_(fabric),
      inside_(fabric.switch_count(), false),
      demanded_(fabric.switch_count(), false),
      sums_(fabric.switch_count(), 0) {}

Tree TreeMaker::shortest(SwitchId root, std::span<const std::uint16_t> hops,
                         std::span<const Demand> demands, std::uint32_t path_number,
                         const Loads* loads) {
  Tree tree{root, {}};
  inside_[root.value()] = true;
  for (const Demand& demand : demands) demanded_[demand.sw.value()] = loads != nullptr;
  std::vector<ChannelId> path;  // path from a demand to the tree, as down channels
  for (const Demand& demand : demands) {
    path.clear();
    SwitchId at = demand.sw;
    CHECK(hops[at.value()] != kNoHops);
    while (!inside_[at.value()]) {
      path.push_back(next_branch(at, hops, path_number, loads));
      at = fabric_.channel(path.back()).from;
    }
    std::ranges::reverse(path);
    for (const ChannelId channel : path) attach(channel, tree);
  }
  inside_[root.value()] = false;
  for (const Demand& demand : demands) demanded_[demand.sw.value()] = false;
  for (const ChannelId channel : tree.down) inside_[fabric_.channel(channel).to.value()] = false;
  return tree;
}

/// The down channel to a switch from its next switch toward the root.
ChannelId TreeMaker::next_branch(SwitchId at, std::span<const std::uint16_t> hops,
                                 std::uint32_t path_number, const Loads* loads) {
  possible_.clear();
  bool met = false;
  for (const Channel& channel : fabric_.channels_from(at)) {
    if (hops[channel.to.value()] + 1 != hops[at.value()]) continue;
    const bool joins = inside_[channel.to.value()] || demanded_[channel.to.value()];
    if (joins && !met) possible_.clear();
    met = met || joins;
    if (joins == met) possible_.push_back(channel.reverse);
  }
  std::rotate(possible_.begin(), possible_.begin() + path_number % possible_.size(),
              possible_.end());
  if (loads == nullptr) return possible_.front();
  return *std::ranges::min_element(possible_, {},
                                   [&](ChannelId id) { return loads->with_one_more(id); });
}

void TreeMaker::attach(ChannelId channel, Tree& tree) {
  tree.down.push_back(channel);
  inside_[fabric_.channel(channel).to.value()] = true;
}

/// Tries the turns between a new down channel and the tree's channels at its switch; `beside` has
/// the tree's channels that leave the switch. Returns false, without added turns, if one of the
/// turns would close a cycle.
bool TreeMaker::try_turns(std::uint32_t down, std::span<const std::uint32_t> beside,
                          HeldTurns& held, TurnList& added) {
  const std::size_t before = added.size();
  const auto add = [&](std::uint32_t in, std::uint32_t out) {
    if (!held.add(in, out)) return false;
    added.emplace_back(in, out);
    return true;
  };
  for (const std::uint32_t other : beside) {
    if (add(reverse(other), down) && add(reverse(down), other)) continue;
    for (; added.size() > before; added.pop_back())
      held.remove(added.back().first, added.back().second);
    return false;
  }
  return true;
}

/// The channels from the switches of the queue, from position `first`, to switches outside the
/// tree; with loads, the least loaded first.
std::vector<TreeMaker::Branch> TreeMaker::branches_from(std::span<const SwitchId> queue,
                                                        std::size_t first,
                                                        const Loads* loads) const {
  std::vector<Branch> branches;
  for (std::size_t i = first; i < queue.size(); ++i) {
    std::uint32_t id = fabric_.first_channel(queue[i]).value();
    for (const Channel& channel : fabric_.channels_from(queue[i])) {
      if (!inside_[channel.to.value()]) branches.push_back({i, ChannelId(id)});
      ++id;
    }
  }
  if (loads != nullptr)
    std::ranges::stable_sort(
        branches, {}, [&](const Branch& branch) { return loads->with_one_more(branch.down); });
  return branches;
}

Tree TreeMaker::breadth_first_tree(SwitchId root, std::span<const Demand> demands, HeldTurns& held,
                                   const Loads* loads) {
  Tree tree{root, {}};
  TurnList added;
  std::size_t missing = 0;
  for (const Demand& demand : demands) missing += demand.sw != root ? 1 : 0;
  for (const Demand& demand : demands) sums_[demand.sw.value()] = 1;
  std::vector<std::vector<std::uint32_t>> beside(1);  // by queue position: tree channels
  std::vector<SwitchId> queue{root};
  inside_[root.value()] = true;
  for (std::size_t first = 0; first < queue.size() && missing > 0;) {
    const auto branches = branches_from(queue, first, loads);
    first = queue.size();
    for (const auto& [parent, id] : branches) {
      const std::uint32_t down = id.value();
      const SwitchId to = fabric_.channel(id).to;
      if (inside_[to.value()] || !try_turns(down, beside[parent], held, added)) continue;
      beside[parent].push_back(down);
      beside.push_back({reverse(down)});
      queue.push_back(to);
      attach(id, tree);
      missing -= sums_[to.value()];
    }
  }
  for (const SwitchId sw : queue) inside_[sw.value()] = false;
  for (const Demand& demand : demands) sums_[demand.sw.value()] = 0;
  remove_turns(added, held);
  return missing == 0 ? part_of(tree, demands) : Tree{};
}

Tree TreeMaker::part_of(const Tree& tree, std::span<const Demand> demands) {
  for (const Demand& demand : demands) inside_[demand.sw.value()] = true;
  Tree part{tree.root, {}};
  for (auto channel = tree.down.rbegin(); channel != tree.down.rend(); ++channel) {
    const Channel& down = fabric_.channel(*channel);
    if (!inside_[down.to.value()]) continue;
    inside_[down.from.value()] = true;
    part.down.push_back(*channel);
  }
  std::ranges::reverse(part.down);
  inside_[tree.root.value()] = false;
  for (const Demand& demand : demands) inside_[demand.sw.value()] = false;
  for (const ChannelId channel : part.down) inside_[fabric_.channel(channel).to.value()] = false;
  return part;
}

std::vector<std::pair<bool, bool>> TreeMaker::flows(const Tree& tree,
                                                    std::span<const Demand> demands) {
  std::vector<std::pair<bool, bool>> result(tree.down.size());
  // Counts senders or receivers behind each channel.
  const auto count = [&](auto of, const auto& store) {
    std::uint32_t all = 0;
    for (const Demand& demand : demands) {
      sums_[demand.sw.value()] += demand.*of;
      all += demand.*of;
    }
    for (std::size_t i = tree.down.size(); i-- > 0;) {
      const Channel& down = fabric_.channel(tree.down[i]);
      const std::uint32_t below = sums_[down.to.value()];
      store(i, below > 0, below < all);
      sums_[down.from.value()] += below;
      sums_[down.to.value()] = 0;
    }
    sums_[tree.root.value()] = 0;
  };
  count(&Demand::receivers, [&](std::size_t i, bool below, bool above) {
    result[i] = {below, above};
  });
  count(&Demand::senders, [&](std::size_t i, bool below, bool above) {
    result[i] = {result[i].first && above, result[i].second && below};
  });
  return result;
}

TreeMaker::TurnList TreeMaker::turns(const Tree& tree, std::span<const Demand> demands) {
  const auto carried = flows(tree, demands);
  // A channel on which packets enter or leave a switch.
  struct Side {
    std::uint32_t sw;
    std::uint32_t channel;
    bool operator<(const Side& other) const {
      return std::pair(sw, channel) < std::pair(other.sw, other.channel);
    }
  };
  std::vector<Side> in, out;
  const auto take = [&](ChannelId id) {
    const Channel& channel = fabric_.channel(id);
    out.push_back({channel.from.value(), id.value()});
    in.push_back({channel.to.value(), id.value()});
  };
  for (std::size_t i = 0; i < tree.down.size(); ++i) {
    if (carried[i].first) take(tree.down[i]);
    if (carried[i].second) take(fabric_.channel(tree.down[i]).reverse);
  }
  std::ranges::sort(in, std::less<>{});
  std::ranges::sort(out, std::less<>{});
  TurnList list;
  auto first = out.begin();
  for (const Side& from : in) {
    while (first != out.end() && first->sw < from.sw) ++first;
    for (auto to = first; to != out.end() && to->sw == from.sw; ++to)
      if (fabric_.channel(ChannelId(from.channel)).reverse != ChannelId(to->channel))
        list.emplace_back(from.channel, to->channel);
  }
  return list;
}

bool add_turns(const TreeMaker::TurnList& list, HeldTurns& held) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (held.add(list[i].first, list[i].second)) continue;
    while (i-- > 0) held.remove(list[i].first, list[i].second);
    return false;
  }
  return true;
}

void remove_turns(const TreeMaker::TurnList& list, HeldTurns& held) {
  for (const auto& [in, out] : list) held.remove(in, out);
}

}  // namespace weft::multicast
