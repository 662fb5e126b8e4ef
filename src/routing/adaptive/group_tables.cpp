// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/group_tables.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/parallel.h"

namespace weft {
namespace {

/// Groups of one switch that exceeded its capacity.
struct Overflow {
  std::size_t groups = 0;
  std::size_t wanted = 0;
  std::size_t entries = 0;
};

/// Calls body(first LID, count, number): once for a block with equal numbers, and for each LID of
/// any other block.
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

/// Stores each mask as a group, up to the capacity. Returns the groups that exceeded the capacity.
Overflow put(SwitchId sw, const WantedGroups& wanted, std::size_t capacity, ArState mode,
             ArTables& tables) {
  std::vector<std::size_t> lids(wanted.masks.size(), 0);  // by index of the mask: number of LIDs
  std::vector<std::uint16_t> order;                       // indices of masks, by lowest LID
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
  std::vector<ArEntry> entries(wanted.masks.size());  // by index of the mask
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
  routes.notes.push_back(
      fmt::format("adaptive routing: {} switches store fewer groups than requested (first {}, {} "
                  "of {} groups): "
                  "groups of several ports, then groups with the most LIDs, are stored, and {} "
                  "entries stay static",
                  switches, describe(fabric.node(SwitchId(static_cast<std::uint32_t>(*first)))),
                  one.wanted - one.groups, one.wanted, entries));
}

std::size_t capacity_of(const AdaptiveOptions& adaptive, std::size_t sw) {
  return adaptive.group_capacity.empty()
             ? kArGroupsMax
             : std::min<std::size_t>(adaptive.group_capacity[sw], kArGroupsMax);
}

}  // namespace

std::vector<PortMask> SwitchMasks::masks() const {
  std::vector<PortMask> all(index_.size());
  for (const auto& [mask, number] : index_) all[number] = mask;
  return all;
}

std::size_t least_ports(const AdaptiveOptions& options, SwitchId sw) {
  return !options.notifies.empty() && options.notifies[sw.value()] != 0 ? 1 : 2;
}

void store_groups(const Fabric& fabric, const GroupOptions& options,
                  const std::function<WantedGroups(SwitchId)>& wanted, Routes& routes) {
  const AdaptiveOptions adaptive =
      options.adaptive != nullptr ? *options.adaptive : AdaptiveOptions{};
  if (!adaptive.enabled) return;
  const auto capacity = [&](std::size_t s) { return capacity_of(adaptive, s); };
  const unsigned threads = threads_worth(
      std::uint64_t{fabric.switch_count()} * fabric.lid_top().value(), options.threads);
  ArTables tables(fabric.switch_count(), fabric.lid_top());
  std::vector<Overflow> overflows(fabric.switch_count());
  parallel_for(fabric.switch_count(), threads, [&](std::size_t s) {
    if (capacity(s) == 0) return;
    const SwitchId sw(static_cast<std::uint32_t>(s));
    overflows[s] = put(sw, wanted(sw), capacity(s), adaptive.mode, tables);
  });
  note_overflow(fabric, overflows, routes);
  routes.adaptive = std::move(tables);
}

void store_private_groups(const Fabric& fabric, const GroupOptions& options, unsigned table,
                          const std::function<WantedGroups(SwitchId)>& wanted, Routes& routes) {
  const AdaptiveOptions adaptive =
      options.adaptive != nullptr ? *options.adaptive : AdaptiveOptions{};
  ArTables& tables = *routes.adaptive;
  std::vector<Overflow> overflows(fabric.switch_count());
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const SwitchId sw(s);
    if (!tables.selection().is_set(sw)) continue;
    std::size_t used = 0;
    for (unsigned other = 0; other < tables.table_count(); ++other)
      used += tables.table(other).groups(sw).size();
    const std::size_t capacity = capacity_of(adaptive, s);
    overflows[s] = put(sw, wanted(sw), capacity - std::min(used, capacity), adaptive.mode,
                       tables.private_table(table));
  }
  note_overflow(fabric, overflows, routes);
}

}  // namespace weft
