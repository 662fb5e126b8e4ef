#include "routing/ftree/rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "routing/ftree/deal.h"

namespace weft::ftree {
namespace {

constexpr std::uint16_t kIrregular = 0xFFFF;
constexpr std::size_t kDigitsMax = 32;  // kinds of switches that get digits of their own

using Bytes = std::span<const std::uint8_t>;

/// Cables of each up group, where every slot is taken and all groups have equally many; else 0.
std::uint32_t even_cables(const Tree& tree, std::uint32_t sw) {
  const auto up = tree.up(sw);
  if (up.empty() || up.size() != tree.width(sw)) return 0;
  const std::uint32_t cables = up.front().cables;
  for (const Group& group : up)
    if (group.cables != cables) return 0;
  return up.size() * cables <= 255 ? cables : 0;
}

/// Which of the columns a neighbour is one hop nearer for: counts[i] grows by one, and last[i] says
/// who. Where `mine` is kFar, neither means anything.
void count_nearer(Bytes mine, Bytes theirs, std::uint8_t who, std::uint8_t* __restrict counts,
                  std::uint8_t* __restrict last) {
  const std::uint8_t* __restrict here = mine.data();
  const std::uint8_t* __restrict there = theirs.data();
  const std::size_t size = mine.size();
  for (std::size_t i = 0; i < size; ++i) {
    const auto beyond = static_cast<std::uint8_t>(there[i] + (there[i] != Hops::kFar));
    const auto nearer = static_cast<std::uint8_t>(beyond == here[i] ? 0xFF : 0);
    counts[i] = static_cast<std::uint8_t>(counts[i] - nearer);
    last[i] = static_cast<std::uint8_t>((who & nearer) | (last[i] & ~nearer));
  }
}

std::uint8_t cable(const Tree& tree, const Group& group, std::uint32_t turn) {
  return group.cables == 1 ? tree.ports(group)[0] : tree.ports(group)[turn % group.cables];
}

}  // namespace

Rows::Rows(const Tree& tree, const Destinations& destinations)
    : tree_(tree), destinations_(destinations), digits_of_(tree.size(), kIrregular) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint16_t> kinds;
  for (std::uint32_t s = 0; s < tree.size(); ++s) {
    const std::uint32_t cables = even_cables(tree, s);
    if (cables == 0) continue;
    const std::pair kind(tree.divider(s), tree.width(s) * cables);
    auto found = kinds.find(kind);
    if (found == kinds.end()) {
      if (digits_.size() == kDigitsMax) continue;
      found = kinds.emplace(kind, static_cast<std::uint16_t>(digits_.size())).first;
      Digits digits{kind.first, kind.second, {}};
      digits.of_entry.reserve(destinations.index.size());
      for (const std::uint32_t index : destinations.index)
        digits.of_entry.push_back(static_cast<std::uint8_t>(index / kind.first % kind.second));
      digits_.push_back(std::move(digits));
    }
    digits_of_[s] = found->second;
  }
  climb();
}

/// From each holder up: the parent that it would take for its own LIDs, the parent's, and so on.
void Rows::climb() {
  const auto& begin = destinations_.begin;
  std::array<std::uint8_t, 256> every;
  std::iota(every.begin(), every.end(), std::uint8_t{0});
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
        std::uint8_t g = tree_.group_at(at[e], index / tree_.divider(at[e]) % tree_.width(at[e]));
        if (g == kNoGroup) {
          choose_up(tree_, at[e], std::span(every).first(up.size()), indices(c), chosen);
          g = chosen[e - begin[c]];
        }
        next[e] = up[g].to;
        higher = true;
      }
    at = std::move(next);
    if (higher) climbs_.push_back(at);
  }
}

void Rows::fill_up(std::uint32_t sw, std::uint32_t column, Bytes good,
                   std::span<std::uint8_t> row) const {
  const auto groups = tree_.up(sw);
  const std::uint32_t begin = destinations_.begin[column];
  std::vector<std::uint8_t> chosen;
  choose_up(tree_, sw, good, indices(column), chosen);
  for (std::uint32_t i = 0; i < chosen.size(); ++i)
    row[destinations_.lid[begin + i]] =
        cable(tree_, groups[chosen[i]],
              destinations_.index[begin + i] / tree_.divider(sw) / tree_.width(sw));
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
      starts[e - begin] = digits + digits / tree_.width_below(child);
      chosen[e - begin] = kNoGroup;
      for (const std::uint8_t candidate : candidates)
        for (const auto& climb : climbs_)
          if (climb[e] == groups[candidate].to) chosen[e - begin] = candidate;
    }
    deal_out(candidates, starts, chosen);
  }
  for (std::uint32_t e = begin; e < end; ++e) {
    const Group& group = groups[chosen[e - begin]];
    row[destinations_.lid[e]] = cable(
        tree_, group,
        destinations_.index[e] / tree_.divider(group.to) / std::max(1u, tree_.width(group.to)));
  }
}

