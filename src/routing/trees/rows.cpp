// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/trees/rows.h"

#include <algorithm>
#include <array>
#include <map>

#include "routing/trees/distribute.h"

namespace weft::ftree {
namespace {

constexpr std::uint16_t kIrregular = 0xFFFF;
constexpr std::uint8_t kNone = 255;     // the digit of unassigned LIDs; other digits are less
constexpr std::size_t kDigitsMax = 32;  // limit of kinds of switches with precomputed digits

using Bytes = std::span<const std::uint8_t>;

/// Number of cables of each turn if no slot is empty and all groups have cables in proportion to
/// their shares; else 0, and also if the switch has more than 255 uplinks.
std::uint32_t even_cables(const Tree& tree, std::uint32_t sw) {
  const auto up = tree.up(sw);
  if (up.empty() || up.size() != tree.width(sw)) return 0;
  std::uint32_t cables = 0;
  for (std::uint32_t slot = 0; slot < tree.width(sw); ++slot) {
    const Group& group = up[tree.group_at(sw, slot)];
    const std::uint32_t share = tree.share(sw, slot);
    if (group.cables % share != 0 || (cables != 0 && group.cables / share != cables)) return 0;
    cables = group.cables / share;
  }
  return tree.turns(sw) * cables <= 255 ? cables : 0;
}

/// By column of a block: the number of a switch's neighbors that are one hop nearer to the
/// destination, and the last such neighbor. Undefined if the switch has kUnreachable.
struct Nearer {
  explicit Nearer(std::size_t columns) : counts(columns, 0), last(columns, 0) {}

  void add(Bytes own_hops, Bytes neighbor_hops, std::uint8_t group) {
    const std::uint8_t* __restrict here = own_hops.data();
    const std::uint8_t* __restrict there = neighbor_hops.data();
    std::uint8_t* __restrict count = counts.data();
    std::uint8_t* __restrict latest = last.data();
    const std::size_t size = own_hops.size();
    for (std::size_t i = 0; i < size; ++i) {
      const auto beyond = static_cast<std::uint8_t>(there[i] + (there[i] != Hops::kUnreachable));
      const auto nearer = static_cast<std::uint8_t>(beyond == here[i] ? 0xFF : 0);
      count[i] = static_cast<std::uint8_t>(count[i] - nearer);
      latest[i] = static_cast<std::uint8_t>((group & nearer) | (latest[i] & ~nearer));
    }
  }

  std::vector<std::uint8_t> counts;
  std::vector<std::uint8_t> last;
};

/// The indices of all groups.
Bytes every_group(std::size_t groups) {
  static constexpr auto kAll = [] {
    std::array<std::uint8_t, 256> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i);
    return all;
  }();
  return Bytes(kAll).first(groups);
}

std::uint8_t cable(const Tree& tree, const Group& group, std::uint32_t turn) {
  return group.cables == 1 ? tree.ports(group)[0] : tree.ports(group)[turn % group.cables];
}

}  // namespace

Rows::Rows(const Tree& tree, const Destinations& destinations,
           const EquivalentSwitches& equivalents)
    : tree_(tree),
      destinations_(destinations),
      equivalents_(equivalents),
      place_(tree.size(), 0),
      digits_of_(tree.size(), kIrregular) {
  for (const auto& switches : tree.levels())
    for (std::uint32_t i = 0; i < switches.size(); ++i) place_[switches[i]] = i;
  collect_digits();
  collect_runs();
  find_up_paths();
}

bool Rows::by_digits(std::uint32_t sw) const { return digits_of_[sw] != kIrregular; }

void Rows::collect_digits() {
  const auto& lids = destinations_.lid;
  const std::size_t size = lids.empty() ? 0 : std::size_t{std::ranges::max(lids)} + 1;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint16_t> kinds;
  for (std::uint32_t s = 0; s < tree_.size(); ++s) {
    const std::uint32_t cables = even_cables(tree_, s);
    if (cables == 0) continue;
    const std::pair kind(tree_.divider(s), tree_.turns(s) * cables);
    auto found = kinds.find(kind);
    if (found == kinds.end()) {
      if (digits_.size() == kDigitsMax) continue;
      found = kinds.emplace(kind, static_cast<std::uint16_t>(digits_.size())).first;
      Digits digits{kind.first, kind.second, std::vector<std::uint8_t>(size, kNone)};
      for (std::size_t e = 0; e < lids.size(); ++e)
        digits.of_lid[lids[e]] =
            static_cast<std::uint8_t>(destinations_.index[e] / kind.first % kind.second);
      digits_.push_back(std::move(digits));
    }
    digits_of_[s] = found->second;
  }
}

