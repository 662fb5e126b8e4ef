// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/adaptive_attributes.h"

#include <algorithm>

#include "emulator/agent/notification_tables.h"
#include "ib/adaptive_unconfirmed.h"

namespace weft::emulator {
namespace {

/// The settings in byte 22 that correspond to capabilities in byte 20.
std::uint8_t settings_of(std::uint8_t capabilities) {
  using Info = AdaptiveRoutingInfo;
  std::uint8_t settings = 0;
  if ((capabilities & Info::kPfrnCapable) != 0) settings |= Info::kPfrnEnabled;
  if ((capabilities & Info::kWhbfCapable) != 0) settings |= Info::kWhbfEnabled;
  if ((capabilities & Info::kHbfCapable) != 0) settings |= Info::kHbfBySlEnabled;
  return settings;
}

/// A new number of sub-groups changes the meaning of the group table. The switch therefore clears
/// this table, the tables of the groups' weights and directions, and the AR forwarding table.
void clear_groups(AdaptiveModel& adaptive) {
  adaptive.entries.clear();
  for (auto& entries : adaptive.plft.further_entries) entries.clear();
  adaptive.groups.clear();
  adaptive.weights.clear();
  adaptive.directions.clear();
}

/// A Set of AdaptiveRoutingInfo changes the settable fields; other fields are unchanged.
MadStatus serve_adaptive_routing_info(Model& model, Notifications& notifications, Smp& smp,
                                      Place at) {
  AdaptiveModel& adaptive = model.node(at.node).adaptive;
  AdaptiveRoutingInfo& info = adaptive.info;
  if (smp.method == Method::kGet && smp.modifier == ar_unconfirmed::kCapacityForSettings &&
      info.computes_capacity) {
    AdaptiveRoutingInfo settings = decode_adaptive_routing_info(smp.data);
    settings.group_capacity = adaptive.capacity_with(settings);
    smp.data = encode(settings, smp.data);
    return mad_status::kGood;
  }
  if (smp.method == Method::kSet) {
    const AdaptiveRoutingInfo wanted = decode_adaptive_routing_info(smp.data);
    const std::uint16_t capacity = adaptive.capacity_with(wanted);
    if (wanted.enabled && (capacity == 0 || wanted.group_top >= capacity))
      return mad_status::kInvalidField;
    if (wanted.sub_groups_active > 0 && wanted.sub_groups_active >= info.sub_groups)
      return mad_status::kInvalidField;
    if (info.sub_groups_active != wanted.sub_groups_active) clear_groups(adaptive);
    info.sub_groups_active = wanted.sub_groups_active;
    info.group_capacity = capacity;
    info.enabled = wanted.enabled;
    info.group_top = wanted.group_top;
    info.no_fallback = wanted.no_fallback;
    info.ageing_time_us = wanted.ageing_time_us;
    info.by_sl_enabled = wanted.by_sl_enabled && info.by_sl_capable;
    info.sl_mask = wanted.sl_mask;
    if (info.by_transport_capable) info.transports_excluded = wanted.transports_excluded;
    info.more_enabled = wanted.more_enabled & settings_of(info.more_capabilities);
    info.hbf_sl_mask = wanted.hbf_sl_mask;
    info.rn_transmission = wanted.rn_transmission && info.frn_capable;
    info.global_groups =
        wanted.global_groups && info.frn_capable && info.group_capacity > kArGroupsFew;
    adaptive.info_data = smp.data;
    notifications.reset(at.node);
  }
  smp.data = encode(info, adaptive.info_data);
  return mad_status::kGood;
}

MadStatus serve_ar_group_table(AdaptiveModel& adaptive, Smp& smp) {
  const std::size_t first =
      std::size_t{ar_unconfirmed::block_of_group_table(smp.modifier)} * ArGroupBlock::kGroups;
  if (first >= std::size_t{adaptive.info.group_capacity} * adaptive.sub_groups())
    return mad_status::kInvalidField;
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

MadStatus serve_ar_group_copy(AdaptiveModel& adaptive, const Smp& smp) {
  const std::uint16_t capacity = adaptive.info.group_capacity;
  const std::uint16_t source = ar_unconfirmed::source_of_group_copy(smp.modifier);
  if (adaptive.info.group_copy == 0 || smp.method != Method::kSet)
    return mad_status::kMethodAttributeUnsupported;
  const ArGroupCopyBlock block = decode_ar_group_copy_block(smp.data);
  for (const ArGroupCopyBlock::Range& range : block.ranges)
    if (range.first > range.last || range.last >= capacity || source >= capacity)
      return mad_status::kInvalidField;
  const std::size_t each = adaptive.sub_groups();
  adaptive.groups.resize(std::max<std::size_t>(adaptive.groups.size(), capacity * each));
  for (const ArGroupCopyBlock::Range& range : block.ranges)
    for (std::size_t number = range.first; number <= range.last; ++number)
      for (std::size_t i = 0; i < each; ++i)
        adaptive.groups[number * each + i] = adaptive.groups[source * each + i];
  return mad_status::kGood;
}

/// A Set of fields that the switch cannot hash has no effect on these fields.
MadStatus serve_hbf_config(NodeModel& node, Smp& smp) {
  AdaptiveModel& adaptive = node.adaptive;
  if ((adaptive.info.more_capabilities & AdaptiveRoutingInfo::kHbfCapable) == 0)
    return mad_status::kMethodAttributeUnsupported;
  if (smp.modifier != ar_unconfirmed::kHbfOfAllPorts) return mad_status::kInvalidField;
  if (smp.method == Method::kSet) {
    const HbfConfig wanted = decode_hbf_config(smp.data);
    if (wanted.hash > HbfConfig::kXor || wanted.seed_type > HbfConfig::kRandomSeed)
      return mad_status::kInvalidField;
    adaptive.hashing = wanted;
    adaptive.hashing.fields &=
        node.quirks.stored_hash_fields &
        ar_unconfirmed::supported_hash_fields(adaptive.info.more_capabilities);
  }
  smp.data = encode(adaptive.hashing);
  return mad_status::kGood;
}

/// Weights of sub-groups beyond the active ones must be 0.
MadStatus serve_whbf_config(AdaptiveModel& adaptive, Smp& smp) {
  if ((adaptive.info.more_capabilities & AdaptiveRoutingInfo::kWhbfCapable) == 0)
    return mad_status::kMethodAttributeUnsupported;
  const std::size_t first =
      std::size_t{ar_unconfirmed::block_of_weights(smp.modifier)} * WhbfBlock::kGroups;
  if (first >= adaptive.info.group_capacity) return mad_status::kInvalidField;
  if (adaptive.weights.size() < first + WhbfBlock::kGroups)
    adaptive.weights.resize(first + WhbfBlock::kGroups);
  const auto begin = adaptive.weights.begin() + static_cast<std::ptrdiff_t>(first);
  WhbfBlock block = decode_whbf_block(smp.data);
  if (smp.method == Method::kSet) {
    for (const SubGroupWeights& weights : block.weights)
      for (std::size_t i = adaptive.sub_groups(); i < weights.size(); ++i)
        if (weights[i] != 0) return mad_status::kInvalidField;
    std::ranges::copy(block.weights, begin);
  }
  std::copy_n(begin, WhbfBlock::kGroups, block.weights.begin());
  smp.data = encode(block);
  return mad_status::kGood;
}

MadStatus serve_pfrn_config(NodeModel& node, Smp& smp) {
  AdaptiveModel& adaptive = node.adaptive;
  if ((adaptive.info.more_capabilities & AdaptiveRoutingInfo::kPfrnCapable) == 0)
    return mad_status::kMethodAttributeUnsupported;
  if (smp.method == Method::kSet) {
    PfrnConfig wanted = decode_pfrn_config(smp.data);
    if (wanted.clear_s > PfrnConfig::kClearMax || wanted.policy > PfrnConfig::kDragonflyPlus)
      return mad_status::kInvalidField;
    const unsigned step = node.quirks.pfrn_time_step_s;
    for (std::uint16_t* time : {&wanted.clear_s, &wanted.force_clear_s})
      *time = static_cast<std::uint16_t>((*time + step - 1) / step * step);
    wanted.selects_policy = adaptive.pfrn.selects_policy;
    if (!wanted.selects_policy) wanted.policy = adaptive.pfrn.policy;
    adaptive.pfrn = wanted;
  }
  smp.data = encode(adaptive.pfrn);
  return mad_status::kGood;
}

bool accepts(const AdaptiveRoutingInfo& info, const ArLftEntry& entry) {
  constexpr std::uint8_t kStatic = 2, kHash = 3;
  const bool hashes = (info.more_capabilities & AdaptiveRoutingInfo::kHbfCapable) != 0;
  return entry.state == kStatic ||
         (entry.group < info.group_capacity && (entry.state != kHash || hashes));
}

MadStatus serve_ar_forwarding_table(NodeModel& node, Smp& smp) {
  AdaptiveModel& adaptive = node.adaptive;
  if (adaptive.support != AdaptiveSupport::kFull) return mad_status::kMethodAttributeUnsupported;
  const std::size_t first =
      std::size_t{ar_unconfirmed::block_of_forwarding_table(smp.modifier)} * ArLftBlock::kEntries;
  const unsigned table = ar_unconfirmed::plft_of_forwarding_table(smp.modifier);
  if (first >= node.switch_info.linear_fdb_cap || table > adaptive.plft.further_entries.size())
    return mad_status::kInvalidField;
  auto& entries = adaptive.entries_of(table);
  if (entries.size() < first + ArLftBlock::kEntries) entries.resize(first + ArLftBlock::kEntries);
  ArLftBlock block;
  if (smp.method == Method::kSet) {
    block = decode_ar_lft_block(smp.data);
    for (const ArLftEntry& entry : block.entries)
      if (!accepts(adaptive.info, entry)) return mad_status::kInvalidField;
    std::copy(block.entries.begin(), block.entries.end(),
              entries.begin() + static_cast<std::ptrdiff_t>(first));
  }
  std::copy_n(entries.begin() + static_cast<std::ptrdiff_t>(first), ArLftBlock::kEntries,
              block.entries.begin());
  smp.data = encode(block);
  return mad_status::kGood;
}

}  // namespace

// With AdaptiveSwitches::kMixed, every fifth switch does not support adaptive routing.
bool supports_adaptive(const Model& model, Place at) {
  const AdaptiveSwitches kind = model.options().adaptive;
  return model.node(at.node).is_switch &&
         ar_unconfirmed::may_support_general_info(model.device_id(at.node)) &&
         (kind == AdaptiveSwitches::kAnswered ||
          (kind == AdaptiveSwitches::kMixed && at.node.value() % 5 != 4));
}

bool ignores_adaptive_routing(const Model& model, const Smp& smp, Place at) {
  return std::ranges::find(kAdaptiveAttributes, smp.attribute) != kAdaptiveAttributes.end() &&
         model.options().adaptive == AdaptiveSwitches::kIgnored && model.node(at.node).is_switch;
}

MadStatus serve_adaptive_routing(Model& model, Notifications& notifications, Smp& smp, Place at) {
  if (!supports_adaptive(model, at)) return mad_status::kMethodAttributeUnsupported;
  NodeModel& node = model.node(at.node);
  if (smp.attribute == kAdaptiveRoutingInfo)
    return serve_adaptive_routing_info(model, notifications, smp, at);
  if (smp.attribute == kArGroupTable) return serve_ar_group_table(node.adaptive, smp);
  if (smp.attribute == kArGroupTableCopy) return serve_ar_group_copy(node.adaptive, smp);
  if (smp.attribute == kHbfConfig) return serve_hbf_config(node, smp);
  if (smp.attribute == kWhbfConfig) return serve_whbf_config(node.adaptive, smp);
  if (smp.attribute == kPfrnConfig) return serve_pfrn_config(node, smp);
  if (smp.attribute == kArForwardingTable) return serve_ar_forwarding_table(node, smp);
  return serve_notification_table(node.adaptive, smp);
}

}  // namespace weft::emulator
