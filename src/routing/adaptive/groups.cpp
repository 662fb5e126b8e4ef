// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/groups.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "routes/next_hops.h"
#include "routing/adaptive/lid_classes.h"
#include "routing/adaptive/tree_masks.h"
#include "routing/shapes/ranks.h"

namespace weft {
namespace {

/// Groups of one switch that exceeded its capacity.
struct Overflow {
  std::size_t groups = 0;
  std::size_t wanted = 0;
  std::size_t entries = 0;
};

/// Masks of one switch, and the number of that of each LID; SwitchMasks::kNone: the entry is
/// static.
struct Wanted {
  std::vector<PortMask> masks;
  std::vector<std::uint16_t> of_lid;  // a whole number of blocks of kLftBlock LIDs
};

/// Calls body(first LID, count, number) for LIDs with equal numbers, whole blocks where possible.
template <class Body>
void each_equal(std::span<const std::uint16_t> of_lid, const Body& body) {
  for (std::size_t begin = 0; begin < of_lid.size(); begin += kLftBlock) {
    const auto block = of_lid.subspan(begin, kLftBlock);
    if (std::equal(block.begin() + 1, block.end(), block.begin())) {
      body(begin, kLftBlock, block.front());
      continue;
    }
    for (std::size_t i = 0; i < kLftBlock; ++i) body(begin + i, std::size_t{1}, block[i]);
  }
}

/// Stores each mask as a group. Where there are more than the switch holds, groups of several
/// ports are kept before those of one port, then those that most LIDs use, among equals those of
/// the lowest LID.
Overflow put(SwitchId sw, const Wanted& wanted, std::size_t capacity, ArState mode,
             ArTables& tables) {
  std::vector<std::size_t> lids(wanted.masks.size(), 0);  // by number
  std::vector<std::uint16_t> order;                       // numbers by lowest LID
  each_equal(wanted.of_lid, [&](std::size_t, std::size_t count, std::uint16_t number) {
    if (number == SwitchMasks::kNone) return;
    if (lids[number] == 0) order.push_back(number);
    lids[number] += count;
  });
  if (order.size() > capacity)
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint16_t number) {
      return std::pair(wanted.masks[number].count() > 1, lids[number]);
    });
  Overflow overflow;
  overflow.wanted = order.size();
  std::vector<ArEntry> entries(wanted.masks.size());  // by number
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i < capacity) {
      entries[order[i]] = {mode, tables.add_group(sw, wanted.masks[order[i]])};
    } else {
      ++overflow.groups;
      overflow.entries += lids[order[i]];
    }
  }
  each_equal(wanted.of_lid, [&](std::size_t first, std::size_t count, std::uint16_t number) {
    if (number == SwitchMasks::kNone || entries[number].state == ArState::kStatic) return;
    const Lid lid(static_cast<std::uint16_t>(first));
    if (count == kLftBlock)
      tables.set_block(sw, first / kLftBlock, entries[number]);
    else
      tables.set(sw, lid, entries[number]);
  });
  return overflow;
}

void note_overflow(const Fabric& fabric, std::span<const Overflow> overflows, Routes& routes) {
  std::size_t switches = 0;
  std::size_t entries = 0;
  std::optional<std::size_t> first;
  for (std::size_t s = 0; s < overflows.size(); ++s) {
    if (overflows[s].groups == 0) continue;
    if (!first) first = s;
    ++switches;
    entries += overflows[s].entries;
  }
  if (!first) return;
  const Overflow& one = overflows[*first];
  routes.notes.push_back(fmt::format(
      "adaptive routing: {} switches hold fewer groups than necessary (first {}, {} of {}): "
      "the groups that most LIDs use are kept, and {} entries stay static",
      switches, describe(fabric.node(SwitchId(static_cast<std::uint32_t>(*first)))),
      one.wanted - one.groups, one.wanted, entries));
}