void Rows::collect_runs() {
  const auto& lid = destinations_.lid;
  for (std::uint32_t c = 0; c < destinations_.columns(); ++c) {
    run_begin_.push_back(static_cast<std::uint32_t>(runs_.size()));
    for (std::uint32_t e = destinations_.begin[c]; e < destinations_.begin[c + 1]; ++e) {
      if (e == destinations_.begin[c] || lid[e] != lid[e - 1] + 1) runs_.push_back({lid[e], 0});
      ++runs_.back().count;
    }
  }
  run_begin_.push_back(static_cast<std::uint32_t>(runs_.size()));
}

/// Sets up_paths_: for each entry, the parent that the destination switch uses for the LID's index,
/// then the parent that this switch uses, and so on.
void Rows::find_up_paths() {
  const auto& begin = destinations_.begin;
  std::vector<std::uint8_t> chosen;
  std::vector<std::uint32_t> at(destinations_.index.size());
  for (std::uint32_t c = 0; c < destinations_.columns(); ++c)
    for (std::uint32_t e = begin[c]; e < begin[c + 1]; ++e) at[e] = destinations_.switches[c];
  for (bool higher = true; higher;) {
    higher = false;
    std::vector<std::uint32_t> next = at;
    for (std::uint32_t c = 0; c < destinations_.columns(); ++c)
      for (std::uint32_t e = begin[c]; e < begin[c + 1]; ++e) {
        const auto up = tree_.up(at[e]);
        if (up.empty()) continue;
        const std::uint32_t index = destinations_.index[e];
        std::uint8_t g = tree_.group_at(at[e], tree_.uplink(at[e], index).slot);
        if (g == kNoGroup) {
          choose_up(tree_, at[e], every_group(up.size()), indices(c), weights(c), 0, chosen);
          g = chosen[e - begin[c]];
        }
        next[e] = up[g].to;
        higher = true;
      }
    at = std::move(next);
    if (higher) up_paths_.push_back(at);
  }
}

/// In a family with common parents, each switch distributes the LIDs of missing parents with
/// another rotation, so that no single down channel carries the traffic of all these LIDs.
bool Rows::fill_up(std::uint32_t sw, std::uint32_t column, Bytes good,
                   std::span<std::uint8_t> row) const {
  const auto groups = tree_.up(sw);
  const std::uint32_t begin = destinations_.begin[column];
  std::vector<std::uint8_t> chosen;
  const std::uint32_t rotation = tree_.shares_parents(sw) ? place_[sw] : 0;
  const bool distributed =
      choose_up(tree_, sw, good, indices(column), weights(column), rotation, chosen);
  const auto uplinks = tree_.uplinks(sw);
  const std::uint32_t* const index = destinations_.index.data() + begin;
  const std::uint16_t* const lid = destinations_.lid.data() + begin;
  for (std::uint32_t i = 0; i < chosen.size(); ++i)
    row[lid[i]] = cable(tree_, groups[chosen[i]], uplinks.of(index[i]).cable);
  return distributed;
}

void Rows::fill_down(std::uint32_t sw, std::uint32_t column, Bytes candidates,
                     std::span<std::uint8_t> row) const {
  const auto groups = tree_.down(sw);
  const std::uint32_t begin = destinations_.begin[column];
  const std::uint32_t end = destinations_.begin[column + 1];
  std::vector<std::uint8_t> chosen(end - begin, candidates[0]);
  if (candidates.size() > 1) {
    std::vector<std::uint32_t> starts(end - begin);
    const std::uint32_t child = groups[candidates[0]].to;
    for (std::uint32_t e = begin; e < end; ++e) {
      const std::uint32_t digits = destinations_.index[e] / tree_.divider_below(child);
      starts[e - begin] = digits + digits / tree_.turns_below(child);
      chosen[e - begin] = kNoGroup;
      for (const std::uint8_t candidate : candidates)
        for (const auto& parents : up_paths_)
          if (parents[e] == groups[candidate].to) chosen[e - begin] = candidate;
    }
    distribute(groups, candidates, starts, weights(column), chosen);
  }
  for (std::uint32_t e = begin; e < end; ++e) {
    const Group& group = groups[chosen[e - begin]];
    // Only the cable number of the child's uplink is used, and not its slot, because equivalent
    // switches, which have other slots, copy this row.
    row[destinations_.lid[e]] =
        cable(tree_, group, tree_.uplink(group.to, destinations_.index[e]).cable);
  }
}

