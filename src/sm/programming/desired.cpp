// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/desired.h"

#include <algorithm>
#include <set>
#include <span>

#include "base/check.h"
#include "fabric/lids.h"
#include "fabric/planes.h"
#include "sm/keys/port_key.h"
#include "sm/programming/mft_blocks.h"

namespace weft {
namespace {

/// Sets the address fields of endports: CA ports, and port 0 of switches.
void set_endport_fields(PortInfo& info, EndportId id, const Desired& desired,
                        const SmOptions& options) {
  const Endport& endport = desired.fabric.endport(id);
  info.gid_prefix = options.subnet_prefix;
  info.lid = endport.lid;
  info.lmc = endport.lmc;
  info.master_sm_lid = sm_lid_of(desired, endport);
  info.master_sm_sl = master_sm_sl(desired, id);
  info.subnet_timeout = options.subnet_timeout;
  const Guid guid = desired.fabric.port(endport.port).guid;
  if (info.mkey == port_key(options, guid)) set_key(info, options, guid);
}

/// Width by force_link_width, without 2x if the node does not announce 2x. On a switch, port 0
/// announces 2x for all ports.
std::uint8_t forced_width(const ObservedNode& node, const PortInfo& info,
                          const SmOptions& options) {
  constexpr auto k2x = static_cast<std::uint8_t>(LinkWidth::k2x);
  const PortInfo& announcing = node.info.type == NodeType::kSwitch ? node.ports[0] : info;
  const bool has_2x = (announcing.capability_mask & cap_mask::kCapabilityMask2) != 0 &&
                      (announcing.capability_mask2 & cap_mask2::kLinkWidth2x) != 0;
  std::uint8_t supported = info.link_width_supported;
  if (options.force_link_width != 255 && !has_2x)
    supported = static_cast<std::uint8_t>(supported & ~unsigned{k2x});
  return forced_mask(options.force_link_width, 255, supported, info.link_width_enabled);
}

/// The mask for the speed XDR: 0 (unchanged) if force_link_speed_ext is not 31 and
/// force_link_speed_ext2 has its default, 7.
std::uint8_t forced_speed_ext2(const PortInfo& info, const SmOptions& options) {
  if (options.force_link_speed_ext2 == 7 && options.force_link_speed_ext != 31) return 0;
  return forced_mask(options.force_link_speed_ext2, 7, info.link_speed_ext2_supported,
                     info.link_speed_ext2_enabled);
}

/// Sets the error thresholds, the default state of a link that goes down, and the enabled widths
/// and speeds.
void set_link_fields(const ObservedNode& node, PortInfo& info, const SmOptions& options) {
  info.link_down_default = PhysState::kPolling;
  info.local_phy_errors = options.local_phy_errors_threshold;
  info.overrun_errors = options.overrun_errors_threshold;
  info.link_width_enabled = forced_width(node, info, options);
  info.link_speed_enabled =
      forced_mask(options.force_link_speed, 15, info.link_speed_supported, info.link_speed_enabled);
  info.link_speed_ext_enabled = forced_mask(
      options.force_link_speed_ext, 31, info.link_speed_ext_supported, info.link_speed_ext_enabled);
  info.link_speed_ext2_enabled = forced_speed_ext2(info, options);
}

/// 0 in a Set leaves the enabled values unchanged.
void keep_enabled(PortInfo& info) {
  info.link_width_enabled = 0;
  info.link_speed_enabled = 0;
  info.link_speed_ext_enabled = 0;
  info.link_speed_ext2_enabled = 0;
}

void set_switch_port_fields(PortInfo& info, bool leads_to_switch, const SmOptions& options) {
  info.hoq_life =
      leads_to_switch ? options.head_of_queue_lifetime : options.leaf_head_of_queue_lifetime;
  info.vl_stall_count = leads_to_switch ? options.vl_stall_count : options.leaf_vl_stall_count;
}

/// If two ports have the same LID, the port to which this manager assigned the LID keeps it.
/// `known`: whether this manager assigned the LIDs, by index in `wanted`.
void drop_conflicting_lids(std::vector<LidRange>& wanted, const std::vector<bool>& known) {
  constexpr std::size_t kLids = 0x10000 + (1u << kLmcMax);
  std::vector<std::uint8_t> assigned(kLids, 0);  // by LID: 1 if this manager assigned the LID
  const auto lids = [&](const LidRange& range) {
    return std::span(assigned).subspan(range.base.value(), std::size_t{1} << range.lmc);
  };
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (known[i]) std::ranges::fill(lids(wanted[i]), std::uint8_t{1});
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!known[i] && std::ranges::count(lids(wanted[i]), 1) > 0) wanted[i] = {};
}

}  // namespace

