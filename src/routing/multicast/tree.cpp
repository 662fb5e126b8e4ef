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
      sums_(fabric.switch_count(), 0),
      used_(fabric.channel_count(), 0) {}

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
  for (const auto& [in, out] : added) held.remove(in, out);
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

/// Adds the turns at one switch between channels in used_, and appends them to added_. Returns
/// false at the first turn that would close a cycle.
bool TreeMaker::add_turns_at(SwitchId sw, HeldTurns& held) {
  const std::uint32_t first = fabric_.first_channel(sw).value();
  const auto channels = fabric_.channels_from(sw);
  for (const Channel& entry : channels) {
    const std::uint32_t in = entry.reverse.value();
    if (used_[in] == 0) continue;
    for (std::uint32_t i = 0; i < channels.size(); ++i) {
      const std::uint32_t out = first + i;
      if (used_[out] == 0 || &channels[i] == &entry) continue;
      if (!held.add(in, out)) return false;
      added_.emplace_back(in, out);
    }
  }
  return true;
}

bool TreeMaker::add_turns(const Tree& tree, std::span<const Demand> demands, HeldTurns& held) {
  const auto carried = flows(tree, demands);
  for (std::size_t i = 0; i < tree.down.size(); ++i) {
    used_[tree.down[i].value()] = carried[i].first ? 1 : 0;
    used_[reverse(tree.down[i].value())] = carried[i].second ? 1 : 0;
  }
  added_.clear();
  bool fits = add_turns_at(tree.root, held);
  for (std::size_t i = 0; i < tree.down.size() && fits; ++i)
    fits = add_turns_at(fabric_.channel(tree.down[i]).to, held);
  if (!fits)
    for (const auto& [in, out] : added_) held.remove(in, out);
  for (const ChannelId down : tree.down) used_[down.value()] = used_[reverse(down.value())] = 0;
  return fits;
}

}  // namespace weft::multicast
