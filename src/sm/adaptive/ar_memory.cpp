// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/ar_memory.h"

#include <algorithm>

#include "ib/adaptive_unconfirmed.h"
#include "routing/adaptive/notifications.h"

namespace weft {
namespace {

bool divides(const ArHeld& held, const ArConf& conf, Guid guid) {
  return held.can_divide() && conf.divides_at(guid) && hash_sls(held, conf, guid) != 0;
}

/// The configured SLs with hash-based forwarding.
std::uint16_t configured_hash_sls(const ArConf& conf, Guid guid) {
  const auto own = conf.hash_forwarding_at(guid);
  if (!own) return conf.hbf_sl_mask;
  return !*own ? std::uint16_t{0} : conf.hbf_sl_mask != 0 ? conf.hbf_sl_mask : kAllSls;
}

}  // namespace

bool ArHeld::is_ar_capable() const {
  return answers && ar_unconfirmed::usable_groups(group_capacity()) > 0;
}

bool ArHeld::can_divide() const {
  return can_hash() && has_sub_group_weights() && info.sub_groups >= 2 && info.computes_capacity;
}

bool ArHeld::can_notify() const {
  return is_ar_capable() && info.frn_capable && info.group_copy > 0 &&
         info.directions >= kRnDirections &&
         ar_unconfirmed::strings_of_width(info.string_width) >= kRnStrings;
}

std::size_t ArMemory::count_notifying() const {
  return static_cast<std::size_t>(std::ranges::count_if(switches_, [](const auto& entry) {
    return entry.second.info.enabled && entry.second.info.rn_transmission;
  }));
}

std::size_t ArMemory::count_private() const {
  return static_cast<std::size_t>(std::ranges::count_if(switches_, [](const auto& entry) {
    const ArHeld& held = entry.second;
    return held.info.enabled && held.private_info && held.private_info->mode_in_use != 0;
  }));
}

std::size_t ArMemory::count_on() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      switches_, [](const auto& entry) { return entry.second.info.enabled; }));
}

void ArMemory::distrust(const Observed& observed, const HeldTables& held) {
  std::erase_if(switches_, [&](const auto& entry) {
    return !observed.fabric.find_node(entry.first) || held.find(entry.first) == nullptr;
  });
}

std::uint64_t hash_fields(const ArHeld& held, const ArConf& conf) {
  return conf.hbf_fields & ar_unconfirmed::supported_hash_fields(held.info.more_capabilities);
}

/// Without fields, all packets would have the same hash and use one port of a group.
std::uint16_t hash_sls(const ArHeld& held, const ArConf& conf, Guid guid) {
  const bool hashes = held.can_hash() && hash_fields(held, conf) != 0;
  return hashes ? configured_hash_sls(conf, guid) : std::uint16_t{0};
}

void set_enabled(AdaptiveRoutingInfo& info, std::uint8_t setting, bool enabled) {
  const unsigned bits = enabled ? info.more_enabled | setting : info.more_enabled & ~setting;
  info.more_enabled = static_cast<std::uint8_t>(bits);
}

AdaptiveRoutingInfo configured(const ArHeld& held, const ArConf& conf, Guid guid) {
  AdaptiveRoutingInfo info = held.info;
  info.enabled = true;
  info.no_fallback = false;  // otherwise, a write of a plain table would fail
  info.sub_groups_active = ar_unconfirmed::active_sub_groups(divides(held, conf, guid) ? 2 : 1);
  info.ageing_time_us = conf.ageing_time_at(guid);
  if (info.by_sl_capable) {
    info.by_sl_enabled = conf.sl_mask != kAllSls;
    info.sl_mask = conf.sl_mask;
  }
  if (info.by_transport_capable)
    info.transports_excluded = static_cast<std::uint8_t>(~conf.transport_mask & kArTransports);
  if (held.announces_hashing()) {
    info.hbf_sl_mask = hash_sls(held, conf, guid);
    set_enabled(info, AdaptiveRoutingInfo::kHbfBySlEnabled, info.hbf_sl_mask != 0);
  }
  if (held.has_sub_group_weights())
    set_enabled(info, AdaptiveRoutingInfo::kWhbfEnabled, divides(held, conf, guid));
  return info;
}

std::vector<std::uint16_t> group_capacities(const Fabric& fabric, const ArMemory& known,
                                            const ArConf& conf) {
  std::vector<std::uint16_t> capacities(fabric.switch_count(), 0);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const Guid guid = fabric.node(SwitchId(s)).node_guid;
    const ArHeld* held = known.find(guid);
    // Without support for the selection of SLs, a switch routes all SLs adaptively.
    if (held != nullptr && held->is_ar_capable() && conf.enabled_at(guid) &&
        (conf.sl_mask == kAllSls || held->info.by_sl_capable))
      capacities[s] = ar_unconfirmed::usable_groups(held->group_capacity());
  }
  return capacities;
}

std::vector<std::uint8_t> dividing(const Fabric& fabric, const ArMemory& known,
                                   const ArConf& conf) {
  std::vector<std::uint8_t> all(fabric.switch_count(), 0);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const Guid guid = fabric.node(SwitchId(s)).node_guid;
    const ArHeld* held = known.find(guid);
    all[s] = held != nullptr && divides(*held, conf, guid) ? 1 : 0;
  }
  return all;
}

std::vector<std::uint8_t> notifying(const Fabric& fabric, const ArMemory& known,
                                    const ArConf& conf) {
  std::vector<std::uint8_t> all(fabric.switch_count(), 0);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const Guid guid = fabric.node(SwitchId(s)).node_guid;
    const ArHeld* held = known.find(guid);
    all[s] = held != nullptr && held->can_notify() && conf.enabled_at(guid) ? 1 : 0;
  }
  return all;
}

}  // namespace weft
