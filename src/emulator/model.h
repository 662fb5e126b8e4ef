// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// State of the nodes of an emulated fabric: the registers and tables of every switch and CA, as
// plain values. The model defines the state after power-up; it has neither time nor packets.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/adaptive.h"
#include "emulator/device_quirks.h"
#include "emulator/options.h"
#include "emulator/planar_devices.h"
#include "emulator/virtual_ports.h"
#include "fabric/fabric.h"
#include "ib/extended_port_info.h"
#include "ib/modifiers.h"
#include "ib/port_info.h"
#include "ib/smp.h"
#include "ib/switch_info.h"

namespace weft::emulator {

/// The fields of a port that are read for every forwarded SMP, in 16 bytes to save memory accesses.
struct Wire {
  PortId peer = kNoPort;  // as cabled, even if the link is down
  NodeId peer_node;
  std::uint32_t peer_first_port = 0;  // NodeModel::first_port of the peer's node
  PortNum peer_num;
  std::uint8_t peer_port_count = 0;
  bool is_peer_switch = false;
  PortState state = PortState::kDown;
};
static_assert(sizeof(Wire) == 16);

/// The tables of a port, allocated on the first write, in blocks as in SMPs.
struct PortTables {
  std::vector<SmpData> pkeys;
  std::vector<SmpData> guids;
  std::array<SmpData, 4> vl_arb{};  // by modifier::VlArbBlock - 1
};

struct PortModel {
  PortInfo info;
  ExtendedPortInfo extended;  // valid on nodes that support it
  /// Further fields of ExtendedPortInfo; null: as after power-up.
  std::unique_ptr<SmpData> extended_rest;
  bool cut = false;                    // the cable is cut; equal on both ends
  std::uint32_t link_generation = 0;   // counts link changes; events of older trainings are ignored
  std::uint32_t trainings = 0;         // trainings of the link since it last failed
  std::uint32_t reregistrations = 0;   // Sets with client reregistration
  std::uint32_t lease_generation = 0;  // odd while an M_Key lease is running
  std::unique_ptr<PortTables> tables;
  std::unique_ptr<VirtualPorts> virtual_ports;  // null except on CA ports with virtualization
};

struct NodeModel {
  bool alive = true;
  std::uint32_t first_port = 0;  // PortId of port 0
  std::uint8_t port_count = 0;
  bool is_switch = false;
  TimeNs busy_until{};
  TimeNs starting_until{};          // end of DeviceBehavior::starting_for
  std::uint32_t answers = 0;        // number of responses, for DeviceBehavior::late_every
  bool ignores_next_clear = false;  // for DeviceBehavior::clears_every_other_time
  DeviceBehavior quirks;            // unchanged when the node is switched off and on
  unsigned requests = 0;            // with or without a response, for busy_every
  SwitchInfo switch_info;
  std::string description;
  std::vector<std::uint8_t> lft;   // whole blocks up to the highest one written
  std::vector<std::uint16_t> mft;  // by multicast LID and position; empty until written
  AdaptiveModel adaptive;
  EndPortPlaneFilter plane_filter;   // valid on planarized CAs
  SmpData sharp_port{};              // valid on switches with SHARP: ExtendedPortInfo of port 0
  std::vector<SmpData> recovery;     // settings as in recovery_attributes.h; empty: unused
  std::vector<std::uint64_t> sl2vl;  // by input and output port, 16 nibbles as on the wire
};

/// Support of SwitchPortStateTable by a switch, selected by PortStateTables. kRefused: announced,
/// but answered with an error status.
enum class PortStateSupport : std::uint8_t { kNone, kAll, kRefused, kSilent };

/// ExtendedPortInfo after power-up: SHARP disabled, and bandwidth utilization other than 0, a field
/// that the manager must not change.
inline SmpData extended_port_info_of_power_up() {
  SmpData data{};
  data[5] = std::byte{0x64};
  return data;
}

class Model {
 public:
  /// All nodes on, all links down. `fabric` and `options` must outlive the model.
  Model(const Fabric& fabric, const EmulatorOptions& options);

  const Fabric& fabric() const { return fabric_; }
  const EmulatorOptions& options() const { return options_; }
  const PlanarDevices& planar() const { return planar_; }
  PortStateSupport port_state_support(NodeId node) const;
  /// device_has() of the emulated fabric.
  bool has(NodeId node, DeviceFeature feature) const;

