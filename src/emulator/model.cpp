// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/model.h"

#include <algorithm>
#include <cstring>

#include "base/rng.h"
#include "emulator/agent/private_lft_attributes.h"
#include "ib/adaptive_unconfirmed.h"
#include "ib/tables.h"
#include "ib/wire.h"

namespace weft::emulator {
namespace {

constexpr Pkey kDefaultPkey{0xFFFF};

/// Sets the capabilities of a port with this width and speed.
void set_capabilities(PortInfo& info, bool is_switch, LinkWidth width, LinkSpeed speed) {
  namespace cap = cap_mask;
  namespace cap2 = cap_mask2;
  info.capability_mask = cap::kTrap | cap::kSlMapping | cap::kSystemImageGuid |
                         cap::kCapabilityMaskNotice | cap::kOtherLocalChangesNotice;
  if (is_switch)
    info.capability_mask |= cap::kMulticastFdbTop | cap::kPkeySwitchExternalPortTrap;
  else
    info.capability_mask |=
        cap::kAutomaticMigration | cap::kCommunicationManagement | cap::kClientReregistration;
  if (speed >= LinkSpeed::kFdr) info.capability_mask |= cap::kExtendedSpeeds;
  if (speed >= LinkSpeed::kHdr) info.capability_mask2 |= cap2::kLinkSpeedHdr;
  if (speed >= LinkSpeed::kNdr) info.capability_mask2 |= cap2::kLinkSpeedNdr;
  if (speed >= LinkSpeed::kXdr)
    info.capability_mask2 |= cap2::kExtendedSpeeds2 | cap2::kLinkSpeedXdr;
  if (speed >= LinkSpeed::kHdr || width == LinkWidth::k2x)
    info.capability_mask2 |= cap2::kLinkWidth2x;
  if (info.capability_mask2 != 0) info.capability_mask |= cap::kCapabilityMask2;
}

void set_link_support(PortInfo& info, LinkWidth width, LinkSpeed speed) {
  info.link_width_supported = widths_up_to(width);
  if (width != LinkWidth::k2x && speed < LinkSpeed::kHdr)  // 2x was introduced with HDR
    info.link_width_supported &= static_cast<std::uint8_t>(~static_cast<unsigned>(LinkWidth::k2x));
  info.link_width_enabled = info.link_width_supported;
  const SpeedBits speeds = speeds_up_to(speed);
  info.link_speed_supported = info.link_speed_enabled = speeds.basic;
  info.link_speed_ext_supported = info.link_speed_ext_enabled = speeds.ext;
  info.link_speed_ext2_supported = info.link_speed_ext2_enabled = speeds.ext2;
}

std::uint64_t default_sl2vl(unsigned data_vls) {
  data_vls = std::max(data_vls, 1u);
  std::uint64_t map = 0;
  for (unsigned sl = 0; sl < kSlCount; ++sl) map = map << 4 | (sl % data_vls);
  return map;
}

std::uint16_t device_of(const Fabric& fabric, NodeId id, const EmulatorOptions& options) {
  constexpr std::uint16_t kQuantum = 0xD2F0;
  const std::uint16_t id_in_file = fabric.node(id).device_id;
  if (const DeviceProfile* profile = emulated_profile(fabric, id, options.devices);
      profile != nullptr && id_in_file == 0)
    return profile->ids[0];
  const bool is_newer = options.adaptive != AdaptiveSwitches::kRefused ||
                        options.sharp != FeatureDevices::kNone ||
                        options.recovery != FeatureDevices::kNone;
  return id_in_file == 0 && fabric.is_switch(id) && is_newer ? kQuantum : id_in_file;
}

/// The bits that announce HBF and the fields that the hash may contain. With
/// AdaptiveSwitches::kMixed some switches hash no DCETH fields, and others no BTH field either.
std::uint8_t hash_capabilities(NodeId id, AdaptiveSwitches kind) {
  using Info = AdaptiveRoutingInfo;
  const unsigned absent = kind == AdaptiveSwitches::kMixed ? id.value() % 3 : 0;
  unsigned capabilities = Info::kHbfCapable;
  if (absent < 2) capabilities |= Info::kDestinationQpHashCapable;
  if (absent < 1) capabilities |= Info::kDcethHashCapable;
  return static_cast<std::uint8_t>(capabilities);
}

/// Bits of AdaptiveRoutingInfo that belong to no field, which the manager must not change.
SmpData unknown_settings() {
  SmpData data{};
  data[21] = std::byte{0x5A};
  data[25] = std::byte{0xC3};
  return data;
}

/// The adaptive-routing state of a switch after power-up.
AdaptiveModel adaptive_of(NodeId id, const Fabric& fabric, const EmulatorOptions& options) {
  AdaptiveModel model;
  AdaptiveRoutingInfo& info = model.info;
  const bool supported = options.adaptive == AdaptiveSwitches::kAnswered ||
                         options.adaptive == AdaptiveSwitches::kMixed;
  if (!supported || !ar_unconfirmed::may_support_general_info(device_of(fabric, id, options)))
    return model;
  const DeviceProfile* profile = emulated_profile(fabric, id, options.devices);
  const unsigned kind = options.adaptive == AdaptiveSwitches::kMixed ? id.value() % 5 : 0;
  model.support = profile != nullptr ? profile->adaptive : AdaptiveSupport::kFull;
  if (kind == 3 && model.support == AdaptiveSupport::kFull) model.support = AdaptiveSupport::kOld;
  model.sub_groups_max = kind == 1 || kind == 4 ? 0 : kind == 2 ? kArGroupsFew : options.ar_groups;
  info.version = model.support == AdaptiveSupport::kFull ? 1 : 0;
  info.group_capacity = model.sub_groups_max;
  info.group_tables = 1;
  info.sub_groups = 1;
  info.ageing_time_us = 30;
  info.sl_mask = 0xFFFF;
  if (kind == 0 && info.version > 0 && info.group_capacity > 0) {
    info.by_sl_capable = info.by_transport_capable = true;
    info.sub_groups = 2;
    info.computes_capacity = true;
    info.more_capabilities = hash_capabilities(id, options.adaptive);
    model.info_data = unknown_settings();
    if (options.adaptive == AdaptiveSwitches::kAnswered || id.value() % 2 == 0) {
      info.more_capabilities |= AdaptiveRoutingInfo::kWhbfCapable;
      info.whbf_granularity = 3;
    }
    info.more_enabled = AdaptiveRoutingInfo::kHbfBySlEnabled;
    info.hbf_sl_mask = 0xFFFF;
  }
  if (options.notifications && (profile == nullptr || profile->notifications) &&
      info.group_capacity > 0 && info.version > 0) {
    info.frn_capable = true;
    info.group_copy = 1;
    if (kind == 0) {
      info.more_capabilities |= AdaptiveRoutingInfo::kPfrnCapable;
      model.pfrn.selects_policy = id.value() % 2 == 0;
    }
    info.directions = 4;
    info.string_width = 3;
    info.rn_version = 1;
  }
  return model;
}

}  // namespace

Model::Model(const Fabric& fabric, const EmulatorOptions& options)
    : fabric_(fabric),
      options_(options),
      planar_(fabric, options),
      nodes_(fabric.node_count()),
      ports_(fabric.port_count()),
      wires_(fabric.port_count()) {
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    const PortId fnm_peer = planar_.fnm_peer(PortId(p));
    const PortId peer = fnm_peer == kNoPort ? fabric.port(PortId(p)).peer : fnm_peer;
    if (peer == kNoPort) continue;
    const Port& end = fabric.port(peer);
    wires_[p] = {.peer = peer,
                 .peer_node = end.node,
                 .peer_first_port = fabric.port_id(end.node, PortNum(0)).value(),
                 .peer_num = end.num,
                 .peer_port_count = fabric.node(end.node).port_count,
                 .is_peer_switch = fabric.is_switch(end.node)};
  }
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    NodeModel& node = nodes_[n];
    node.first_port = fabric.port_id(NodeId(n), PortNum(0)).value();
    node.port_count = fabric.node(NodeId(n)).port_count;
    node.is_switch = fabric.is_switch(NodeId(n));
    power_up(NodeId(n));
  }
}

