// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/port_info.h"

#include <optional>

#include "ib/modifiers.h"

namespace weft::emulator {
namespace {

/// An "enabled" mask after a Set: 0 leaves the value unchanged, `all` enables all supported bits;
/// unsupported bits are an error.
std::optional<std::uint8_t> new_mask(unsigned wanted, unsigned now, unsigned supported,
                                     unsigned all) {
  if (wanted == 0) return static_cast<std::uint8_t>(now);
  if (wanted == all) return static_cast<std::uint8_t>(supported);
  if ((wanted & ~supported) != 0) return std::nullopt;
  return static_cast<std::uint8_t>(wanted);
}

/// State changes that a Set may request: one step up, or down from any state.
bool may_become(PortState now, PortState wanted) {
  if (wanted == PortState::kNoChange || wanted == PortState::kDown || wanted == now) return true;
  return (now == PortState::kInit && wanted == PortState::kArmed) ||
         (now == PortState::kArmed && wanted == PortState::kActive);
}

bool may_become(PhysState wanted) {
  return wanted == PhysState::kNoChange || wanted == PhysState::kSleep ||
         wanted == PhysState::kPolling || wanted == PhysState::kDisabled;
}

bool addresses_are_valid(const PortInfo& wanted, bool lmc_allowed) {
  if (wanted.lid != kLidNone && !is_unicast(wanted.lid)) return false;
  if (wanted.master_sm_lid != kLidNone && !is_unicast(wanted.master_sm_lid)) return false;
  if (wanted.lmc != 0 && !lmc_allowed) return false;
  const unsigned span = 1u << wanted.lmc;
  return wanted.lid.value() % span == 0 && wanted.lid.value() + span - 1 <= kLidUnicastLast.value();
}

/// Sets the fields that exist only on the port of an SMA, such as addresses and keys.
void take_agent_fields(PortInfo& info, const PortInfo& wanted) {
  info.mkey = wanted.mkey;
  info.mkey_protect = wanted.mkey_protect;
  info.mkey_lease_period_s = wanted.mkey_lease_period_s;
  info.gid_prefix = wanted.gid_prefix;
  info.lid = wanted.lid;
  info.lmc = wanted.lmc;
  info.master_sm_lid = wanted.master_sm_lid;
  info.master_sm_sl = wanted.master_sm_sl;
  info.subnet_timeout = wanted.subnet_timeout;
  info.mcast_pkey_trap_suppression = wanted.mcast_pkey_trap_suppression;
  info.init_type_reply = wanted.init_type_reply;
  // Counters can be cleared, but not set to other values.
  if (wanted.mkey_violations == 0) info.mkey_violations = 0;
  if (wanted.qkey_violations == 0) info.qkey_violations = 0;
}

void take_link_fields(PortInfo& info, const PortInfo& wanted, bool takes_thresholds) {
  if (wanted.link_down_default != PhysState::kNoChange)
    info.link_down_default = wanted.link_down_default;
  if (wanted.neighbor_mtu != 0) info.neighbor_mtu = wanted.neighbor_mtu;
  if (wanted.operational_vls != 0) info.operational_vls = wanted.operational_vls;
  info.vl_high_limit = wanted.vl_high_limit;
  info.partition_enforcement_inbound = wanted.partition_enforcement_inbound;
  info.partition_enforcement_outbound = wanted.partition_enforcement_outbound;
  info.filter_raw_inbound = wanted.filter_raw_inbound;
  info.filter_raw_outbound = wanted.filter_raw_outbound;
  if (wanted.pkey_violations == 0) info.pkey_violations = 0;
  if (!takes_thresholds) return;
  info.vl_stall_count = wanted.vl_stall_count;
  info.hoq_life = wanted.hoq_life;
  info.local_phy_errors = wanted.local_phy_errors;
  info.overrun_errors = wanted.overrun_errors;
}

/// Sets the fields of extended speeds to 0, as in the response to an SM that does not support them.
void clear_extended_speeds(PortInfo& info) {
  info.link_speed_ext_active = info.link_speed_ext_supported = info.link_speed_ext_enabled = 0;
  info.link_speed_ext2_active = info.link_speed_ext2_supported = info.link_speed_ext2_enabled = 0;
}

}  // namespace

MadStatus PortInfoAgent::serve(Smp& smp, Place at) {
  const auto [num, extended_requested] = modifier::read_port_info(smp.modifier);
  const NodeModel& node = model_.node(at.node);
  PortNum target_num = num;
  if (!node.is_switch && num == PortNum(0)) target_num = at.port;
  if ((smp.modifier & 0x7FFFFF00u) != 0 || target_num.value() > node.port_count)
    return mad_status::kInvalidField;
  const ExtendedSpeeds extended = node.quirks.extended_speeds;
  if (extended_requested &&
      (extended == ExtendedSpeeds::kUnsupported || extended == ExtendedSpeeds::kRefused))
    return mad_status::kInvalidField;
  const bool without = extended == ExtendedSpeeds::kOnRequest && !extended_requested;
  const PortId target = model_.port_id(at.node, target_num);
  bool reregister = false;
  if (smp.method == Method::kSet) {
    // An SMA of a CA manages only the port that received the request.
    if (!node.is_switch && target_num != at.port) return mad_status::kInvalidField;
    auto wanted = decode_port_info(smp.data);
    if (!wanted) return mad_status::kInvalidField;
    if (without) wanted->link_speed_ext_enabled = wanted->link_speed_ext2_enabled = 0;
    const MadStatus status = set(at, target, *wanted);
    if (status != mad_status::kGood) return status;
    reregister = wanted->client_reregister;
    model_.port(target).reregistrations += reregister;
  }
  PortInfo shown = model_.port(target).info;
  shown.local_port = at.port;
  shown.client_reregister = reregister;  // an action bit: the response to a Set repeats it
  // At level 0 any Get returns the key; from level 1 on, only a Get with the right key.
  if (shown.mkey_protect >= 1 && shown.mkey != smp.mkey && smp.method == Method::kGet)
    shown.mkey = Mkey(0);
  if (without) clear_extended_speeds(shown);
  smp.data = encode(shown);
  return mad_status::kGood;
}

MadStatus PortInfoAgent::set(Place at, PortId target, const PortInfo& wanted) {
  const NodeModel& node = model_.node(at.node);
  const bool is_agent = model_.agent_port(at.node, at.port) == target;
  const bool is_port0 = is_agent && node.is_switch;
  PortInfo& info = model_.port(target).info;

  const auto width =
      new_mask(wanted.link_width_enabled, info.link_width_enabled, info.link_width_supported, 255);
  const auto speed =
      new_mask(wanted.link_speed_enabled, info.link_speed_enabled, info.link_speed_supported, 15);
  const auto ext = wanted.link_speed_ext_enabled == 30
                       ? std::uint8_t{0}
                       : new_mask(wanted.link_speed_ext_enabled, info.link_speed_ext_enabled,
                                  info.link_speed_ext_supported, 31);
  const auto ext2 = new_mask(wanted.link_speed_ext2_enabled, info.link_speed_ext2_enabled,
                             info.link_speed_ext2_supported, 7);
  if (!width || !speed || !ext || !ext2) return mad_status::kInvalidField;
  if (wanted.neighbor_mtu > info.mtu_cap || wanted.operational_vls > info.vl_cap)
    return mad_status::kInvalidField;
  if (is_agent && !addresses_are_valid(wanted, !is_port0 || node.switch_info.enhanced_port0))
    return mad_status::kInvalidField;
  if (!may_become(wanted.phys_state)) return mad_status::kInvalidField;
  if (is_port0) {  // always ACTIVE, whatever state a Set requests
    if (wanted.state != PortState::kNoChange && wanted.state != PortState::kActive)
      return mad_status::kInvalidField;
  } else if (!may_become(info.state, wanted.state) ||
             (node.quirks.active_by_data && info.state == PortState::kActive &&
              wanted.state == PortState::kActive)) {
    return mad_status::kInvalidField;
  }

  if (is_agent) take_agent_fields(info, wanted);
  const bool live = !is_port0 && info.state >= PortState::kArmed;
  const auto changes = [](std::uint8_t now, std::uint8_t then) { return then != 0 && then != now; };
  const bool other_vls = live && changes(info.operational_vls, wanted.operational_vls);
  if (other_vls || (live && changes(info.neighbor_mtu, wanted.neighbor_mtu)))
    ++counters_.live_link_changes;
  take_link_fields(info, wanted, node.quirks.stores_thresholds);
  const bool width_changed = *width != info.link_width_enabled;
  const bool speed_changed = *speed != info.link_speed_enabled ||
                             *ext != info.link_speed_ext_enabled ||
                             *ext2 != info.link_speed_ext2_enabled;
  info.link_width_enabled = *width;
  info.link_speed_enabled = *speed;
  info.link_speed_ext_enabled = *ext;
  info.link_speed_ext2_enabled = *ext2;
  if (is_agent && !is_port0 && (width_changed || speed_changed))
    traps_.local_change(
        target, true,
        static_cast<std::uint16_t>((width_changed ? TrapCapability::kLinkWidthEnabled : 0) |
                                   (speed_changed ? TrapCapability::kLinkSpeedEnabled : 0)));
  if (!is_port0) change_state(target, wanted.state, wanted.phys_state);
  if (other_vls && node.quirks.retrains_on_vl_change && info.state >= PortState::kArmed)
    links_.fail(target);
  return mad_status::kGood;
}

void PortInfoAgent::change_state(PortId target, PortState state, PhysState phys) {
  const PortInfo& info = model_.port(target).info;
  if (phys != PhysState::kNoChange) {
    links_.command_phys(target, phys);
    return;
  }
  if (state == PortState::kDown) {
    links_.command_down(target);
  } else if (state != PortState::kNoChange) {
    model_.set_state(target, state, info.phys_state);
    receive_data(target);
    if (const PortId peer = model_.wire(target).peer; peer != kNoPort) receive_data(peer);
  }
}

/// With DeviceBehavior::active_by_data, the first data packet from an ACTIVE neighbor moves an
/// ARMED port to ACTIVE. The packet is assumed to arrive without delay.
void PortInfoAgent::receive_data(PortId port) {
  const Wire& wire = model_.wire(port);
  if (wire.peer != kNoPort && wire.state == PortState::kArmed &&
      model_.wire(wire.peer).state == PortState::kActive &&
      model_.node(model_.fabric().port(port).node).quirks.active_by_data)
    model_.set_state(port, PortState::kActive, model_.port(port).info.phys_state);
}

}  // namespace weft::emulator