Lid sm_lid_of(const Desired& desired, const Endport& endport) {
  return desired.sm_at.empty() || endport.sw == kNoSwitch
             ? desired.sm_lid
             : desired.fabric.endport(desired.sm_at[endport.sw.value()]).lid;
}

std::vector<EndportId> manager_by_switch(const Observed& observed, const Fabric& fabric) {
  if (observed.more_own_ports.empty()) return {};
  const std::vector<std::uint32_t> part = connected_parts(fabric);
  std::vector<EndportId> of_part(fabric.switch_count(), kNoEndport);
  std::vector<PortNum> own{fabric.port(fabric.endport(observed.self_endport).port).num};
  own.insert(own.end(), observed.more_own_ports.begin(), observed.more_own_ports.end());
  for (const PortNum num : own) {
    const PortId port = fabric.port_id(observed.self, num);
    const EndportId id = port == kNoPort ? kNoEndport : fabric.endport_at(port);
    if (id == kNoEndport || !fabric.endport(id).addressed()) continue;
    EndportId& of = of_part[part[fabric.endport(id).sw.value()]];
    if (of == kNoEndport) of = id;
  }
  std::vector<EndportId> result;
  for (const std::uint32_t p : part)
    result.push_back(of_part[p] == kNoEndport ? observed.self_endport : of_part[p]);
  return result;
}

std::uint8_t forced_mask(std::uint8_t option, std::uint8_t all, std::uint8_t supported,
                         std::uint8_t enabled) {
  if (option == 0) return 0;
  if (option == all) return enabled == supported ? std::uint8_t{0} : all;
  if (option == 30 && all == 31) return enabled == 0 ? std::uint8_t{0} : option;  // "none"
  const auto wanted = static_cast<std::uint8_t>(option & supported);
  return wanted == 0 || wanted == enabled ? std::uint8_t{0} : wanted;
}

Result<Fabric> assign_subnet_lids(const Observed& observed, const SmOptions& options,
                                  LidMemory& memory) {
  const Fabric& fabric = observed.fabric;
  if (options.reassign_lids) memory.clear();
  std::vector<LidRange> wanted = current_lids(fabric);
  LidOptions rules{.lmc = options.lmc,
                   .lmc_esp0 = options.lmc_esp0,
                   .reassign = options.reassign_lids,
                   .avoid = {}};
  LidMemory absent = memory;
  std::vector<bool> known_of(wanted.size(), false);
  for (std::uint32_t i = 0; i < wanted.size(); ++i) {
    const auto known = find_lid(fabric, EndportId(i), memory);
    if (known == memory.end()) continue;
    if (absent.erase(known->first) == 0) continue;  // another port has the same GUID
    wanted[i] = known->second;
    known_of[i] = true;
  }
  drop_conflicting_lids(wanted, known_of);
  for (const auto& [key, range] : absent) rules.avoid.push_back(range);
  const auto assigned = assign_lids(fabric, wanted, rules);
  if (!assigned) return forward(assigned);
  std::set<LidKey> kept;  // first of the ports with the same GUID
  for (std::uint32_t i = 0; i < assigned->size(); ++i) {
    const LidKey key = lid_key(fabric, EndportId(i), memory);
    if (key.port != PortNum(0)) memory.erase(key.guid);  // stored when no other port had the GUID
    if (kept.insert(key).second) memory[key] = (*assigned)[i];
  }
  // The LID of an absent GUID may have been assigned again: the file must not contain a LID twice.
  std::erase_if(memory, [&](const auto& entry) {
    if (!absent.contains(entry.first)) return false;
    const unsigned base = entry.second.base.value();
    return std::ranges::any_of(*assigned, [&](const LidRange& range) {
      return range.base.value() <= base + (1u << entry.second.lmc) - 1 &&
             base <= range.base.value() + (1u << range.lmc) - 1u;
    });
  });
  return fabric.with_lids(*assigned);
}

void set_key(PortInfo& info, const SmOptions& options, Guid port) {
  info.mkey = port_key(options, port);
  info.mkey_protect = options.m_key_protection_level;
  info.mkey_lease_period_s = options.m_key_lease_period;
}