/// The parallel cables of each table entry.
Wanted parallel_masks(const Fabric& fabric, const Lfts& lfts, std::span<const Lid> lids,
                      std::span<const std::uint64_t> weights, SwitchId sw, std::size_t size) {
  const auto channels = fabric.channels_from(sw);
  const std::uint32_t first = fabric.first_channel(sw).value();
  SwitchMasks masks;
  std::array<std::uint16_t, 256> of_port;  // by port of the table
  of_port.fill(SwitchMasks::kNone);
  for (std::size_t own = 0; own < channels.size(); ++own) {
    PortMask mask;
    for (std::size_t c = 0; c < channels.size(); ++c)
      if (channels[c].to == channels[own].to &&
          (weights.empty() || weights[first + c] <= weights[first + own]))
        mask.set(channels[c].from_port.value());
    if (mask.count() > 1) of_port[channels[own].from_port.value()] = masks.number(mask);
  }
  Wanted wanted{masks.masks(), std::vector(size, SwitchMasks::kNone)};
  if (wanted.masks.empty()) return wanted;
  for (const Lid lid : lids) wanted.of_lid[lid.value()] = of_port[lfts.port(sw, lid).value()];
  return wanted;
}

Wanted masks_by_lid(const TreeMasks& tree, SwitchId sw, std::size_t size) {
  const TreeMasks::OfSwitch& here = tree.switches[sw.value()];
  Wanted wanted{here.masks.masks(), std::vector(size, SwitchMasks::kNone)};
  if (wanted.masks.empty()) return wanted;
  for (std::size_t i = 0; i < tree.classes.size(); ++i)
    for (const LidRun run : tree.classes[i].runs)
      std::fill_n(wanted.of_lid.begin() + run.first, run.count, here.of_class[i]);
  return wanted;
}

void add_groups(const Fabric& fabric, std::span<const std::uint8_t> up, const GroupOptions& options,
                Routes& routes) {
  const AdaptiveOptions adaptive =
      options.adaptive != nullptr ? *options.adaptive : AdaptiveOptions{};
  if (!adaptive.enabled) return;
  const auto capacity = [&](std::size_t s) {
    return adaptive.group_capacity.empty()
               ? kArGroupsMax
               : std::min<std::size_t>(adaptive.group_capacity[s], kArGroupsMax);
  };
  const unsigned threads = threads_worth(
      std::uint64_t{fabric.switch_count()} * fabric.lid_top().value(), options.threads);
  TreeMasks tree;
  std::vector<Lid> lids;
  if (up.empty())
    lids = routable_lids(fabric, routes.lfts);
  else
    tree =
        find_tree_masks({fabric, routes.lfts, up, options.hop_weights, adaptive.notifies, threads});
  const std::size_t size = lid_blocks(fabric) * kLftBlock;
  ArTables tables(fabric.switch_count(), fabric.lid_top());
  std::vector<Overflow> overflows(fabric.switch_count());
  parallel_for(fabric.switch_count(), threads, [&](std::size_t s) {
    if (capacity(s) == 0) return;
    const SwitchId sw(static_cast<std::uint32_t>(s));
    const Wanted wanted =
        up.empty() ? parallel_masks(fabric, routes.lfts, lids, options.hop_weights, sw, size)
                   : masks_by_lid(tree, sw, size);
    overflows[s] = put(sw, wanted, capacity(s), adaptive.mode, tables);
  });
  note_overflow(fabric, overflows, routes);
  routes.adaptive = std::move(tables);
}

}  // namespace

void add_parallel_groups(const Fabric& fabric, const GroupOptions& options, Routes& routes) {
  add_groups(fabric, {}, options, routes);
}

void add_tree_groups(const Fabric& fabric, std::span<const std::uint16_t> rank,
                     std::span<const std::uint32_t> ids, const GroupOptions& options,
                     Routes& routes) {
  std::vector<std::uint8_t> up;
  for (const Channel& channel : fabric.channels())
    up.push_back(goes_up(channel, rank, ids) ? 1 : 0);
  add_upward_groups(fabric, up, options, routes);
}

void add_upward_groups(const Fabric& fabric, std::span<const std::uint8_t> up,
                       const GroupOptions& options, Routes& routes) {
  const bool lag = options.adaptive != nullptr && options.adaptive->algorithm == ArAlgorithm::kLag;
  add_groups(fabric, lag ? std::span<const std::uint8_t>() : up, options, routes);
}

}  // namespace weft