/// If the switch selects uplinks by digits, fills all entries as for up paths, else with kNoRoute.
void Rows::begin_row(std::uint32_t sw, std::span<std::uint8_t> row) const {
  if (!by_digits(sw)) {
    std::ranges::fill(row, kNoRoute.value());
    return;
  }
  const Digits& digits = digits_[digits_of_[sw]];
  std::array<std::uint8_t, 256> port_of_digit;
  port_of_digit.fill(kNoRoute.value());
  for (std::uint32_t digit = 0; digit < digits.modulus; ++digit) {
    const Turn turn = tree_.turn(sw, digit % tree_.turns(sw));
    port_of_digit[digit] = tree_.ports(tree_.up(sw)[tree_.group_at(
        sw, turn.slot)])[turn.cable + tree_.share(sw, turn.slot) * (digit / tree_.turns(sw))];
  }
  const std::size_t size = digits.of_lid.size();
  const std::uint8_t* __restrict const digit = digits.of_lid.data();
  const std::uint8_t* __restrict const port = port_of_digit.data();
  std::uint8_t* __restrict const out = row.data();
  for (std::size_t lid = 0; lid < size; ++lid) out[lid] = port[digit[lid]];
  std::ranges::fill(row.subspan(size), kNoRoute.value());
}

void Rows::fill_column(std::uint32_t column, std::uint8_t port, std::span<std::uint8_t> row) const {
  for (std::uint32_t r = run_begin_[column]; r < run_begin_[column + 1]; ++r)
    std::fill_n(row.begin() + runs_[r].lid, runs_[r].count, port);
}

void Rows::fill_set(std::uint32_t set, std::uint8_t port, std::span<std::uint8_t> row) const {
  for (const std::uint32_t member : equivalents_.members(set))
    fill_column(column_of(member), port, row);
}

void Rows::fill_exits(std::uint32_t column, std::span<std::uint8_t> row) const {
  for (std::uint32_t e = destinations_.begin[column]; e < destinations_.begin[column + 1]; ++e)
    row[destinations_.lid[e]] = destinations_.exit[e];
}

/// Fills the entries for another switch of the same set: over a parent, or for Paths::kShortest
/// over a child if there is no parent, else with kNoRoute.
void Rows::fill_equivalent(std::uint32_t sw, std::uint32_t other, Paths paths,
                           std::span<std::uint8_t> row) const {
  const std::uint32_t column = column_of(other);
  if (!tree_.up(sw).empty()) {
    fill_up(sw, column, every_group(tree_.up(sw).size()), row);
  } else if (paths == Paths::kShortest && !tree_.down(sw).empty()) {
    const auto down = tree_.down(sw);
    fill_column(column, tree_.ports(down[other % down.size()])[0], row);
  } else {
    fill_column(column, kNoRoute.value(), row);
  }
}

/// Fills the entries for adjacent switches, over the cables to these switches.
void Rows::fill_neighbors(std::uint32_t sw, std::uint32_t set, std::span<std::uint8_t> row) const {
  for (const bool upward : {true, false}) {
    const auto groups = upward ? tree_.up(sw) : tree_.down(sw);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (equivalents_.set_of(groups[g].to) != set) continue;
      const std::uint32_t column = column_of(groups[g].to);
      const std::uint8_t only[] = {static_cast<std::uint8_t>(g)};
      if (groups[g].cables == 1)
        fill_column(column, tree_.ports(groups[g])[0], row);
      else if (upward)
        fill_up(sw, column, only, row);
      else
        fill_down(sw, column, only, row);
    }
  }
}

