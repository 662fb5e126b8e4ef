// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/private_lft_attributes.h"

#include <algorithm>

#include "ib/vendor/private_lfts_unconfirmed.h"

namespace weft::emulator {
namespace {

/// Whether each pLFT fits in its bank, and no two pLFTs use the same memory.
bool fit(const PrivateLftModel& plft, const PrivateLftInfo::Mode& mode) {
  constexpr unsigned kUnits = PrivateLftInfo::kLidsPerUnit / PrivateLftDefBlock::kLidsPerUnit;
  const auto used = [](const PrivateLftDefBlock::Table& table) { return table.size > 0; };
  for (std::size_t i = 0; i < plft.definitions.size(); ++i) {
    const auto& one = plft.definitions[i];
    if (!used(one)) continue;
    if (one.bank >= mode.banks || one.offset + unsigned{one.size} > kUnits * mode.bank_size)
      return false;
    for (std::size_t j = 0; j < i; ++j) {
      const auto& other = plft.definitions[j];
      if (used(other) && one.bank == other.bank && one.offset < other.offset + other.size &&
          other.offset < one.offset + one.size)
        return false;
    }
  }
  return true;
}

/// Only the mode in use can be set.
MadStatus serve_info(PrivateLftModel& plft, Smp& smp) {
  if (smp.modifier != 0) return mad_status::kInvalidField;
  if (smp.method == Method::kSet) {
    const std::uint8_t wanted = decode_private_lft_info(smp.data).mode_in_use;
    if (wanted > plft.info.mode_count) return mad_status::kInvalidField;
    if (wanted != 0) {
      for (std::size_t i = 0; i < plft.info.mode_count; ++i)
        if (plft_unconfirmed::mode_number(i) == wanted && !fit(plft, plft.info.modes[i]))
          return mad_status::kInvalidField;
    }
    plft.info.mode_in_use = wanted;
  }
  smp.data = encode(plft.info);
  return mad_status::kGood;
}

MadStatus serve_definition(PrivateLftModel& plft, Smp& smp) {
  constexpr std::size_t kTables = PrivateLftDefBlock::kTables;
  const std::size_t first = plft_unconfirmed::block_of_definition(smp.modifier) * kTables;
  if (first >= plft.definitions.size()) return mad_status::kInvalidField;
  const auto begin = plft.definitions.begin() + static_cast<std::ptrdiff_t>(first);
  PrivateLftDefBlock block;
  if (smp.method == Method::kSet) {
    if (plft.in_use()) return mad_status::kInvalidField;
    block = decode_private_lft_def_block(smp.data);
    for (std::size_t i = 0; i < kTables; ++i)
      if (block.tables[i].size > 0 && first + i >= plft.info.tables())
        return mad_status::kInvalidField;
    std::ranges::copy(block.tables, begin);
  }
  std::copy_n(begin, kTables, block.tables.begin());
  smp.data = encode(block);
  return mad_status::kGood;
}

MadStatus serve_map(PrivateLftModel& plft, Smp& smp) {
  const std::size_t table = plft_unconfirmed::plft_of_map(smp.modifier);
  if (table >= plft.info.tables() || plft_unconfirmed::port_block_of_map(smp.modifier) != 0)
    return mad_status::kInvalidField;
  PrivateLftMap map;
  if (smp.method == Method::kSet) {
    if (plft.in_use()) return mad_status::kInvalidField;
    map = decode_private_lft_map(smp.data);
    if (map.sets_top) plft.tops[table] = map.top;
    for (std::size_t port = 0; map.sets_ports && port < plft.tables.size(); ++port)
      if (map.ports.test(port)) plft.tables[port].fill(static_cast<std::uint8_t>(table));
    return mad_status::kGood;
  }
  map.top = plft.tops[table];
  map.ports.reset();
  for (std::size_t port = 0; port < plft.tables.size(); ++port)
    map.ports.set(port, std::ranges::all_of(plft.tables[port],
                                            [&](std::uint8_t of_sl) { return of_sl == table; }));
  smp.data = encode(map);
  return mad_status::kGood;
}

MadStatus serve_sl_map(PrivateLftModel& plft, Smp& smp) {
  constexpr std::size_t kPorts = PortSlToPrivateLftBlock::kPorts;
  const std::size_t first = plft_unconfirmed::block_of_sl_map(smp.modifier) * kPorts;
  if (first >= plft.tables.size()) return mad_status::kInvalidField;
  PortSlToPrivateLftBlock block;
  if (smp.method == Method::kSet) {
    if (plft.in_use()) return mad_status::kInvalidField;
    block = decode_port_sl_to_private_lft_block(smp.data);
    for (const auto& of_port : block.tables)
      for (const std::uint8_t table : of_port)
        if (table >= plft.info.tables()) return mad_status::kInvalidField;
  }
  for (std::size_t i = 0; i < kPorts && first + i < plft.tables.size(); ++i) {
    if (smp.method == Method::kSet) plft.tables[first + i] = block.tables[i];
    block.tables[i] = plft.tables[first + i];
  }
  smp.data = encode(block);
  return mad_status::kGood;
}

}  // namespace

FeatureSupport private_lft_support(const Model& model, Place at) {
  const NodeModel& node = model.node(at.node);
  const bool may_support = node.is_switch && node.adaptive.support == AdaptiveSupport::kFull &&
                           model.has(at.node, DeviceFeature::kPrivateLfts);
  return may_support ? feature_support(Feature::kPrivateLfts, model.options().private_lfts, at.node)
                     : FeatureSupport::kRefused;
}

bool is_private_lft(AttributeId attribute) {
  return std::ranges::find(kPrivateLftAttributes, attribute) != kPrivateLftAttributes.end();
}

bool ignores_private_lfts(const Model& model, const Smp& smp, Place at) {
  if (!is_private_lft(smp.attribute)) return false;
  const FeatureSupport support = private_lft_support(model, at);
  return support == FeatureSupport::kSilent || support == FeatureSupport::kWithoutSettings;
}

MadStatus serve_private_lfts(Model& model, Smp& smp, Place at) {
  const FeatureSupport support = private_lft_support(model, at);
  PrivateLftModel& plft = model.node(at.node).adaptive.plft;
  if (support == FeatureSupport::kFull || support == FeatureSupport::kPart) {
    if (smp.attribute == kPrivateLftInfo) return serve_info(plft, smp);
    if (smp.attribute == kPrivateLftDef) return serve_definition(plft, smp);
    if (smp.attribute == kPrivateLftMap) return serve_map(plft, smp);
    if (support == FeatureSupport::kFull) return serve_sl_map(plft, smp);
  }
  return mad_status::kMethodAttributeUnsupported;
}

PrivateLftModel private_lfts_of_power_up(std::uint8_t port_count) {
  PrivateLftModel plft;
  plft.info.table_count = 8;
  plft.info.mode_count = 2;
  plft.info.modes[0] = {.bank_size = 48, .banks = 2};
  plft.info.modes[1] = {.bank_size = 24, .banks = 4};
  plft.definitions.resize(PrivateLftDefBlock::kTables);
  plft.tables.resize(port_count + std::size_t{1});
  plft.tops.resize(plft.info.tables());
  plft.further_entries.resize(plft.info.tables() - 1);
  return plft;
}

}  // namespace weft::emulator
