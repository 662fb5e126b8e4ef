// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/shapes/levels.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>

#include "fabric/aggregation.h"
#include "routing/shapes/ranks.h"

namespace weft::ftree {
namespace {

using Levels = std::vector<std::int32_t>;

/// Assigns levels breadth first from the switches in the queue; existing levels stay.
void spread_levels(const Fabric& fabric, std::vector<std::uint32_t> queue, Levels& level) {
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Channel& channel : fabric.channels_from(SwitchId(queue[head])))
      if (std::int32_t& to = level[channel.to.value()]; to == kNoLevel) {
        to = level[queue[head]] + 1;
        queue.push_back(channel.to.value());
      }
}

/// Assigns level 0 to the switches without a level for which `is_leaf` is true, and levels to all
/// switches connected to them.
void level_from_leaves(const Fabric& fabric, const std::function<bool(std::uint32_t)>& is_leaf,
                       Levels& level) {
  std::vector<std::uint32_t> leaves;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (level[s] == kNoLevel && is_leaf(s)) leaves.push_back(s);
  for (const std::uint32_t s : leaves) level[s] = 0;
  spread_levels(fabric, std::move(leaves), level);
}

/// Levels of all switches connected to the given roots, with the CNs on level 0. Fails with
/// kUnroutable if CNs are on several levels.
Result<Levels> level_from_roots(const Fabric& fabric, std::span<const SwitchId> roots,
                                const ComputeNodes& cns) {
  Levels level(fabric.switch_count(), kNoLevel);
  const auto rank = hops_from(fabric, roots);
  std::uint32_t first = fabric.switch_count();  // the first switch with CNs
  std::int32_t deepest = 0;
  for (std::uint32_t s = 0; s < rank.size(); ++s) {
    if (rank[s] == kNoRank) continue;
    deepest = std::max<std::int32_t>(deepest, rank[s]);
    if (cns.compute_at[s] == 0) continue;
    if (first == fabric.switch_count()) first = s;
    if (rank[s] != rank[first])
      return fail(Code::kUnroutable,
                  "compute nodes are on two ranks: {} is {} hops from the roots, {} is {}; a fat "
                  "tree has all compute nodes on one rank (-u specifies the compute nodes)",
                  describe(fabric.node(SwitchId(first))), rank[first],
                  describe(fabric.node(SwitchId(s))), rank[s]);
  }
  if (first != fabric.switch_count()) deepest = rank[first];
  for (std::uint32_t s = 0; s < rank.size(); ++s)
    if (rank[s] != kNoRank) level[s] = deepest - rank[s];
  return level;
}

/// The leaves below each switch, with a bit for each leaf. Size: switches * words.
class LeavesBelow {
 public:
  LeavesBelow(const Fabric& fabric, const Levels& level, std::span<const std::uint32_t> ascending)
      : count_(fabric.switch_count(), 0) {
    std::size_t leaves = 0;
    for (const std::int32_t l : level) leaves += l == 0;
    words_ = (leaves + 63) / 64;
    bits_.assign(words_ * fabric.switch_count(), 0);
    std::size_t next = 0;
    for (const std::uint32_t s : ascending) {
      std::uint64_t* own = &bits_[s * words_];
      if (level[s] == 0) {
        own[next / 64] |= std::uint64_t{1} << next % 64;
        ++next;
      }
      std::uint32_t before = fabric.switch_count();
      for (const Channel& channel : fabric.channels_from(SwitchId(s))) {
        const std::uint32_t to = channel.to.value();
        if (level[to] >= level[s] || to == before) continue;
        before = to;
        for (std::size_t w = 0; w < words_; ++w) own[w] |= bits_[to * words_ + w];
      }
      for (std::size_t w = 0; w < words_; ++w)
        count_[s] += static_cast<std::uint32_t>(std::popcount(own[w]));
    }
  }
  std::uint32_t count(std::uint32_t sw) const { return count_[sw]; }