void Rows::fill(std::uint32_t sw, std::uint32_t first, std::uint32_t count, const Hops& hops,
                std::span<std::uint8_t> row) const {
  const auto up = tree_.up(sw);
  const auto down = tree_.down(sw);
  std::vector<std::uint8_t> scratch(4 * std::size_t{count}, 0);
  std::uint8_t* const ups = scratch.data();
  std::uint8_t* const downs = ups + count;
  std::uint8_t* const last_up = downs + count;
  std::uint8_t* const last_down = last_up + count;
  const Bytes all = hops.all(sw);
  const Bytes only_down = hops.down(sw);
  for (std::size_t g = 0; g < up.size(); ++g)
    count_nearer(all, hops.all(up[g].to), static_cast<std::uint8_t>(g), ups, last_up);
  for (std::size_t g = 0; g < down.size(); ++g)
    count_nearer(only_down, hops.down(down[g].to), static_cast<std::uint8_t>(g), downs, last_down);

  std::array<std::uint8_t, 256> port_of_digit{};
  const std::uint16_t kind = digits_of_[sw];
  if (kind != kIrregular)
    for (std::uint32_t digit = 0; digit < digits_[kind].modulus; ++digit)
      port_of_digit[digit] =
          tree_.ports(up[tree_.group_at(sw, digit % tree_.width(sw))])[digit / tree_.width(sw)];

  const auto& begin = destinations_.begin;
  const std::uint16_t* __restrict const lid = destinations_.lid.data();
  std::uint8_t* __restrict const out = row.data();
  const auto candidates = [&](std::uint32_t i, std::span<const Group> groups, bool upward,
                              std::array<std::uint8_t, 256>& found) {
    std::size_t size = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const std::uint8_t there = (upward ? hops.all(groups[g].to) : hops.down(groups[g].to))[i];
      if (there != Hops::kFar && there + 1 == all[i]) found[size++] = static_cast<std::uint8_t>(g);
    }
    return Bytes(found.data(), size);
  };
  std::array<std::uint8_t, 256> found;
  const auto one_port = [&](std::uint32_t column, const Group& group) {
    const std::uint8_t port = tree_.ports(group)[0];
    const std::uint32_t end = begin[column + 1];
    for (std::uint32_t e = begin[column]; e < end; ++e) out[lid[e]] = port;
  };
  const auto by_digit = [&](std::uint32_t column, std::uint32_t column_end) {
    const std::uint8_t* __restrict const digit = digits_[kind].of_entry.data();
    const std::uint8_t* __restrict const port = port_of_digit.data();
    const std::uint32_t end = begin[column_end];
    for (std::uint32_t e = begin[column]; e < end; ++e) out[lid[e]] = port[digit[e]];
  };
  const auto goes_any_way_up = [&](std::uint32_t i) {
    return ups[i] == up.size() && only_down[i] == Hops::kFar && all[i] != Hops::kFar;
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t column = first + i;
    if (all[i] == Hops::kFar) continue;
    if (kind != kIrregular && goes_any_way_up(i)) {
      while (i + 1 < count && goes_any_way_up(i + 1)) ++i;
      by_digit(column, first + i + 1);
    } else if (all[i] == 0) {
      for (std::uint32_t e = begin[column]; e < begin[column + 1]; ++e)
        out[lid[e]] = destinations_.exit[e];
    } else if (only_down[i] != Hops::kFar) {
      if (downs[i] == 1 && down[last_down[i]].cables == 1) {
        one_port(column, down[last_down[i]]);
      } else {
        fill_down(sw, column, candidates(i, down, false, found), row);
      }
    } else if (ups[i] == 1 && up[last_up[i]].cables == 1) {
      one_port(column, up[last_up[i]]);
    } else {
      fill_up(sw, column, candidates(i, up, true, found), row);
    }
  }
}

}  // namespace weft::ftree
