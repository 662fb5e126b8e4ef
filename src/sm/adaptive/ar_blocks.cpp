// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/ar_blocks.h"

#include <array>
#include <span>

#include "ib/adaptive_unconfirmed.h"
#include "ib/vendor/ar_settings.h"
#include "sm/adaptive/private_blocks.h"

namespace weft {
namespace {

/// Name and attribute of each table, by ArStep.
struct TableFacts {
  std::string_view name;
  AttributeId attribute;
};
constexpr std::array<TableFacts, kArTables> kTableFacts{{
    {"PrivateLFTDef", kPrivateLftDef},
    {"PrivateLFTMap", kPrivateLftMap},
    {"PortSLToPrivateLFTMap", kPortSlToPrivateLftMap},
    {"ARGroupTable", kArGroupTable},
    {"ARLinearForwardingTableSX", kArForwardingTable},
    {"ARLinearForwardingTableSX of a private table", kArForwardingTable},
    {"RNSubGroupDirectionTable", kRnSubGroupDirectionTable},
    {"RNGenStringTable", kRnGenStringTable},
    {"RNRcvString", kRnRcvString},
    {"RNXmitPortMask", kRnXmitPortMask},
    {"HBFConfig", kHbfConfig},
    {"pFRNConfig", kPfrnConfig},
    {"WHBFConfig", kWhbfConfig},
}};

constexpr std::size_t blocks_of(std::size_t values, std::size_t a_block) {
  return (values + a_block - 1) / a_block;
}

/// Number of groups of a switch in its first tables.
std::size_t group_count(const ArTables& tables, SwitchId sw, unsigned first_tables) {
  std::size_t count = 0;
  for (unsigned table = 0; table < first_tables; ++table)
    count += tables.table(table).groups(sw).size();
  return count;
}

/// A group by its index among the groups of all tables, table by table.
const PortMask& group_at(const ArTables& tables, SwitchId sw, std::size_t place) {
  unsigned table = 0;
  for (; place >= tables.table(table).groups(sw).size(); ++table)
    place -= tables.table(table).groups(sw).size();
  return tables.table(table).groups(sw)[place];
}

/// The index for group_at() of the group with this number; empty if there is no such group.
std::optional<std::size_t> place_of(const ArTables& tables, SwitchId sw, std::uint16_t number) {
  if (!is_numbered_by_leaf(tables, sw)) {
    const unsigned first = ar_unconfirmed::group_number(0);
    if (number < first || number - first >= group_count(tables, sw, tables.table_count()))
      return std::nullopt;
    return number - first;
  }
  const auto& lids = tables.numbers().lid_of;
  const Lid lid = number < lids.size() ? lids[number] : Lid{};
  const ArEntry entry = tables.entry(sw, lid);
  if (lid == Lid{} || entry.state == ArState::kStatic) return std::nullopt;
  return entry.group;
}

SmpData group_block(const ArTables& tables, SwitchId sw, std::size_t block) {
  const unsigned sub_groups = sub_groups_at(tables, sw);
  const auto divisions = tables.divisions(sw);
  ArGroupBlock data;
  for (std::size_t i = 0; i < ArGroupBlock::kGroups; ++i) {
    const std::size_t flat = block * ArGroupBlock::kGroups + i;
    const auto place = place_of(tables, sw, static_cast<std::uint16_t>(flat / sub_groups));
    if (!place) continue;
    const PortMask& group = group_at(tables, sw, *place);
    const PortMask second = divisions.empty() ? PortMask() : divisions[*place].second;
    data.groups[i] = flat % sub_groups == 0 ? group & ~second : second;
  }
  return encode(data);
}

SmpData weight_block(const ArTables& tables, SwitchId sw, std::size_t block) {
  const auto divisions = tables.divisions(sw);
  WhbfBlock data;
  for (std::size_t i = 0; i < WhbfBlock::kGroups; ++i) {
    const auto number = static_cast<std::uint16_t>(block * WhbfBlock::kGroups + i);
    if (const auto place = place_of(tables, sw, number))
      data.weights[i] = {divisions[*place].first_weight, divisions[*place].second_weight, 0};
  }
  return encode(data);
}

/// The group number of an entry. At a switch with FRN, a static entry also has the number of its
/// leaf, because the switch forwards a notification of that group to the neighbors that send
/// packets for the LID to this switch.
std::uint16_t number_of(const ArTables& tables, SwitchId sw, unsigned table, Lid lid,
                        const ArEntry& entry) {
  if (is_numbered_by_leaf(tables, sw)) return tables.numbers().number(lid);
  if (entry.state == ArState::kStatic) return 0;
  return ar_unconfirmed::group_number(
      static_cast<std::uint16_t>(group_count(tables, sw, table) + entry.group));
}

SmpData direction_block(const ArTables& tables, SwitchId sw, std::size_t block) {
  const auto& directions = tables.notifications(sw)->directions;
  const unsigned sub_groups = sub_groups_at(tables, sw);
  RnDirectionBlock data;
  for (std::size_t i = 0; i < RnDirectionBlock::kSubGroups; ++i) {
    const std::size_t flat = block * RnDirectionBlock::kSubGroups + i;
    const auto place = place_of(tables, sw, static_cast<std::uint16_t>(flat / sub_groups));
    data.directions[i] = place && *place < directions.size() ? directions[*place] : kRnNoDirection;
  }
  return encode(data);
}

/// A block of a table of values, padded with `unused`.
template <class Block, class Value, std::size_t N>
SmpData value_block(std::span<const Value> values, std::size_t block, const Value& unused,
                    std::array<Value, N> Block::*into) {
  Block data;
  for (std::size_t i = 0; i < N; ++i)
    (data.*into)[i] = block * N + i < values.size() ? values[block * N + i] : unused;
  return encode(data);
}

SmpData port_block(const PortMask& ports, std::size_t block) {
  RnXmitPortBlock data;
  for (std::size_t i = 0; i < RnXmitPortBlock::kPorts; ++i)
    data.faults.set(i, ports.test(block * RnXmitPortBlock::kPorts + i));
  data.passed_on = data.faults;
  return encode(data);
}

}  // namespace

unsigned sub_groups_at(const ArTables& tables, SwitchId sw) {
  return tables.divisions(sw).empty() ? 1 : 2;
}

bool is_numbered_by_leaf(const ArTables& tables, SwitchId sw) {
  return !tables.numbers().empty() && tables.notifications(sw) != nullptr;
}

std::uint16_t group_top(const ArTables& tables, SwitchId sw) {
  if (is_numbered_by_leaf(tables, sw)) {
    for (std::size_t number = tables.numbers().lid_of.size(); number-- > 1;)
      if (place_of(tables, sw, static_cast<std::uint16_t>(number)))
        return static_cast<std::uint16_t>(number);
    return 0;
  }
  const auto groups = group_count(tables, sw, tables.table_count());
  return groups == 0 ? std::uint16_t{0}
                     : ar_unconfirmed::group_number(static_cast<std::uint16_t>(groups - 1));
}

const PortMask* numbered_group(const ArTables& tables, SwitchId sw, std::uint16_t number) {
  const auto place = place_of(tables, sw, number);
  return place ? &group_at(tables, sw, *place) : nullptr;
}

std::size_t ar_blocks(const ArTables& tables, SwitchId sw, ArStep table) {
  const SwitchNotifications* frn = tables.notifications(sw);
  switch (table) {
    case ArStep::kGroups: {
      const std::uint16_t top = group_top(tables, sw);
      return top == 0 ? 0 : ar_unconfirmed::group_blocks(top, sub_groups_at(tables, sw));
    }
    case ArStep::kWeights:
      return tables.divisions(sw).empty()
                 ? 0
                 : blocks_of(group_top(tables, sw) + 1u, WhbfBlock::kGroups);
    case ArStep::kEntries:
      return tables.top().value() / ArLftBlock::kEntries + 1;
    case ArStep::kDirections:
      return frn == nullptr
                 ? 0
                 : blocks_of((group_top(tables, sw) + std::size_t{1}) * sub_groups_at(tables, sw),
                             RnDirectionBlock::kSubGroups);
    case ArStep::kStrings:
      return frn == nullptr ? 0 : blocks_of(frn->strings.size(), RnGenStringBlock::kDirections);
    case ArStep::kReceived:
      return frn == nullptr ? 0 : blocks_of(frn->received.size(), RnRcvStringBlock::kStrings);
    case ArStep::kNotifyPorts:
      return frn == nullptr ? 0 : blocks_of(frn->ports.size(), RnXmitPortBlock::kPorts);
    default:
      return 0;
  }
}

SmpData ar_entry_block(const Routes& routes, SwitchId sw, unsigned table, std::size_t block) {
  constexpr std::size_t kEntries = ArLftBlock::kEntries;
  ArLftBlock data;
  for (std::size_t i = 0; i < kEntries; ++i) {
    const Lid lid(static_cast<std::uint16_t>(block * kEntries + i));
    const ArEntry entry = routes.adaptive->table(table).entry(sw, lid);
    data.entries[i].state = static_cast<std::uint8_t>(entry.state);
    data.entries[i].default_port = routes.lfts.port(sw, lid);
    data.entries[i].group = number_of(*routes.adaptive, sw, table, lid, entry);
  }
  return encode(data);
}

SmpData ar_block(const Routes& routes, SwitchId sw, ArStep table, std::size_t block) {
  const ArTables& tables = *routes.adaptive;
  if (table == ArStep::kGroups) return group_block(tables, sw, block);
  if (table == ArStep::kEntries) return ar_entry_block(routes, sw, 0, block);
  if (table == ArStep::kWeights) return weight_block(tables, sw, block);
  if (table == ArStep::kDirections) return direction_block(tables, sw, block);
  const SwitchNotifications& frn = *tables.notifications(sw);
  if (table == ArStep::kStrings)
    return value_block(std::span(frn.strings), block, std::uint16_t{0}, &RnGenStringBlock::strings);
  if (table == ArStep::kReceived)
    return value_block(std::span(frn.received), block, RnRcvString{}, &RnRcvStringBlock::strings);
  return port_block(frn.ports, block);
}

std::string_view ar_table_name(ArStep table) { return kTableFacts.at(index_of(table)).name; }

AttributeId ar_attribute(ArStep table) { return kTableFacts.at(index_of(table)).attribute; }

std::uint32_t ar_modifier(ArStep table, std::uint16_t block) {
  if (is_of_private_tables(table)) return private_modifier(table, block);
  if (table == ArStep::kGroups) return ar_unconfirmed::group_table_modifier(block);
  if (table == ArStep::kEntries) return ar_unconfirmed::forwarding_table_modifier(block);
  if (table == ArStep::kHashing) return ar_unconfirmed::kHbfOfAllPorts;
  if (table == ArStep::kPfrn) return ar_unconfirmed::kPfrnOfSwitch;
  if (table == ArStep::kWeights) return ar_unconfirmed::weights_modifier(block);
  return ar_unconfirmed::notification_modifier(block);
}

/// The digest is an FNV-1a hash.
std::uint64_t ar_digest(const SmpData& data) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const std::byte byte : data)
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001B3;
  return hash == 0 ? 1 : hash;
}

}  // namespace weft
