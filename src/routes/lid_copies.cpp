// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/lid_copies.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace weft {
namespace {

constexpr unsigned kPortNumbers = 256;

/// The tables with rows up to a higher LID; new entries are kNoRoute.
Lfts extended(const Lfts& lfts, Lid top) {
  Lfts result(lfts.switch_count(), top);
  for (std::uint32_t s = 0; s < lfts.switch_count(); ++s)
    std::ranges::copy(lfts.row(SwitchId(s)), result.row(SwitchId(s)).begin());
  return result;
}

/// Copies groups, divisions and entries of one table.
void copy_table(const ArTables& from, ArTables& to) {
  for (std::uint32_t s = 0; s < from.switch_count(); ++s) {
    const SwitchId sw(s);
    for (const PortMask& group : from.groups(sw)) to.add_group(sw, group);
    if (const auto divisions = from.divisions(sw); !divisions.empty())
      to.divide(sw, {divisions.begin(), divisions.end()});
    if (!from.is_set(sw)) continue;
    for (std::size_t block = 0; block <= from.top().value() / kLftBlock; ++block) {
      const auto all = from.block_entry(sw, block);
      if (all) {
        to.set_block(sw, block, *all);
        continue;
      }
      const std::size_t first = block * kLftBlock;
      const std::size_t end = std::min(first + kLftBlock, from.top().value() + std::size_t{1});
      for (std::size_t lid = first; lid < end; ++lid) {
        const Lid each(static_cast<std::uint16_t>(lid));
        to.set(sw, each, from.entry(sw, each));
      }
    }
  }
}

/// The tables with rows up to a higher LID; new entries are static, except for LIDs in a block of
/// equal entries.
ArTables extended(const ArTables& tables, Lid top) {
  ArTables result(tables.switch_count(), top);
  copy_table(tables, result);
  for (unsigned number = 1; number < tables.table_count(); ++number) {
    result.add_private_table();
    copy_table(tables.table(number), result.private_table(number));
  }
  for (std::uint32_t s = 0; tables.has_private_tables() && s < tables.switch_count(); ++s) {
    if (!tables.selection().is_set(SwitchId(s))) continue;
    for (unsigned port = 0; port < kPortNumbers; ++port)
      for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
        const PortNum in(static_cast<std::uint8_t>(port));
        const unsigned number = tables.selection().table(SwitchId(s), in, Sl(sl));
        if (number != 0) result.select_table(SwitchId(s), in, Sl(sl), number);
      }
  }
  if (tables.has_notifications()) {
    std::vector<SwitchNotifications> notifications(tables.switch_count());
    for (std::uint32_t s = 0; s < tables.switch_count(); ++s)
      if (const auto* const own = tables.notifications(SwitchId(s))) notifications[s] = *own;
    result.set_notifications(std::move(notifications));
  }
  result.set_numbers(tables.numbers());
  return result;
}

/// Sets the AR entry of a LID in table 0 and in the private tables.
template <class EntryOf>
void set_ar_entries(ArTables& tables, SwitchId sw, Lid lid, const EntryOf& entry_of) {
  tables.set(sw, lid, entry_of(tables));
  for (unsigned number = 1; number < tables.table_count(); ++number) {
    ArTables& table = tables.private_table(number);
    table.set(sw, lid, entry_of(table));
  }
}

void copy_group_numbers(std::span<const Lid> unassigned, std::span<const LidCopy> copies,
                        ArTables& tables) {
  if (tables.numbers().empty()) return;
  GroupNumbers numbers = tables.numbers();
  for (const Lid lid : unassigned)
    if (lid.value() < numbers.of_lid.size()) numbers.of_lid[lid.value()] = 0;
  if (!copies.empty() && copies.back().lid.value() >= numbers.of_lid.size())
    numbers.of_lid.resize(copies.back().lid.value() + std::size_t{1}, 0);
  for (const LidCopy& copy : copies)
    numbers.of_lid[copy.lid.value()] = tables.numbers().number(copy.of);
  tables.set_numbers(std::move(numbers));
}

std::vector<Lid> unassigned_lids(const Fabric& fabric, Lid top) {
  std::vector<Lid> lids;
  for (unsigned value = 1; value <= top.value(); ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    if (fabric.endport_of(lid) == kNoEndport) lids.push_back(lid);
  }
  return lids;
}

}  // namespace

void copy_lids(const Fabric& fabric, std::span<const LidCopy> copies, Routes& routes) {
  Lfts& lfts = routes.lfts;
  ArTables* const adaptive = routes.adaptive ? &*routes.adaptive : nullptr;
  if (!copies.empty() && copies.back().lid > lfts.top()) lfts = extended(lfts, copies.back().lid);
  if (adaptive != nullptr && adaptive->top() < lfts.top())
    *adaptive = extended(*adaptive, lfts.top());
  const std::vector<Lid> unassigned = unassigned_lids(fabric, lfts.top());
  for (std::uint32_t s = 0; s < lfts.switch_count(); ++s) {
    const SwitchId sw(s);
    for (const Lid lid : unassigned) {
      lfts.set(sw, lid, kNoRoute);
      if (adaptive != nullptr)
        set_ar_entries(*adaptive, sw, lid, [](const ArTables&) { return ArEntry{}; });
    }
    for (const LidCopy& copy : copies) {
      lfts.set(sw, copy.lid, lfts.port(sw, copy.of));
      if (adaptive != nullptr)
        set_ar_entries(*adaptive, sw, copy.lid,
                       [&](const ArTables& table) { return table.entry(sw, copy.of); });
    }
  }
  if (adaptive != nullptr) copy_group_numbers(unassigned, copies, *adaptive);
}

}  // namespace weft