void Model::set_state(PortId port, PortState state, PhysState phys) {
  if (const auto& vports = ports_[port.value()].virtual_ports;
      vports && state == PortState::kInit && wires_[port.value()].state != PortState::kInit)
    vports->reset_states();
  ports_[port.value()].info.state = state;
  ports_[port.value()].info.phys_state = phys;
  wires_[port.value()].state = state;
}

std::uint16_t Model::device_id(NodeId node) const { return device_of(fabric_, node, options_); }

std::bitset<256> Model::live_choices(const NodeModel& node, unsigned table, Lid lid,
                                     PortState least) const {
  const std::uint16_t number = node.adaptive.group_number(lid, table);
  return number == AdaptiveModel::kNoGroup ? std::bitset<256>() : live_group(node, number, least);
}

std::bitset<256> Model::live_group(const NodeModel& node, std::uint16_t number,
                                   PortState least) const {
  std::bitset<256> live;
  const std::bitset<256> group = node.adaptive.ports(number);
  const auto lost = node.adaptive.lost.find(number);
  for (unsigned port = 1; port <= node.port_count; ++port)
    live.set(port, group.test(port) && wires_[node.first_port + port].state >= least &&
                       (lost == node.adaptive.lost.end() || !lost->second.test(port)));
  return live;
}

