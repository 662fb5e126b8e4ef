// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A fabric in memory that responds to SMPs and GMPs as switches and channel adapters do, on a
// virtual clock. The subnet manager runs on the emulated fabric unchanged, and a test can cut
// cables, switch nodes off and drop packets. Deterministic: the same fabric, options and calls give
// the same result.
//
// Not thread-safe.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "emulator/adaptive.h"
#include "emulator/class_key_agents.h"
#include "emulator/congestion_agents.h"
#include "emulator/counters.h"
#include "emulator/device_quirks.h"
#include "emulator/options.h"
#include "emulator/performance_agents.h"
#include "emulator/virtual_ports.h"
#include "fabric/fabric.h"
#include "ib/gmp_transport.h"
#include "ib/ids.h"
#include "ib/modifiers.h"
#include "ib/port_info.h"
#include "ib/switch_info.h"
#include "ib/tables.h"
#include "ib/transport.h"
#include "ib/vendor/unhealthy_reason.h"

namespace weft {

class EmulatedFabric {
 public:
  /// Decision of a filter about an SMP before it leaves a node.
  enum class Delivery { kPass, kLose, kDouble, kDelay };
  using Filter = std::function<Delivery(const Smp& smp, NodeId from, NodeId to)>;
  using Action = std::function<void(EmulatedFabric&)>;

  /// All nodes are on, all links are in INIT, there are no LIDs. `fabric` must outlive the
  /// emulation; its LIDs are ignored.
  explicit EmulatedFabric(const Fabric& fabric, const EmulatorOptions& options = {});
  ~EmulatedFabric();
  EmulatedFabric(const EmulatedFabric&) = delete;
  EmulatedFabric& operator=(const EmulatedFabric&) = delete;

  /// Attaches a subnet manager to a CA port or to port 0 of a switch. The transport receives the
  /// traps, SMInfo requests and responses for this port. `is_sm` sets IsSM in the port's capability
  /// mask. An endport has at most one manager. The reference is valid until detach() or the end of
  /// the emulation.
  SmpTransport& attach(EndportId where, bool is_sm = true);
  /// Attaches a subnet manager to all ports of the CA, for example an adapter with a port in each
  /// plane. An SMP leaves by departure_port(), a GMP by the port in its address; if there is none,
  /// by the first port.
  SmpTransport& attach_to_all_ports(EndportId where);
  void detach(EndportId where);

  /// Attaches a program that sends and receives GMPs of a class, which are routed like data
  /// packets. An endport has at most one program for each class. The reference is valid until
  /// detach_gmps() or the end of the emulation.
  GmpTransport& attach_gmps(EndportId where, MgmtClass mgmt_class, bool by_all_ports = false);
  void detach_gmps(EndportId where, MgmtClass mgmt_class);

  const Fabric& fabric() const;
  VirtualClock& clock();

  /// Processes all events due until `time`, and sets the clock to `time`.
  void run_until(TimeNs time);
  void run_for(TimeNs span);
  /// Pending events: SMPs, GMPs and FRNs in flight, link trainings, ends of M_Key leases,
  /// repetitions of traps, actions.
  std::size_t pending_events() const;
  /// FRNs in flight between switches.
  std::size_t pending_notifications() const;

  // Changes of the fabric; immediate, or at a given time with schedule().
  void schedule(TimeNs time, Action action);
  /// `port` is either end of the cable. Ports without a cable are ignored.
  void cut_cable(PortId port);
  void restore_cable(PortId port);
  bool is_cut(PortId port) const;
  /// The other end of a cable, whether intact or cut; kNoPort without a cable.
  PortId cable_end(PortId port) const;
  /// A node that is switched on again has the registers and empty tables of power-up, and its links
  /// train.
  void switch_off_node(NodeId node);
  void switch_on_node(NodeId node);
  void set_description(NodeId node, const std::string& text);
  const std::string& description(NodeId node) const;
  /// Sets the CapabilityMask, which changes, for example, when a host loads a target or a
  /// management class; the port sends trap 144.
  void set_capability_mask(PortId port, std::uint32_t mask);
  /// Sets the reason for which a switch considers its port unhealthy, in ExtendedPortInfo.
  void set_unhealthy_reason(PortId port, UnhealthyReason reason);
  /// Sets the event that a switch has recovered its port.
  void set_port_recovered(PortId port);
  /// If a device changes to or from ExtendedSpeeds::kUnsupported, it counts as replaced: its
  /// registers are those of power-up, and its links are in INIT at once.
  void set_behavior(NodeId node, const DeviceBehavior& quirks);
  void set_faults(const FaultRates& rates);

