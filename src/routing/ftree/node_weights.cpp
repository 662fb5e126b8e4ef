// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/ftree/node_weights.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/disjoint_sets.h"

namespace weft::ftree {
namespace {

using Load = std::uint64_t;

// A load has the sum of weights in the upper bits, and the number of CAs in the lower bits.
constexpr Load kWeightUnit = Load{1} << 24;
constexpr std::uint64_t kIndexMost = 1 << 20;  // limit of the product of the slots of all levels
constexpr std::uint64_t kTableMost = 1 << 26;  // limit of the number of down loads at a level

/// A CA at a leaf.
struct Item {
  std::uint32_t entry = 0;  // entry of the first LID in Destinations
  std::uint32_t lids = 0;
  std::uint32_t leaf = 0;
  std::uint32_t position = 0;  // among the CAs of its leaf, the greatest weight first
  Load load = 0;
  Guid guid;
  std::uint32_t index = 0;  // from the digits selected so far
};

std::vector<Item> items_of_leaves(const Fabric& fabric, const Tree& tree,
                                  std::span<const std::uint32_t> weights,
                                  const Destinations& destinations) {
  std::vector<Item> items;
  for (std::uint32_t c = 0; c < destinations.columns(); ++c) {
    const std::uint32_t leaf = destinations.switches[c];
    if (tree.level(leaf) != 0) continue;
    const std::size_t first = items.size();
    for (std::uint32_t e = destinations.begin[c]; e < destinations.begin[c + 1]; ++e) {
      const EndportId id = destinations.endport[e];
      if (fabric.is_switch(fabric.endport(id).node)) continue;
      const bool same = e > destinations.begin[c] && destinations.endport[e - 1] == id;
      if (!same)
        items.push_back({e, 0, leaf, 0, weights[id.value()] * kWeightUnit + 1,
                         fabric.port(fabric.endport(id).port).guid, 0});
      ++items.back().lids;
    }
    const auto here = std::span(items).subspan(first);
    std::ranges::sort(here, [](const Item& a, const Item& b) {
      return std::pair(b.load, a.guid) < std::pair(a.load, b.guid);
    });
    for (std::uint32_t i = 0; i < here.size(); ++i) here[i].position = i;
  }
  std::ranges::stable_sort(items, [](const Item& a, const Item& b) {
    return std::pair(b.load, a.position) < std::pair(a.load, b.position);
  });
  return items;
}

/// The most frequent number, the smallest of equally frequent numbers; 0 if `counts` is empty.
std::uint32_t commonest(const std::map<std::uint32_t, std::uint32_t>& counts) {
  std::uint32_t best = 0;
  std::uint32_t most = 0;
  for (const auto& [number, count] : counts)
    if (count > most) {
      best = number;
      most = count;
    }
  return best;
}

/// The number of turns at each level, and of cables of a turn at the highest level.
std::pair<std::vector<std::uint32_t>, std::uint32_t> radices(const Tree& tree) {
  std::vector<std::uint32_t> result;
  std::uint32_t cables = 0;
  for (const auto& switches : tree.levels()) {
    if (switches.empty() || tree.level(switches.front()) < 0) continue;
    std::map<std::uint32_t, std::uint32_t> widths;
    std::map<std::uint32_t, std::uint32_t> trunks;
    for (const std::uint32_t s : switches) {
      if (tree.up(s).empty()) continue;
      ++widths[tree.turns(s)];
      for (std::uint32_t slot = 0; slot < tree.width(s); ++slot)
        if (const std::uint8_t g = tree.group_at(s, slot); g != kNoGroup)
          ++trunks[std::max(1u, tree.up(s)[g].cables / tree.share(s, slot))];
    }
    if (widths.empty()) break;
    result.push_back(commonest(widths));
    cables = commonest(trunks);
  }
  return {result, cables};
}

/// Selects the digits of all indices, one level after another.
class Chooser {
 public:
  explicit Chooser(std::vector<Item>& items) : items_(items) {}