/// The ports from which a switch selects for one packet: the usable ports (`live`) of one sub-group
/// of an AR group. `hash`: of a packet with HBF, to which weights apply.
std::bitset<256> Model::ports_of_sub_group(const NodeModel& node, std::uint16_t number,
                                           const std::bitset<256>& live,
                                           std::optional<std::uint64_t> hash) const {
  const AdaptiveModel& adaptive = node.adaptive;
  const unsigned each = adaptive.sub_groups();
  const auto usable = [&](unsigned i) { return live & adaptive.groups[number * each + i]; };
  if (hash && adaptive.uses_weights() && number < adaptive.weights.size()) {
    unsigned sum = 0;
    for (unsigned i = 0; i < each; ++i)
      if (usable(i).any()) sum += adaptive.weights[number][i];
    auto selection = static_cast<unsigned>(sum == 0 ? 0 : *hash % sum);
    for (unsigned i = 0; i < each && sum > 0; ++i) {
      if (usable(i).none()) continue;
      if (selection < adaptive.weights[number][i]) return usable(i);
      selection -= adaptive.weights[number][i];
    }
  }
  for (unsigned i = 0; i < each; ++i)
    if (usable(i).any()) return usable(i);
  return live;
}

PortNum Model::choose(const NodeModel& node, PortNum in, const PacketFlow& flow, Lid lid,
                      PortState least) const {
  const PortNum plain = forward(node, lid);
  const unsigned table = node.adaptive.plft.table(in, flow.sl);
  if (node.adaptive.info.enabled && node.adaptive.plft.in_use() &&
      lid > node.adaptive.plft.tops[table])
    return PortNum(255);
  const ArLftEntry* entry =
      lid.value() > node.switch_info.linear_fdb_top ? nullptr : node.adaptive.entry(lid, table);
  if (entry == nullptr) return plain;
  if (!node.adaptive.serves(flow)) return entry->default_port;
  std::bitset<256> live = live_choices(node, table, lid, least);
  if (live.none()) return entry->default_port;
  std::optional<std::uint64_t> hash;
  if (node.adaptive.selects_by_hash(*entry, flow.sl))
    hash = Rng(node.adaptive.hashing.seed).fork(flow.hash).next();
  live = ports_of_sub_group(node, node.adaptive.group_number(lid, table), live, hash);
  // The sub-group depends on the low bits of the hash, the port on the high bits.
  std::size_t selection =
      static_cast<std::size_t>(hash ? *hash >> 32 : node.adaptive.selection++) % live.count();
  for (std::size_t port = live._Find_first();; port = live._Find_next(port))
    if (selection-- == 0) return PortNum(static_cast<std::uint8_t>(port));
}

void Model::power_up(NodeId id) {
  NodeModel& node = nodes_[id.value()];
  const Node& facts = fabric_.node(id);
  node.alive = true;
  node.busy_until = TimeNs{0};
  node.description = facts.description;
  node.lft = {};
  node.mft = {};
  node.sl2vl = {};
  node.adaptive = {};
  node.plane_filter = {};
  node.recovery.clear();
  node.sharp_port = node.is_switch ? extended_port_info_of_power_up() : SmpData{};
  node.switch_info = {};
  if (node.is_switch) {
    SwitchInfo& info = node.switch_info;
    info.linear_fdb_cap = options_.linear_fdb_cap;
    info.multicast_fdb_cap = options_.multicast_fdb_cap;
    info.optimized_sl2vl = options_.optimized_sl2vl;
    info.partition_enforcement_cap = options_.switch_pkey_cap;
    info.inbound_enforcement_cap = info.outbound_enforcement_cap = true;
    info.filter_raw_inbound_cap = info.filter_raw_outbound_cap = true;
    info.enhanced_port0 = facts.enhanced_port0;
    node.adaptive = adaptive_of(id, fabric_, options_);
    if (private_lft_support(*this, {id, PortNum(0)}) != FeatureSupport::kRefused)
      node.adaptive.plft = private_lfts_of_power_up(node.port_count);
  }
  // All ports of a node have equal capabilities: those of the best cabled port, at least 4x.
  LinkWidth width_top = LinkWidth::k1x;
  LinkSpeed speed_top = LinkSpeed::kSdr;
  for (const Port& port : fabric_.ports(id)) {
    if (port.peer == kNoPort) continue;
    if (lanes(port.width) > lanes(width_top)) width_top = port.width;
    speed_top = std::max(speed_top, port.speed);
  }
  if (const DeviceProfile* profile = emulated_profile(fabric_, id, options_.devices);
      profile != nullptr && facts.device_id == 0)
    speed_top = std::min(speed_top, profile->speed);  // links in the file may be faster
  if (node.quirks.extended_speeds == ExtendedSpeeds::kUnsupported)
    speed_top = std::min(speed_top, LinkSpeed::kQdr);
  if (width_top == LinkWidth::k1x || width_top == LinkWidth::k2x) width_top = LinkWidth::k4x;
  for (unsigned num = 0; num <= node.port_count; ++num)
    power_up_port(id, PortNum(static_cast<std::uint8_t>(num)), width_top, speed_top);
  const auto has_fdr10 = [](const Port& port) {
    return port.peer != kNoPort && port.speed == LinkSpeed::kFdr10;
  };
  const bool fdr10 = options_.extended_ports == ExtendedPorts::kAnswered &&
                     may_support_extended_ports(device_id(id)) &&
                     std::ranges::any_of(fabric_.ports(id), has_fdr10);
  for (unsigned num = 0; num <= node.port_count; ++num) {
    ExtendedPortInfo& extended = ports_[node.first_port + num].extended;
    extended.link_speed_supported = fdr10 ? kFdr10Bit : std::uint8_t{0};
    extended.link_speed_enabled = options_.fdr10_enabled ? extended.link_speed_supported : 0;
    extended.link_speed_active = 0;
  }
}

void Model::power_up_port(NodeId id, PortNum num, LinkWidth width_top, LinkSpeed speed_top) {
  const NodeModel& node = nodes_[id.value()];
  const PortId port_id = this->port_id(id, num);
  const Port& facts = fabric_.port(port_id);
  PortModel& port = ports_[port_id.value()];
  port.tables.reset();
  port.extended_rest.reset();
  ++port.link_generation;
  if (port.lease_generation % 2 != 0) ++port.lease_generation;
  const bool is_agent = node.is_switch == (num == PortNum(0));

  PortInfo info;
  set_link_support(info, width_top, speed_top);
  info.link_down_default = PhysState::kPolling;
  info.mtu_cap = static_cast<std::uint8_t>(facts.mtu_cap);
  info.neighbor_mtu = static_cast<std::uint8_t>(Mtu::k256);
  info.vl_cap = info.operational_vls = vl_code(facts.data_vls);
  info.vl_arb_high_cap = info.vl_arb_low_cap = options_.vl_arb_cap;
  info.local_phy_errors = info.overrun_errors = 8;
  info.response_time_value = options_.response_time_value;
  if (is_agent) {
    set_capabilities(info, node.is_switch, width_top, speed_top);
    info.gid_prefix = 0xFE80000000000000;
    info.guid_cap = options_.guid_cap;
    if (planar_.announces(id)) info.capability_mask |= cap_mask::kHierarchyInfo;
    if (port_state_support(id) != PortStateSupport::kNone) {
      info.capability_mask |= cap_mask::kCapabilityMask2;
      info.capability_mask2 |= cap_mask2::kSwitchPortStateTable;
    }
  }
  if (is_agent && facts.num != PortNum(0)) {
    port.virtual_ports = power_up_vports(fabric_, port_id, options_);
    if (port.virtual_ports && port.virtual_ports->support != VirtualSupport::kNone) {
      info.capability_mask |= cap_mask::kCapabilityMask2;
      info.capability_mask2 |= cap_mask2::kVirtualization;
    }
  }
  port.info = info;
  if (!is_agent || !node.is_switch) {
    set_state(port_id, PortState::kDown, PhysState::kPolling);
    return;
  }
  // Port 0 has no link, so it is always up. An enhanced port 0 has a settable NeighborMTU.
  if (!node.switch_info.enhanced_port0) port.info.neighbor_mtu = port.info.mtu_cap;
  port.info.link_width_active = static_cast<std::uint8_t>(width_top);
  const SpeedBits active = active_speed_bits(speed_top);
  port.info.link_speed_active = active.basic;
  port.info.link_speed_ext_active = active.ext;
  port.info.link_speed_ext2_active = active.ext2;
  set_state(port_id, PortState::kActive, PhysState::kLinkUp);
}

bool Model::has(NodeId id, DeviceFeature feature) const {
  return device_has(fabric_, id, options_.devices, feature);
}