  // Virtual ports of a CA port with virtualization. Each virtual port that is added or removed sets
  // the change bit of the state block and causes trap 1146.
  /// Starts a virtual machine: the lowest free index gets the identity, in INIT. Returns nothing if
  /// no index is free, or without virtualization.
  std::optional<std::uint16_t> add_vport(PortId port, const emulator::VirtualIdentity& identity);
  /// Ends a virtual machine; false if the index is free, or without virtualization.
  bool remove_vport(PortId port, std::uint16_t index);
  /// Live migration: removes the vport from one CA port and adds it to another. Returns nothing,
  /// and changes nothing, if that is impossible.
  std::optional<std::uint16_t> move_vport(PortId from, std::uint16_t index, PortId to);
  /// Changes the description of the vnode, and sends trap 1144.
  void set_vnode_description(PortId port, std::uint16_t index, const std::string& text);
  /// Null if the port has no virtualization.
  const emulator::VirtualPorts* virtual_ports(PortId port) const;
  /// Sets a filter that is called once for every SMP that leaves its node, before the fault rates
  /// apply; an empty filter passes all SMPs.
  void set_filter(Filter filter);

  /// The agent that responds to requests for a port, and the counters of the port.
  PerformanceAgent& performance_agent(PortId port);
  CounterValues& port_counters(PortId port);
  CongestionAgent& congestion_agent(PortId port);
  ClassKeyAgent& class_key_agent(KeyedClass keyed, PortId port);

  const EmulatorCounters& counters() const;
  void reset_counters();

  // State of the nodes.
  bool is_alive(NodeId node) const;
  /// Entries from LID 0 on, in whole blocks; entries after the end were never written and drop
  /// packets.
  std::span<const std::uint8_t> lft(SwitchId sw) const;
  const SwitchInfo& switch_info(SwitchId sw) const;
  const emulator::AdaptiveModel& adaptive(SwitchId sw) const;
  /// The settings of a switch with fast recovery or port recovery policies, in the order of
  /// recovery_attributes.h; empty before the first request for these settings.
  const std::vector<SmpData>& recovery_settings(SwitchId sw) const;
  /// ExtendedPortInfo of a port of a node that supports it.
  SmpData extended_port_info(PortId port) const;
  /// ExtendedPortInfo of port 0 of a switch with SHARP.
  const SmpData& sharp_port(SwitchId sw) const;
  /// The usable ports of a switch's AR group for data packets to a LID, in a pLFT; none without a
  /// group.
  std::bitset<256> live_choices(SwitchId sw, Lid lid, unsigned table = 0) const;
  const PortInfo& port_info(PortId port) const;
  /// True if both ends are ACTIVE, so that data may pass.
  bool carries_data(PortId port) const;
  /// One range for each endport; base 0 if the endport has no LID.
  std::vector<LidRange> lids() const;
  PkeyTable pkeys(PortId port, std::size_t block) const;
  GuidInfo guids(PortId port, std::size_t block) const;
  /// The SL2VL map of a pair of ports; on CAs `in` is 0 and `out` is the port.
  SlToVlTable sl_to_vl(NodeId node, PortNum in, PortNum out) const;
  /// Whether an SL2VL table of this node was written since the node was switched on.
  bool sl_to_vl_written(NodeId node) const;
  /// VL arbitration: blocks 1 and 2 are the low table, blocks 3 and 4 the high table.
  VlArbTable vl_arb(PortId port, modifier::VlArbBlock block) const;
  bool multicast_written(SwitchId sw) const;
  std::vector<PortNum> multicast_ports(SwitchId sw, Lid lid) const;
  /// Number of Sets with client reregistration since the start of the emulation.
  std::uint32_t reregistrations(PortId port) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft
