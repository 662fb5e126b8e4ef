// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/trees/tree.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <numeric>
#include <utility>

#include "base/disjoint_sets.h"
#include "fabric/link_rates.h"
#include "routing/shapes/levels.h"

namespace weft::ftree {
namespace {

// Greater than any index, so the digit of this divider is 0, as that of any greater divider.
constexpr std::uint64_t kDividerMax = std::uint64_t{1} << 31;

constexpr std::uint32_t kTurnsMax = 255;  // limit for a family with parents of different shares

// Shares by rate: the smallest numbers with a relative error of at most kShareError, up to
// kSharesMost.
constexpr double kShareError = 0.04;
constexpr std::uint32_t kSharesMost = 16;

/// Small numbers in about the proportion of the weights.
std::vector<std::uint32_t> in_proportion(std::span<const std::uint32_t> weights) {
  const double most = std::ranges::max(weights);
  std::vector<std::uint32_t> shares(weights.size(), 1);
  for (std::uint32_t largest = 1; largest <= kSharesMost; ++largest) {
    double error = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double exact = weights[i] / most * largest;
      shares[i] = std::max(1u, static_cast<std::uint32_t>(exact + 0.5));
      error = std::max(error, std::abs(shares[i] / exact - 1));
    }
    if (error <= kShareError) break;
  }
  return shares;
}

}  // namespace

Tree::Tree(const Fabric& fabric, std::vector<std::int32_t> level) : level_(std::move(level)) {
  std::map<std::int32_t, std::vector<std::uint32_t>> switches_at;  // by level
  for (std::uint32_t s = 0; s < size(); ++s)
    if (level_[s] != kNoLevel) switches_at[level_[s]].push_back(s);
  for (auto& [height, switches] : switches_at) levels_.push_back(std::move(switches));
  collect_groups(fabric);
  assign_slots();
  assign_dividers();
}

void Tree::collect_groups(const Fabric& fabric) {
  struct Cable {
    std::uint32_t to;
    std::uint8_t port;
    std::uint32_t rate;
    auto operator<=>(const Cable&) const = default;
  };
  std::vector<Cable> cables;
  const std::vector<std::uint32_t> rates = channel_rates(fabric);
  const auto collect = [&](std::uint32_t s, bool upward, Groups& groups) {
    cables.clear();
    std::uint32_t id = fabric.first_channel(SwitchId(s)).value();
    for (const Channel& channel : fabric.channels_from(SwitchId(s))) {
      const std::uint32_t to = channel.to.value();
      const std::uint32_t rate = rates[id++];
      if (level_[s] == kNoLevel || level_[to] == kNoLevel || level_[to] == level_[s]) continue;
      if ((level_[to] > level_[s]) == upward)
        cables.push_back({to, channel.from_port.value(), rate});
    }
    if (!std::ranges::is_sorted(cables)) std::ranges::sort(cables);
    groups.begin.push_back(static_cast<std::uint32_t>(groups.groups.size()));
    for (std::size_t i = 0; i < cables.size(); ++i) {
      if (i == 0 || cables[i].to != cables[i - 1].to)
        groups.groups.push_back(
            {cables[i].to, static_cast<std::uint32_t>(ports_.size()), std::uint8_t{0}, 0});
      ++groups.groups.back().cables;
      groups.groups.back().rate += cables[i].rate;
      ports_.push_back(cables[i].port);
    }
  };
  ports_.reserve(fabric.channel_count());
  for (std::uint32_t s = 0; s < size(); ++s) collect(s, true, up_);
  up_.begin.push_back(static_cast<std::uint32_t>(up_.groups.size()));
  for (std::uint32_t s = 0; s < size(); ++s) collect(s, false, down_);
  down_.begin.push_back(static_cast<std::uint32_t>(down_.groups.size()));
}