PortStateSupport Model::port_state_support(NodeId id) const {
  if (!nodes_[id.value()].is_switch || !has(id, DeviceFeature::kPortStates))
    return PortStateSupport::kNone;
  switch (options_.port_states) {
    case PortStateTables::kNone:
      return PortStateSupport::kNone;
    case PortStateTables::kAnswered:
      return PortStateSupport::kAll;
    case PortStateTables::kIgnored:
      return PortStateSupport::kSilent;
    case PortStateTables::kMixed:
      break;
  }
  constexpr std::array kMixedKinds{PortStateSupport::kAll, PortStateSupport::kNone,
                                   PortStateSupport::kRefused, PortStateSupport::kSilent};
  return kMixedKinds[id.value() % kMixedKinds.size()];
}

PortTables& Model::tables(PortId id) {
  PortModel& port = ports_[id.value()];
  if (port.tables) return *port.tables;
  auto tables = std::make_unique<PortTables>();
  for (std::size_t block = 0; block < pkey_blocks(id); ++block)
    tables->pkeys.push_back(pkey_block(id, block));
  for (std::size_t block = 0; block * GuidInfo::kEntries < port.info.guid_cap; ++block)
    tables->guids.push_back(guid_block(id, block));
  for (unsigned block = 0; block < 4; ++block)
    tables->vl_arb[block] = vl_arb_block(id, static_cast<modifier::VlArbBlock>(block + 1));
  port.tables = std::move(tables);
  return *port.tables;
}

std::size_t Model::pkey_blocks(PortId id) const {
  const std::size_t cap =
      fabric_.is_switch(fabric_.port(id).node) ? options_.switch_pkey_cap : options_.ca_pkey_cap;
  return (cap + PkeyTable::kEntries - 1) / PkeyTable::kEntries;
}

SmpData Model::pkey_block(PortId id, std::size_t block) const {
  if (const auto& tables = ports_[id.value()].tables) return tables->pkeys[block];
  PkeyTable table;
  if (block == 0) table.pkeys[0] = kDefaultPkey;
  return encode(table);
}

Guid Model::port_guid(PortId id) const {
  const Port& port = fabric_.port(id);
  const bool is_shared = options_.shared_aport_guids && !fabric_.is_switch(port.node) &&
                         planar_.announces(port.node) && port.num != PortNum(0);
  return is_shared ? fabric_.ports(port.node)[1].guid : port.guid;
}

SmpData Model::guid_block(PortId id, std::size_t block) const {
  if (const auto& tables = ports_[id.value()].tables) return tables->guids[block];
  GuidInfo info;
  if (block == 0) info.guids[0] = port_guid(id);
  return encode(info);
}

SmpData Model::vl_arb_block(PortId id, modifier::VlArbBlock block) const {
  const auto index = static_cast<std::size_t>(block) - 1;
  if (const auto& tables = ports_[id.value()].tables) return tables->vl_arb[index];
  VlArbTable table;
  if (block == modifier::VlArbBlock::kLowFirst) table.entries[0] = {Vl(0), 255};
  return encode(table);
}

std::uint64_t Model::sl2vl(NodeId id, PortNum in, PortNum out) const {
  const NodeModel& node = nodes_[id.value()];
  if (node.sl2vl.empty()) return default_sl2vl(fabric_.port(port_id(id, out)).data_vls);
  return node.sl2vl[in.value() * (node.port_count + 1u) + out.value()];
}

void Model::set_sl2vl(NodeId id, PortNum in, PortNum out, std::uint64_t map) {
  NodeModel& node = nodes_[id.value()];
  const std::size_t ports = node.port_count + 1u;
  if (node.sl2vl.empty()) {
    const std::size_t inputs = node.is_switch ? ports : 1;
    std::vector<std::uint64_t> maps(inputs * ports);
    for (std::size_t i = 0; i < maps.size(); ++i)
      maps[i] = sl2vl(id, PortNum(0), PortNum(static_cast<std::uint8_t>(i % ports)));
    node.sl2vl = std::move(maps);
  }
  node.sl2vl[in.value() * ports + out.value()] = map;
}

std::uint16_t Model::mft(const NodeModel& node, std::size_t index, std::size_t position) const {
  return node.mft.empty() ? std::uint16_t{0} : node.mft[index * mft_positions(node) + position];
}

void Model::set_mft(NodeModel& node, std::size_t index, std::size_t position, std::uint16_t mask) {
  if (node.mft.empty()) {
    const std::size_t blocks = (options_.multicast_fdb_cap + 31u) / 32u;
    node.mft.resize(blocks * 32 * mft_positions(node));
  }
  node.mft[index * mft_positions(node) + position] = mask;
}

}  // namespace weft::emulator
