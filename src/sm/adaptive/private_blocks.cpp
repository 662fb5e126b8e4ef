// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/private_blocks.h"

#include <algorithm>

#include "ib/adaptive_unconfirmed.h"
#include "ib/vendor/private_lfts_unconfirmed.h"
#include "sm/adaptive/ar_blocks.h"

namespace weft {
namespace {

// A block of kPrivateEntries has the pLFT in the highest bits of its number.
constexpr unsigned kBlockBits = 12;

SmpData definition_block(const PrivateLayout& layout) {
  PrivateLftDefBlock data;
  std::ranges::copy(layout.tables, data.tables.begin());
  return encode(data);
}

SmpData map_of(const Routes& routes) {
  return encode(PrivateLftMap{
      .sets_ports = false, .sets_top = true, .ports = {}, .top = routes.adaptive->top()});
}

SmpData input_block(const Routes& routes, SwitchId sw, std::size_t block) {
  const auto& ports = routes.adaptive->selection().ports(sw);
  PortSlToPrivateLftBlock data;
  for (std::size_t i = 0; i < PortSlToPrivateLftBlock::kPorts; ++i)
    if (const std::size_t port = block * PortSlToPrivateLftBlock::kPorts + i; port < ports.size())
      data.tables[i] = ports[port];
  return encode(data);
}

}  // namespace

std::optional<PrivateLayout> wanted_layout(const Routes& routes, SwitchId sw, const ArHeld& held) {
  const auto& tables = routes.adaptive;
  if (!tables || !tables->has_private_tables() || !tables->selection().is_set(sw) ||
      !held.private_info || !held.selects_tables_by_sl)
    return std::nullopt;
  return private_layout(*held.private_info, tables->table_count(), tables->top());
}

std::vector<std::uint16_t> private_blocks(const ArTables& tables, std::uint8_t port_count,
                                          ArStep step) {
  std::vector<std::uint16_t> blocks;
  const auto add = [&](std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) blocks.push_back(static_cast<std::uint16_t>(first + i));
  };
  if (step == ArStep::kPrivateDefinitions) add(0, 1);
  if (step == ArStep::kPrivateMaps) add(0, tables.table_count());
  if (step == ArStep::kPrivateInputs) add(0, port_count / PortSlToPrivateLftBlock::kPorts + 1);
  if (step == ArStep::kPrivateEntries)
    for (unsigned table = 1; table < tables.table_count(); ++table)
      add(std::size_t{table} << kBlockBits, tables.top().value() / ArLftBlock::kEntries + 1);
  return blocks;
}

SmpData private_block(const Routes& routes, SwitchId sw, const PrivateLayout& layout, ArStep step,
                      std::uint16_t block) {
  if (step == ArStep::kPrivateDefinitions) return definition_block(layout);
  if (step == ArStep::kPrivateMaps) return map_of(routes);
  if (step == ArStep::kPrivateInputs) return input_block(routes, sw, block);
  return ar_entry_block(routes, sw, block >> kBlockBits, block & ((1u << kBlockBits) - 1));
}

AttributeId private_attribute(ArStep step) {
  return step == ArStep::kPrivateDefinitions ? kPrivateLftDef
         : step == ArStep::kPrivateMaps      ? kPrivateLftMap
         : step == ArStep::kPrivateInputs    ? kPortSlToPrivateLftMap
                                             : kArForwardingTable;
}

std::uint32_t private_modifier(ArStep step, std::uint16_t block) {
  const auto byte = static_cast<std::uint8_t>(block);
  if (step == ArStep::kPrivateDefinitions) return plft_unconfirmed::definition_modifier(byte);
  if (step == ArStep::kPrivateMaps) return plft_unconfirmed::map_modifier(byte, 0);
  if (step == ArStep::kPrivateInputs) return plft_unconfirmed::sl_map_modifier(byte);
  return ar_unconfirmed::forwarding_table_modifier(
      static_cast<std::uint16_t>(block & ((1u << kBlockBits) - 1)),
      static_cast<std::uint8_t>(block >> kBlockBits));
}

SmpData private_mode(const ArHeld& held, std::uint8_t mode) {
  PrivateLftInfo info = *held.private_info;
  info.mode_in_use = mode;
  return encode(info);
}

std::vector<std::uint8_t> forwarding_tables(const Fabric& fabric, const ArMemory& known) {
  std::vector<std::uint8_t> tables(fabric.switch_count(), 1);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const ArHeld* held = known.find(fabric.node(SwitchId(s)).node_guid);
    if (held != nullptr && held->answers && held->private_info && held->selects_tables_by_sl)
      tables[s] = static_cast<std::uint8_t>(
          forwarding_tables_that_fit(*held->private_info, fabric.lid_top()));
  }
  return tables;
}

}  // namespace weft