 private:
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> count_;
};

/// Switches that are the highest switch of no path: a child has the same leaves below, and all
/// parents are such switches, too.
std::vector<bool> find_unneeded_tops(const Fabric& fabric, const Levels& level,
                                     std::span<const std::uint32_t> ascending) {
  const LeavesBelow leaves_below(fabric, level, ascending);
  std::vector<bool> unneeded(fabric.switch_count(), false);
  for (std::size_t i = ascending.size(); i-- > 0;) {
    const std::uint32_t s = ascending[i];
    if (level[s] < 1) continue;
    bool above = false;
    bool covered = false;
    for (const Channel& channel : fabric.channels_from(SwitchId(s))) {
      const std::uint32_t to = channel.to.value();
      if (level[to] > level[s]) above = above || !unneeded[to];
      if (level[to] < level[s])
        covered = covered || leaves_below.count(to) == leaves_below.count(s);
    }
    unneeded[s] = !above && covered;
  }
  return unneeded;
}

/// Moves each unneeded switch to one level below the highest of its neighbors.
void lower_unneeded(const Fabric& fabric, const std::vector<bool>& unneeded, Levels& level) {
  std::map<std::int32_t, std::vector<std::uint32_t>, std::greater<>> waiting;
  std::vector<bool> placed(fabric.switch_count(), false);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (level[s] != kNoLevel && !unneeded[s]) {
      placed[s] = true;
      waiting[level[s]].push_back(s);
    }
  while (!waiting.empty()) {
    const auto [height, batch] = *waiting.begin();
    waiting.erase(waiting.begin());
    for (const std::uint32_t s : batch)
      for (const Channel& channel : fabric.channels_from(SwitchId(s))) {
        const std::uint32_t to = channel.to.value();
        if (placed[to] || !unneeded[to]) continue;
        placed[to] = true;
        level[to] = height - 1;
        waiting[height - 1].push_back(to);
      }
  }
}

Status check_cables(const Fabric& fabric, const Levels& level, const std::vector<bool>& rooted) {
  for (const Channel& channel : fabric.channels()) {
    const std::uint32_t from = channel.from.value();
    const std::uint32_t to = channel.to.value();
    if (rooted[from] || level[from] == kNoLevel || level[from] != level[to]) continue;
    if (level[from] == 0)
      return fail(Code::kUnroutable,
                  "not a fat tree: {} and {} both have hosts, and a cable joins them; compute "
                  "nodes have to be on one rank (-u specifies compute nodes, -a root switches)",
                  describe(fabric.node(channel.from)), describe(fabric.node(channel.to)));
    return fail(Code::kUnroutable,
                "not a fat tree: a cable joins {} and {}, both {} hops from the nearest leaf; "
                "cables have to join neighboring ranks (-a specifies root switches)",
                describe(fabric.node(channel.from)), describe(fabric.node(channel.to)),
                level[from]);
  }
  return {};
}

Status check_ranks(const Fabric& fabric, const Levels& level) {
  const auto top = std::ranges::max_element(level);
  if (top == level.end() || *top == kNoLevel)
    return fail(Code::kUnroutable, "not a fat tree: no switch has a compute node");
  const std::int32_t ranks = std::max(*top, 0) + 1;
  if (ranks >= kRanksMin && ranks <= kRanksMax) return {};
  const SwitchId sw(static_cast<std::uint32_t>(top - level.begin()));
  return fail(Code::kUnroutable, "not a fat tree: {} rank{} up to {}, expected {} to {}", ranks,
              ranks == 1 ? "" : "s", describe(fabric.node(sw)), kRanksMin, kRanksMax);
}

}  // namespace

ComputeNodes find_compute_nodes(const Fabric& fabric, std::span<const EndportId> compute_nodes) {
  ComputeNodes cns;
  cns.compute.assign(fabric.endport_count(), 0);
  cns.compute_at.assign(fabric.switch_count(), 0);
  const auto count = [&](EndportId id) {
    const Endport& endport = fabric.endport(id);
    if (endport.sw == kNoSwitch || fabric.is_switch(endport.node)) return;
    cns.compute[id.value()] = 1;
    ++cns.compute_at[endport.sw.value()];
  };
  if (compute_nodes.empty()) {
    for (std::uint32_t e = 0; e < fabric.endport_count(); ++e)
      if (!is_aggregation_node(fabric.node(fabric.endport(EndportId(e)).node))) count(EndportId(e));
  } else {
    for (const EndportId id : compute_nodes) count(id);
  }
  return cns;
}

ComputeNodes without_few(const Fabric& fabric, ComputeNodes cns) {
  if (cns.compute_at.empty()) return cns;
  const std::uint32_t most = std::ranges::max(cns.compute_at);
  for (std::uint32_t s = 0; s < cns.compute_at.size(); ++s) {
    if (2 * cns.compute_at[s] >= most) continue;
    cns.compute_at[s] = 0;
    for (const EndportId id : fabric.endports_at(SwitchId(s))) cns.compute[id.value()] = 0;
  }
  return cns;
}

Result<std::vector<std::int32_t>> level_switches(const Fabric& fabric,
                                                 std::span<const SwitchId> roots,
                                                 const ComputeNodes& cns) {
  auto levels = level_from_roots(fabric, roots, cns);
  if (!levels) return levels;
  Levels& level = *levels;
  std::vector<bool> rooted(fabric.switch_count());
  for (std::uint32_t s = 0; s < rooted.size(); ++s) rooted[s] = level[s] != kNoLevel;
  level_from_leaves(
      fabric, [&](std::uint32_t s) { return cns.compute_at[s] > 0; }, level);
  level_from_leaves(
      fabric, [&](std::uint32_t s) { return !fabric.endports_at(SwitchId(s)).empty(); }, level);
  if (auto status = check_cables(fabric, level, rooted); !status) return forward(status);

  std::vector<std::uint32_t> ascending;
  for (std::uint32_t s = 0; s < rooted.size(); ++s)
    if (level[s] != kNoLevel && !rooted[s]) ascending.push_back(s);
  std::ranges::stable_sort(ascending, {}, [&](std::uint32_t s) { return level[s]; });
  if (!ascending.empty())
    lower_unneeded(fabric, find_unneeded_tops(fabric, level, ascending), level);
  if (auto status = check_ranks(fabric, level); !status) return forward(status);
  return levels;
}

std::vector<std::uint16_t> ranks_of(std::span<const std::int32_t> level) {
  const std::int32_t top = std::ranges::max(level);
  std::vector<std::uint16_t> ranks;
  for (const std::int32_t one : level) ranks.push_back(static_cast<std::uint16_t>(top - one));
  return ranks;
}

}  // namespace weft::ftree