  NodeModel& node(NodeId id) { return nodes_[id.value()]; }
  const NodeModel& node(NodeId id) const { return nodes_[id.value()]; }
  PortModel& port(PortId id) { return ports_[id.value()]; }
  const PortModel& port(PortId id) const { return ports_[id.value()]; }
  const Wire& wire(PortId id) const { return wires_[id.value()]; }
  /// The device id that a node reports: that of the fabric file, else that of the emulated device.
  /// If there is neither, a switch reports that of Quantum when the options enable adaptive
  /// routing, SHARP, or fast recovery.
  std::uint16_t device_id(NodeId node) const;
  PortId port_id(NodeId node, PortNum num) const {
    return PortId(nodes_[node.value()].first_port + num.value());
  }
  std::uint32_t port_count() const { return static_cast<std::uint32_t>(ports_.size()); }

  /// The GUID that a port reports. The ports of a planarized CA may report one GUID
  /// (EmulatorOptions::shared_aport_guids).
  Guid port_guid(PortId port) const;

  /// The port with the addresses and keys of an SMA: port 0 of a switch, or the CA port that
  /// received the request.
  PortId agent_port(NodeId node, PortNum in_port) const {
    return port_id(node, nodes_[node.value()].is_switch ? PortNum(0) : in_port);
  }

  /// The only function that changes PortState and PortPhysicalState, so that `wires_` is consistent
  /// with them.
  void set_state(PortId port, PortState state, PhysState phys);

  /// Sets the registers and tables of a node to their state after power-up, with all its ports
  /// down.
  void power_up(NodeId node);

  /// True if the LID is one of the LIDs of the port.
  bool has_lid(PortId port, Lid lid) const {
    const PortInfo& info = ports_[port.value()].info;
    return info.lid != kLidNone && (lid.value() >> info.lmc) == (info.lid.value() >> info.lmc);
  }

  /// The output port of a switch for a unicast LID; 255 (drop) above LinearFDBTop.
  PortNum forward(const NodeModel& node, Lid lid) const {
    const std::size_t index = lid.value();
    if (index > node.switch_info.linear_fdb_top || index >= node.lft.size()) return PortNum(255);
    return PortNum(node.lft[index]);
  }

  /// The output port of a switch for one packet to a unicast LID. With adaptive routing, the ports
  /// of its group with links that have at least this state are used in turn, or the default port if
  /// there are none. Packets of a flow with HBF use one of these ports. If several sub-groups have
  /// such ports, the first sub-group is used; with weights, each sub-group is used for its share of
  /// the flows with HBF. Packets of excluded SLs and transports use the default port.
  /// With pLFTs, the input port and the SL determine the table.
  PortNum choose(const NodeModel& node, PortNum in, const PacketFlow& flow, Lid lid,
                 PortState least) const;
  /// The usable ports of a switch's AR group for a LID in a pLFT: ports with links that have at
  /// least this state, not removed by a notification of a neighbor. None without a group.
  std::bitset<256> live_choices(const NodeModel& node, unsigned table, Lid lid,
                                PortState least) const;
  /// The usable ports of a group by number, whether or not a LID uses the group.
  std::bitset<256> live_group(const NodeModel& node, std::uint16_t number, PortState least) const;

  /// Tables with their power-up content, allocated on first use.
  PortTables& tables(PortId port);
  /// One block, without allocating the tables.
  SmpData pkey_block(PortId port, std::size_t block) const;
  SmpData guid_block(PortId port, std::size_t block) const;
  SmpData vl_arb_block(PortId port, modifier::VlArbBlock block) const;
  std::size_t pkey_blocks(PortId port) const;

  /// SL2VL of a port pair; on CAs of the output port, with in = 0.
  std::uint64_t sl2vl(NodeId node, PortNum in, PortNum out) const;
  void set_sl2vl(NodeId node, PortNum in, PortNum out, std::uint64_t map);

  /// Mask of 16 ports of a multicast LID, by index from 0xC000.
  std::uint16_t mft(const NodeModel& node, std::size_t index, std::size_t position) const;
  void set_mft(NodeModel& node, std::size_t index, std::size_t position, std::uint16_t mask);
  static std::size_t mft_positions(const NodeModel& node) { return node.port_count / 16u + 1; }

 private:
  std::bitset<256> ports_of_sub_group(const NodeModel& node, std::uint16_t number,
                                      const std::bitset<256>& live,
                                      std::optional<std::uint64_t> hash) const;
  void power_up_port(NodeId node, PortNum num, LinkWidth width_top, LinkSpeed speed_top);

  const Fabric& fabric_;
  const EmulatorOptions& options_;
  const PlanarDevices planar_;
  std::vector<NodeModel> nodes_;
  std::vector<PortModel> ports_;  // by PortId
  std::vector<Wire> wires_;       // by PortId
};

}  // namespace weft::emulator