/// A family is children and parents that are connected by cables, such as a pod with its spines.
/// The parents of a family are ordered by the part of the tree above them, which contains parents
/// of other pods too, then by id.
void Tree::assign_slots() {
  const std::size_t members = std::size_t{2} * size();  // each switch as a child and as a parent
  DisjointSets families(members);
  for (std::uint32_t s = 0; s < size(); ++s)
    for (const Group& group : up(s)) families.join(s, size() + group.to);
  std::vector<std::uint32_t> part(size(), 0);  // by switch: part of the tree at its level and above
  DisjointSets above(size());
  for (std::size_t i = levels_.size(); i-- > 0;) {
    for (const std::uint32_t s : levels_[i])
      for (const Group& group : up(s)) above.join(s, group.to);
    for (const std::uint32_t s : levels_[i]) part[s] = above.find(s);
  }

  std::vector<std::uint32_t> widest(members, 0);  // most parents of a child, by family
  for (std::uint32_t s = 0; s < size(); ++s) {
    std::uint32_t& most = widest[families.find(s)];
    most = std::max(most, static_cast<std::uint32_t>(up(s).size()));
  }
  std::vector<std::uint32_t> parents;
  for (std::uint32_t s = 0; s < size(); ++s)
    if (!down(s).empty()) parents.push_back(s);
  const auto place = [&](std::uint32_t s) {
    return std::tuple(families.find(size() + s), part[s], s);
  };
  std::ranges::sort(parents, {}, place);
  slot_.assign(size(), 0);
  std::vector<bool> regular(members, false);
  for (std::size_t begin = 0, end = 0; begin < parents.size(); begin = end) {
    const std::uint32_t family = families.find(size() + parents[begin]);
    while (end < parents.size() && families.find(size() + parents[end]) == family) ++end;
    regular[family] = end - begin == widest[family];
    for (std::size_t i = begin; i < end; ++i)
      slot_[parents[i]] = static_cast<std::uint32_t>(i - begin);
  }

  width_.assign(size(), 0);
  shares_parents_.assign(size(), true);
  family_of_.resize(size());
  for (std::uint32_t s = 0; s < size(); ++s) {
    const std::uint32_t family = family_of_[s] = families.find(s);
    width_[s] = up(s).empty() ? 0 : widest[family];
    shares_parents_[s] = up(s).empty() || regular[family];
    const auto groups = std::span(up_.groups).subspan(up_.begin[s], up(s).size());
    std::ranges::sort(groups, {}, [&](const Group& group) { return slot_[group.to]; });
    slot_begin_.push_back(static_cast<std::uint32_t>(group_at_.size()));
    group_at_.resize(group_at_.size() + width_[s], kNoGroup);
    // If children of a family have different parents, slots number the child's own parents.
    for (std::size_t g = 0; g < groups.size(); ++g)
      group_at_[slot_begin_[s] + (regular[family] ? slot_[groups[g].to] : g)] =
          static_cast<std::uint8_t>(g);
  }
  assign_turns(regular);
}

/// The share of a slot is the number of cables that most children of the family have to its parent,
/// divided by the common divisor of all slots. If the rates of cables differ, shares are in
/// proportion to the rates. So missing or slow cables of some children do not change the turns. The
/// turns cycle through the slots and omit slots with no share left.
void Tree::assign_turns(const std::vector<bool>& regular) {
  families_.resize(std::size_t{2} * size());
  using Kind = std::pair<std::uint8_t, std::uint32_t>;  // cables and their rate
  std::map<std::uint32_t, std::vector<std::map<Kind, std::uint32_t>>> counts;
  for (std::uint32_t s = 0; s < size(); ++s) {
    if (up(s).empty()) continue;
    auto& of_slots = counts[family_of_[s]];
    of_slots.resize(width_[s]);
    if (!regular[family_of_[s]]) continue;
    for (const Group& group : up(s)) ++of_slots[slot_[group.to]][Kind(group.cables, group.rate)];
  }
  shares_.push_back(0);
  for (const auto& [number, of_slots] : counts) {
    std::vector<std::uint32_t> share, rate;
    bool one_rate = true;  // all cables have one rate
    for (const auto& seen : of_slots) {
      const auto best = std::ranges::max_element(seen, {}, [](const auto& count) {
        return std::pair(count.second, -int{count.first.first});
      });
      share.push_back(best == seen.end() ? 1u : best->first.first);
      rate.push_back(best == seen.end() ? 1u : best->first.second);
      one_rate = one_rate && std::uint64_t{rate.back()} * share.front() ==
                                 std::uint64_t{rate.front()} * share.back();
    }
    if (!one_rate) share = in_proportion(rate);
    std::uint32_t common = 0, sum = 0, most = 0;
    for (const std::uint32_t one : share) common = std::gcd(common, one);
    for (std::uint32_t& one : share) sum += one /= std::max(common, 1u);
    if (sum > kTurnsMax) share.assign(share.size(), 1);
    for (const std::uint32_t one : share) most = std::max(most, one);
    Family& family = families_[number];
    family.first_turn = static_cast<std::uint32_t>(turns_.size());
    family.first_share = static_cast<std::uint32_t>(shares_.size());
    for (std::uint32_t round = 0; round < most; ++round)
      for (std::uint32_t slot = 0; slot < share.size(); ++slot)
        if (round < share[slot])
          turns_.push_back({static_cast<std::uint8_t>(slot), static_cast<std::uint8_t>(round)});
    for (const std::uint32_t one : share) shares_.push_back(static_cast<std::uint8_t>(one));
    family.turns = static_cast<std::uint32_t>(turns_.size()) - family.first_turn;
  }
}

void Tree::assign_dividers() {
  divider_.assign(size(), 1);
  divider_below_.assign(size(), 1);
  turns_below_.assign(size(), 1);
  for (const auto& switches : levels_) {
    if (switches.empty() || level_[switches.front()] <= 0) continue;
    for (const std::uint32_t s : switches)
      for (const Group& group : down(s)) {
        const std::uint64_t product = std::uint64_t{divider_[group.to]} * turns(group.to);
        if (product <= divider_[s] && turns_below_[s] > 1) continue;
        divider_[s] = static_cast<std::uint32_t>(std::min(product, kDividerMax));
        divider_below_[s] = divider_[group.to];
        turns_below_[s] = turns(group.to);
      }
  }
}

}  // namespace weft::ftree