std::uint8_t master_sm_sl(const Desired& desired, EndportId endport) {
  const Fabric& fabric = desired.fabric;
  const Lid sm_lid = sm_lid_of(desired, fabric.endport(endport));
  const EndportId manager = fabric.endport_of(sm_lid);
  const bool named = desired.routes.path_sl.kind() != PathSl::Kind::kUniform &&
                     manager != kNoEndport && fabric.endport(manager).sw != kNoSwitch &&
                     fabric.endport(endport).sw != kNoSwitch;
  const Sl sl = named ? desired.routes.path_sl.sl(fabric, endport, sm_lid) : Sl(desired.sm_sl);
  return sl.value() < kSlCount ? sl.value() : desired.sm_sl;
}

bool needs_reregistration(const Desired& desired, NodeId node, PortNum port) {
  return !desired.reregister.empty() &&
         desired.reregister[desired.fabric.port_id(node, port).value()];
}

bool changes_key(const PortInfo& held, const Desired& desired, const SmOptions& options,
                 NodeId node, PortNum port) {
  const PortId id = desired.fabric.port_id(node, port);
  return desired.fabric.endport_at(id) != kNoEndport &&
         held.mkey != port_key(options, desired.fabric.port(id).guid);
}

PortInfo desired_port(const Observed& observed, const Desired& desired, const SmOptions& options,
                      NodeId node, PortNum port) {
  const Fabric& fabric = desired.fabric;
  PortInfo info = observed.nodes[node.value()].ports[port.value()];
  const bool in_use = is_in_use(info);
  info.state = PortState::kNoChange;
  info.phys_state = PhysState::kNoChange;
  info.client_reregister = false;
  const PortId id = fabric.port_id(node, port);
  const bool at_switch = fabric.is_switch(node);
  if (const EndportId endport = fabric.endport_at(id); endport != kNoEndport)
    set_endport_fields(info, endport, desired, options);
  if (const PortArbitration* arbitration = desired.lanes.arbitration(id))
    info.vl_high_limit = arbitration->high_limit;
  // Port 0 has no link that limits its MTU.
  if (at_switch && port == PortNum(0) && observed.nodes[node.value()].switch_info.enhanced_port0)
    info.neighbor_mtu = info.mtu_cap;
  const PortId peer_id = fabric.port(id).peer;
  if (peer_id == kNoPort) {
    keep_enabled(info);
    return info;
  }
  const Port& peer = fabric.port(peer_id);
  set_link_fields(observed.nodes[node.value()], info, options);
  if (!in_use) {
    const LinkParameters wanted = desired.links.empty()
                                      ? link_parameters(observed, fabric, id, vl_limit(options))
                                      : desired.links[id.value()];
    info.neighbor_mtu = wanted.neighbor_mtu;
    info.operational_vls = wanted.operational_vls;
  }
  if (at_switch) set_switch_port_fields(info, fabric.is_switch(peer.node), options);
  if (at_switch && desired.pkeys.is_set()) {
    info.partition_enforcement_inbound = desired.pkeys.enforces_inbound(id);
    info.partition_enforcement_outbound = desired.pkeys.enforces_outbound(id);
  }
  return info;
}

VlArbTable planned_arbitration(const Desired& desired, NodeId node, std::uint16_t index) {
  const PortId port =
      desired.fabric.port_id(node, PortNum(static_cast<std::uint8_t>(index & 0xFF)));
  const PortArbitration* arbitration = desired.lanes.arbitration(port);
  CHECK(arbitration != nullptr);
  const auto block = block_of(*arbitration, static_cast<modifier::VlArbBlock>(index >> 8));
  CHECK(block.has_value());
  return *block;
}

SwitchInfo desired_switch(const Observed& observed, const Desired& desired,
                          const SmOptions& options, SwitchId sw) {
  SwitchInfo info = observed.nodes[sw.value()].switch_info;
  info.linear_fdb_top = std::min<std::uint16_t>(
      desired.routes.lfts.top().value(),
      static_cast<std::uint16_t>(std::max<int>(info.linear_fdb_cap, 1) - 1));
  const PortInfo& own = observed.nodes[sw.value()].ports[0];
  if (options.use_mfttop && (own.capability_mask & cap_mask::kMulticastFdbTop) != 0)
    info.multicast_fdb_top = mft_top(desired.routes.mfts);
  info.life_time_value = options.packet_life_time;
  info.port_state_change = false;  // 0 in a Set leaves the bit unchanged; discovery clears it
  return info;
}

}  // namespace weft
