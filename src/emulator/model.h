// What the nodes of an emulated fabric hold: the registers and tables of every switch and CA as one
// flat, plain value. It knows what a node holds after it is switched on, and nothing about time or
// packets.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/adaptive.h"
#include "emulator/device_quirks.h"
#include "emulator/options.h"
#include "fabric/fabric.h"
#include "ib/extended_port_info.h"
#include "ib/modifiers.h"
#include "ib/port_info.h"
#include "ib/smp.h"
#include "ib/switch_info.h"

namespace weft::emulator {

/// The part of a port that every passing SMP needs, packed: forwarding touches nothing else.
struct Wire {
  PortId peer = kNoPort;  // as cabled; what the state says counts
  NodeId peer_node;
  PortNum peer_num;
  PortState state = PortState::kDown;
};

/// The tables of a port, allocated when something is first written into them. Blocks as an SMP
/// carries them.
struct PortTables {
  std::vector<SmpData> pkeys;
  std::vector<SmpData> guids;
  std::array<SmpData, 4> vl_arb{};  // by modifier::VlArbBlock - 1
};

struct PortModel {
  PortInfo info;
  ExtendedPortInfo extended;           // of nodes that know it
  bool cut = false;                    // the cable is pulled; kept equal on both ends
  std::uint32_t link_generation = 0;   // counts what happened to the link: stale trainings die
  std::uint32_t trainings = 0;         // of the link since it last broke by itself
  std::uint32_t reregistrations = 0;   // how often a Set asked for client reregistration
  std::uint32_t lease_generation = 0;  // odd while an M_Key lease runs out
  std::unique_ptr<PortTables> tables;
};

struct NodeModel {
  bool alive = true;
  std::uint32_t first_port = 0;  // PortId of port 0
  std::uint8_t port_count = 0;
  bool is_switch = false;
  TimeNs busy_until{};
  TimeNs starting_until{};     // DeviceQuirks::starting_for
  std::uint32_t answers = 0;   // DeviceQuirks::late_every
  bool clear_is_kept = false;  // DeviceQuirks::clears_every_other_time: the next one is
  DeviceQuirks quirks;         // they stay when it is switched off and on
  unsigned requests = 0;       // answered or not, counted for busy_every
  SwitchInfo switch_info;
  std::string description;
  std::vector<std::uint8_t> lft;   // whole blocks up to the highest that was written
  std::vector<std::uint16_t> mft;  // by multicast LID and position; empty until written
  AdaptiveModel adaptive;
  std::vector<std::uint64_t> sl2vl;  // by input and output port, 16 nibbles as on the wire
};

class Model {
 public:
  /// Everything switched on, all links down. `fabric` and `options` must outlive the model.
  Model(const Fabric& fabric, const EmulatorOptions& options);

  const Fabric& fabric() const { return fabric_; }
  const EmulatorOptions& options() const { return options_; }

  NodeModel& node(NodeId id) { return nodes_[id.value()]; }
  const NodeModel& node(NodeId id) const { return nodes_[id.value()]; }
  PortModel& port(PortId id) { return ports_[id.value()]; }
  const PortModel& port(PortId id) const { return ports_[id.value()]; }
  const Wire& wire(PortId id) const { return wires_[id.value()]; }
  /// What a node says it is: where switches are to know adaptive routing and their file names no
  /// device, they are Quantum.
  std::uint16_t device_id(NodeId node) const;
  PortId port_id(NodeId node, PortNum num) const {
    return PortId(nodes_[node.value()].first_port + num.value());
  }
  std::uint32_t port_count() const { return static_cast<std::uint32_t>(ports_.size()); }

  /// The port that holds the addresses and keys of an agent: port 0 of a switch, or the CA port
  /// that was asked.
  PortId agent_port(NodeId node, PortNum in_port) const {
    return port_id(node, nodes_[node.value()].is_switch ? PortNum(0) : in_port);
  }

  /// PortState and PortPhysicalState change here only, so that the wires agree.
  void set_state(PortId port, PortState state, PhysState phys);

  /// Puts a node's registers and tables to what they are after power-up, all its ports down.
  void power_up(NodeId node);

  /// True if the LID is one of the port's own.
  bool holds(PortId port, Lid lid) const {
    const PortInfo& info = ports_[port.value()].info;
    return info.lid != kLidNone && (lid.value() >> info.lmc) == (info.lid.value() >> info.lmc);
  }

  /// Where a switch sends a unicast LID, kNoRoute above LinearFDBTop.
  PortNum forward(const NodeModel& node, Lid lid) const {
    const std::size_t index = lid.value();
    if (index > node.switch_info.linear_fdb_top || index >= node.lft.size()) return PortNum(255);
    return PortNum(node.lft[index]);
  }

  /// Where a switch sends one packet for a unicast LID: where it chooses, by the ports of its group
  /// in turn whose links are at least in this state, by the default port where none is.
  PortNum choose(const NodeModel& node, Lid lid, PortState least) const;
  /// The ports of its group that a switch has left for a LID: their links are at least in this
  /// state, and no neighbour has said that he cannot send there. None without a group.
  std::bitset<256> live_choices(const NodeModel& node, Lid lid, PortState least) const;

  /// Tables with their power-up content, made on first use.
  PortTables& tables(PortId port);
  /// One block, without making the tables.
  SmpData pkey_block(PortId port, std::size_t block) const;
  SmpData guid_block(PortId port, std::size_t block) const;
  SmpData vl_arb_block(PortId port, modifier::VlArbBlock block) const;
  std::size_t pkey_blocks(PortId port) const;

  /// SL to VL of a port pair; on CAs of the output port, with in = 0.
  std::uint64_t sl2vl(NodeId node, PortNum in, PortNum out) const;
  void set_sl2vl(NodeId node, PortNum in, PortNum out, std::uint64_t map);

  /// 16 ports of a multicast LID, by index from 0xC000.
  std::uint16_t mft(const NodeModel& node, std::size_t index, std::size_t position) const;
  void set_mft(NodeModel& node, std::size_t index, std::size_t position, std::uint16_t mask);
  static std::size_t mft_positions(const NodeModel& node) { return node.port_count / 16u + 1; }

 private:
  void power_up_port(NodeId node, PortNum num, LinkWidth width_top, LinkSpeed speed_top);

  const Fabric& fabric_;
  const EmulatorOptions& options_;
  std::vector<NodeModel> nodes_;
  std::vector<PortModel> ports_;  // by PortId
  std::vector<Wire> wires_;       // by PortId
};

}  // namespace weft::emulator
