// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/private_blocks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

#include "base/check.h"
#include "ib/adaptive_unconfirmed.h"
#include "ib/vendor/private_lfts_unconfirmed.h"
#include "sm/adaptive/ar_blocks.h"

namespace weft {
namespace {

// A block of kPrivateEntries has the pLFT minus 1 in the highest bits of its number.
constexpr unsigned kBlockBits = 12;

constexpr unsigned table_of_block(std::uint16_t block) { return (block >> kBlockBits) + 1u; }
constexpr std::uint16_t block_in_table(std::uint16_t block) {
  return static_cast<std::uint16_t>(block & ((1u << kBlockBits) - 1));
}

using Blocks = std::vector<std::uint16_t>;

Blocks blocks_from(std::size_t first, std::size_t count) {
  Blocks blocks(count);
  std::iota(blocks.begin(), blocks.end(), static_cast<std::uint16_t>(first));
  return blocks;
}

Blocks entry_blocks(const ArTables& tables, std::uint8_t /*port_count*/) {
  Blocks blocks;
  for (unsigned table = 1; table < tables.table_count(); ++table)
    std::ranges::copy(blocks_from(std::size_t{table - 1} << kBlockBits,
                                  tables.top().value() / ArLftBlock::kEntries + std::size_t{1}),
                      std::back_inserter(blocks));
  return blocks;
}

SmpData definition_block(const Routes& /*routes*/, SwitchId /*sw*/, const PrivateLayout& layout,
                         std::uint16_t /*block*/) {
  PrivateLftDefBlock data;
  std::ranges::copy(layout.tables, data.tables.begin());
  return encode(data);
}

SmpData map_with_top(Lid top) {
  return encode(PrivateLftMap{.sets_ports = false, .sets_top = true, .ports = {}, .top = top});
}

SmpData map_block(const Routes& routes, SwitchId /*sw*/, const PrivateLayout& /*layout*/,
                  std::uint16_t /*block*/) {
  return map_with_top(routes.adaptive->top());
}

SmpData input_block(const Routes& routes, SwitchId sw, const PrivateLayout& /*layout*/,
                    std::uint16_t block) {
  const auto& ports = routes.adaptive->selection().ports(sw);
  PortSlToPrivateLftBlock data;
  for (std::size_t i = 0; i < PortSlToPrivateLftBlock::kPorts; ++i)
    if (const std::size_t port = block * PortSlToPrivateLftBlock::kPorts + i; port < ports.size())
      data.tables[i] = ports[port];
  return encode(data);
}

SmpData entry_block(const Routes& routes, SwitchId sw, const PrivateLayout& /*layout*/,
                    std::uint16_t block) {
  return ar_entry_block(routes, sw, table_of_block(block), block_in_table(block));
}

constexpr std::uint8_t low_byte(std::uint16_t block) { return static_cast<std::uint8_t>(block); }

/// The blocks that a step writes.
struct PrivateStep {
  ArStep step;
  Blocks (*blocks)(const ArTables& tables, std::uint8_t port_count);
  SmpData (*content)(const Routes& routes, SwitchId sw, const PrivateLayout& layout,
                     std::uint16_t block);
  std::uint32_t (*modifier)(std::uint16_t block);
};

constexpr std::array kPrivateSteps{
    PrivateStep{
        ArStep::kPrivateDefinitions,
        [](const ArTables&, std::uint8_t) { return blocks_from(0, 1); }, &definition_block,
        [](std::uint16_t block) { return plft_unconfirmed::definition_modifier(low_byte(block)); }},
    PrivateStep{
        ArStep::kPrivateMaps,
        [](const ArTables& tables, std::uint8_t) { return blocks_from(0, tables.table_count()); },
        &map_block,
        [](std::uint16_t table) { return plft_unconfirmed::map_modifier(low_byte(table), 0); }},
    PrivateStep{
        ArStep::kPrivateInputs,
        [](const ArTables&, std::uint8_t port_count) {
          return blocks_from(0, port_count / PortSlToPrivateLftBlock::kPorts + 1);
        },
        &input_block,
        [](std::uint16_t block) { return plft_unconfirmed::sl_map_modifier(low_byte(block)); }},
    PrivateStep{ArStep::kPrivateEntries, &entry_blocks, &entry_block,
                [](std::uint16_t block) {
                  return ar_unconfirmed::forwarding_table_modifier(
                      block_in_table(block), static_cast<std::uint8_t>(table_of_block(block)));
                }},
};

const PrivateStep& private_step(ArStep step) {
  const auto found = std::ranges::find(kPrivateSteps, step, &PrivateStep::step);
  CHECK(found != kPrivateSteps.end());
  return *found;
}

}  // namespace

bool is_of_private_tables(ArStep step) {
  return std::ranges::find(kPrivateSteps, step, &PrivateStep::step) != kPrivateSteps.end();
}

std::optional<PrivateLayout> wanted_layout(const Routes& routes, SwitchId sw, const ArHeld& held) {
  const auto& tables = routes.adaptive;
  if (!tables || !tables->has_private_tables() || !tables->selection().is_set(sw) ||
      !held.private_info || !held.selects_tables_by_sl)
    return std::nullopt;
  return private_layout(*held.private_info, tables->table_count(), tables->top());
}

std::vector<std::uint16_t> private_blocks(const ArTables& tables, std::uint8_t port_count,
                                          ArStep step) {
  return private_step(step).blocks(tables, port_count);
}

SmpData private_block(const Routes& routes, SwitchId sw, const PrivateLayout& layout, ArStep step,
                      std::uint16_t block) {
  return private_step(step).content(routes, sw, layout, block);
}

std::uint32_t private_modifier(ArStep step, std::uint16_t block) {
  return private_step(step).modifier(block);
}

SmpData as_written(ArStep step, const SmpData& read) {
  return step == ArStep::kPrivateMaps ? map_with_top(decode_private_lft_map(read).top) : read;
}

SmpData private_mode(const ArHeld& held, std::uint8_t mode) {
  PrivateLftInfo info = *held.private_info;
  info.mode_in_use = mode;
  return encode(info);
}

std::vector<std::uint8_t> forwarding_tables(const Fabric& fabric, const ArMemory& known,
                                            Lid lid_top) {
  std::vector<std::uint8_t> tables(fabric.switch_count(), 1);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const ArHeld* held = known.find(fabric.node(SwitchId(s)).node_guid);
    if (held != nullptr && held->answers && held->private_info && held->selects_tables_by_sl)
      tables[s] =
          static_cast<std::uint8_t>(forwarding_tables_that_fit(*held->private_info, lid_top));
  }
  return tables;
}

}  // namespace weft