  /// Selects the next digit of each index. `pod` has the pod of each switch: down loads are summed
  /// over the leaves of a pod.
  void choose(std::uint32_t radix, std::span<const std::uint32_t> pod, std::uint32_t pods) {
    const std::uint32_t prefixes = prefixes_;
    if (std::uint64_t{prefixes} * radix > kIndexMost) return;
    indices_.resize(items_.size(), 0);
    prefixes_ *= radix;
    const auto least = least_loads(radix, prefixes);
    std::vector<Load> up(prefixes_, 0);
    const std::uint64_t cells = std::uint64_t{prefixes_} * pods;
    std::vector<Load> down(cells <= kTableMost ? cells : 0, 0);
    for (Item& item : items_) {
      Load* const ups = up.data() + std::size_t{item.index} * radix;
      const std::size_t cell = (std::size_t{pod[item.leaf]} * prefixes + item.index) * radix;
      Load* const downs = down.empty() ? nullptr : down.data() + cell;
      const std::uint32_t digit = best(ups, downs, radix, least[item.index], item.load);
      ups[digit] += item.load;
      if (downs != nullptr) downs[digit] += item.load;
      digits_.push_back(digit);
    }
    for (std::size_t i = 0; i < items_.size(); ++i) {
      indices_[i] += digits_[i] * prefixes;
      items_[i].index = items_[i].index * radix + digits_[i];
    }
    digits_.clear();
  }

  /// By item: the index. The first selected digit is the least significant.
  std::span<const std::uint32_t> indices() const { return indices_; }

 private:
  static std::uint32_t best(const Load* ups, const Load* downs, std::uint32_t radix, Load least,
                            Load load) {
    const auto cost = [&](std::uint32_t digit) {
      const bool over = ups[digit] + load > least;
      const Load down = downs == nullptr ? 0 : downs[digit];
      return over ? std::tuple(true, ups[digit], down) : std::tuple(false, down, ups[digit]);
    };
    std::uint32_t found = 0;
    for (std::uint32_t digit = 1; digit < radix; ++digit)
      if (cost(digit) < cost(found)) found = digit;
    return found;
  }

  /// By the digits selected so far: a lower bound of the load of the most loaded slot.
  std::vector<Load> least_loads(std::uint32_t radix, std::uint32_t prefixes) const {
    std::vector<Load> sum(prefixes, 0);
    std::vector<Load> most(prefixes, 0);
    for (const Item& item : items_) {
      const Load weight = item.load / kWeightUnit;
      sum[item.index] += weight;
      most[item.index] = std::max(most[item.index], weight);
    }
    for (std::uint32_t p = 0; p < prefixes; ++p)
      sum[p] = (std::max(most[p], (sum[p] + radix - 1) / radix) + 1) * kWeightUnit - 1;
    return sum;
  }

  std::vector<Item>& items_;
  std::uint32_t prefixes_ = 1;
  std::vector<std::uint32_t> digits_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace

void index_by_weight(const Fabric& fabric, const Tree& tree, std::span<const std::uint32_t> weights,
                     Destinations& destinations) {
  std::vector<Item> items = items_of_leaves(fabric, tree, weights, destinations);
  Chooser chooser(items);
  DisjointSets joined(tree.size());
  std::vector<std::uint32_t> pod(tree.size());
  std::size_t level = 0;
  std::uint32_t pods = 0;
  const auto [slots, cables] = radices(tree);
  for (const std::uint32_t radix : slots) {
    // A pod of a level: switches that the cables below the switches of this level connect.
    for (; level < tree.levels().size(); ++level) {
      const auto& switches = tree.levels()[level];
      for (const std::uint32_t s : switches)
        for (const Group& group : tree.down(s)) joined.join(s, group.to);
      if (tree.level(switches.front()) < 0) continue;
      ++level;
      break;
    }
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (const Item& item : items)
      pod[item.leaf] =
          numbers.try_emplace(joined.find(item.leaf), static_cast<std::uint32_t>(numbers.size()))
              .first->second;
    pods = static_cast<std::uint32_t>(numbers.size());
    chooser.choose(radix, pod, pods);
  }
  if (cables > 1) chooser.choose(cables, pod, pods);
  for (std::size_t i = 0; i < items.size() && !chooser.indices().empty(); ++i)
    for (std::uint32_t offset = 0; offset < items[i].lids; ++offset)
      destinations.index[items[i].entry + offset] = chooser.indices()[i] + offset;
  destinations.weight.resize(destinations.lid.size());
  for (std::size_t e = 0; e < destinations.lid.size(); ++e)
    destinations.weight[e] = weights[destinations.endport[e].value()];
}

}  // namespace weft::ftree