/// Fills entries for paths that go up after going down. Such paths are shortest only to switches,
/// and in a degraded tree to a few hosts.
void Rows::fill_up_after_down(std::uint32_t sw, std::uint32_t set, std::uint32_t first,
                              const Hops& hops, std::span<std::uint8_t> row) const {
  const auto shortest = [&](std::uint32_t from) {
    return hops.shortest(equivalents_.set_of(from))[set - first];
  };
  for (const auto groups : {tree_.up(sw), tree_.down(sw)})
    for (std::size_t step = 0; step < groups.size(); ++step) {
      const Group& group = groups[(set + step) % groups.size()];
      if (shortest(group.to) + 1 != shortest(sw)) continue;
      fill_set(set, tree_.ports(group)[0], row);
      return;
    }
}

void Rows::fill(std::uint32_t set, std::uint32_t first, std::uint32_t count, const Hops& hops,
                std::span<std::uint8_t> row, DistributedLids& distributed) const {
  const std::uint32_t sw = equivalents_.first(set);
  if (first == 0) begin_row(sw, row);
  const auto up = tree_.up(sw);
  const auto down = tree_.down(sw);
  const Bytes all = hops.all(set);
  const Bytes only_down = hops.down(set);
  Nearer ups(count), downs(count);
  for (std::size_t g = 0; g < up.size(); ++g)
    ups.add(all, hops.all(equivalents_.set_of(up[g].to)), static_cast<std::uint8_t>(g));
  for (std::size_t g = 0; g < down.size(); ++g)
    downs.add(only_down, hops.down(equivalents_.set_of(down[g].to)), static_cast<std::uint8_t>(g));

  std::array<std::uint8_t, 256> found;
  const auto candidates = [&](std::uint32_t i, bool upward) {
    std::size_t size = 0;
    const auto groups = upward ? up : down;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const std::uint32_t to = equivalents_.set_of(groups[g].to);
      const std::uint8_t there = (upward ? hops.all(to) : hops.down(to))[i];
      if (there != Hops::kUnreachable && there + 1 == all[i])
        found[size++] = static_cast<std::uint8_t>(g);
    }
    return Bytes(found.data(), size);
  };
  const auto choose = [&](std::uint32_t i, bool upward) {
    const Nearer& nearer = upward ? ups : downs;
    const Group& last = (upward ? up : down)[nearer.last[i]];
    if (nearer.counts[i] == 1 && last.cables == 1)
      return fill_set(first + i, tree_.ports(last)[0], row);
    const Bytes good = candidates(i, upward);
    for (const std::uint32_t member : equivalents_.members(first + i)) {
      if (!upward)
        fill_down(sw, column_of(member), good, row);
      else if (fill_up(sw, column_of(member), good, row) && equivalents_.members(set).size() > 1)
        distributed.add(column_of(member), good);
    }
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    if (first + i == set) {
      for (const std::uint32_t member : equivalents_.members(set))
        if (member != sw) fill_equivalent(sw, member, hops.paths(), row);
      fill_exits(column_of(sw), row);
    } else if (hops.paths() == Paths::kShortest && hops.shortest(set)[i] < all[i]) {
      fill_up_after_down(sw, first + i, first, hops, row);
    } else if (all[i] == Hops::kUnreachable) {
      if (by_digits(sw)) fill_set(first + i, kNoRoute.value(), row);
    } else if (all[i] == 1) {
      fill_neighbors(sw, first + i, row);
    } else if (only_down[i] != Hops::kUnreachable) {
      choose(i, false);
    } else if (!by_digits(sw) || ups.counts[i] != up.size()) {
      choose(i, true);
    }
  }
}

void Rows::copy(std::uint32_t sw, Paths paths, Bytes row_of_first,
                const DistributedLids& distributed, std::span<std::uint8_t> row) const {
  std::ranges::copy(row_of_first, row.begin());
  for (const auto& one : distributed.columns)
    fill_up(sw, one.column, distributed.good_of(one), row);
  fill_equivalent(sw, equivalents_.first(equivalents_.set_of(sw)), paths, row);
  fill_exits(column_of(sw), row);
}

}  // namespace weft::ftree
