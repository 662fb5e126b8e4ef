// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive routing attributes, as far as the behaviour of such switches is known.
#include <algorithm>

#include "emulator/sma.h"
#include "ib/adaptive_unconfirmed.h"

namespace weft::emulator {

bool Sma::ignores_adaptive(const Smp& smp, Place at) const {
  return std::ranges::find(kAdaptiveAttributes, smp.attribute) != kAdaptiveAttributes.end() &&
         model_.options().adaptive == AdaptiveSwitches::kIgnored && model_.node(at.node).is_switch;
}

/// Of mixed switches, every fifth does not support adaptive routing.
bool Sma::supports_adaptive(Place at) const {
  const AdaptiveSwitches kind = model_.options().adaptive;
  return model_.node(at.node).is_switch &&
         ar_unconfirmed::may_support_adaptive(model_.device_id(at.node)) &&
         (kind == AdaptiveSwitches::kAnswered ||
          (kind == AdaptiveSwitches::kMixed && at.node.value() % 5 != 4));
}

Sma::Bits Sma::adaptive_attribute(Smp& smp, Place at) {
  if (supports_adaptive(at)) {
    if (smp.attribute == kAdaptiveRoutingInfo) return adaptive_routing_info(smp, at);
    if (smp.attribute == kArGroupTable) return ar_group_table(smp, at);
    if (smp.attribute == kArForwardingTable) return ar_forwarding_table(smp, at);
    return notification_attribute(smp, at);
  }
  return mad_status::kMethodAttributeUnsupported;
}

/// A Set of AdaptiveRoutingInfo changes the settable fields; the rest is kept.
Sma::Bits Sma::adaptive_routing_info(Smp& smp, Place at) {
  AdaptiveRoutingInfo& info = model_.node(at.node).adaptive.info;
  if (smp.method == Method::kSet) {
    const AdaptiveRoutingInfo wanted = decode_adaptive_routing_info(smp.data);
    if (wanted.enabled && (info.group_capacity == 0 || wanted.group_top >= info.group_capacity))
      return mad_status::kInvalidField;
    info.enabled = wanted.enabled;
    info.group_top = wanted.group_top;
    info.no_fallback = wanted.no_fallback;
    info.ageing_time_us = wanted.ageing_time_us;
    info.sl_mask = wanted.sl_mask;
    info.rn_transmission = wanted.rn_transmission && info.frn_capable;
    notifications_.reset(at.node);
  }
  smp.data = encode(info);
  return mad_status::kGood;
}

Sma::Bits Sma::ar_group_table(Smp& smp, Place at) {
  AdaptiveModel& adaptive = model_.node(at.node).adaptive;
  const std::size_t first =
      std::size_t{ar_unconfirmed::block_of_group_table(smp.modifier)} * ArGroupBlock::kGroups;
  if (first >= adaptive.info.group_capacity) return mad_status::kInvalidField;
  if (adaptive.groups.size() < first + ArGroupBlock::kGroups)
    adaptive.groups.resize(first + ArGroupBlock::kGroups);
  ArGroupBlock block;
  if (smp.method == Method::kSet) block = decode_ar_group_block(smp.data);
  for (std::size_t g = 0; g < ArGroupBlock::kGroups; ++g) {
    if (smp.method == Method::kSet) adaptive.groups[first + g] = block.groups[g];
    block.groups[g] = adaptive.groups[first + g];
  }
  smp.data = encode(block);
  return mad_status::kGood;
}

Sma::Bits Sma::ar_forwarding_table(Smp& smp, Place at) {
  NodeModel& node = model_.node(at.node);
  AdaptiveModel& adaptive = node.adaptive;
  if (adaptive.info.version < ar_unconfirmed::kVersionMin)
    return mad_status::kMethodAttributeUnsupported;
  const std::size_t first =
      std::size_t{ar_unconfirmed::block_of_forwarding_table(smp.modifier)} * ArLftBlock::kEntries;
  if (first >= node.switch_info.linear_fdb_cap) return mad_status::kInvalidField;
  if (adaptive.entries.size() < first + ArLftBlock::kEntries)
    adaptive.entries.resize(first + ArLftBlock::kEntries);
  ArLftBlock block;
  if (smp.method == Method::kSet) {
    block = decode_ar_lft_block(smp.data);
    for (const ArLftEntry& entry : block.entries)
      if (entry.state > 2 || (entry.state < 2 && entry.group >= adaptive.info.group_capacity))
        return mad_status::kInvalidField;
    std::copy(block.entries.begin(), block.entries.end(),
              adaptive.entries.begin() + static_cast<std::ptrdiff_t>(first));
  }
  std::copy_n(adaptive.entries.begin() + static_cast<std::ptrdiff_t>(first), ArLftBlock::kEntries,
              block.entries.begin());
  smp.data = encode(block);
  return mad_status::kGood;
}

}  // namespace weft::emulator
