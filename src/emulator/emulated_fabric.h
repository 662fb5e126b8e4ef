// A fabric in memory that answers subnet management packets as switches and channel adapters do, on
// a virtual clock: the subnet manager runs on it unchanged, and a test can pull cables, switch
// nodes off and lose packets at will. Everything that happens is a function of the fabric, the
// options and what was called: the same again gives the same again.
//
// Not for use by several threads at once.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "emulator/adaptive.h"
#include "emulator/congestion_agents.h"
#include "emulator/counters.h"
#include "emulator/device_quirks.h"
#include "emulator/options.h"
#include "emulator/performance_agents.h"
#include "fabric/fabric.h"
#include "ib/gmp_transport.h"
#include "ib/ids.h"
#include "ib/modifiers.h"
#include "ib/port_info.h"
#include "ib/switch_info.h"
#include "ib/tables.h"
#include "ib/transport.h"

namespace weft {

class EmulatedFabric {
 public:
  /// What a filter decides about an SMP that is about to leave a node.
  enum class Fate { kPass, kLose, kDouble, kDelay };
  using Filter = std::function<Fate(const Smp& smp, NodeId from, NodeId to)>;
  using Action = std::function<void(EmulatedFabric&)>;

  /// All nodes are on, all cables up in INIT, no LIDs. `fabric` must outlive the emulation; the
  /// LIDs that it knows are ignored.
  explicit EmulatedFabric(const Fabric& fabric, const EmulatorOptions& options = {});
  ~EmulatedFabric();
  EmulatedFabric(const EmulatedFabric&) = delete;
  EmulatedFabric& operator=(const EmulatedFabric&) = delete;

  /// Where a subnet manager sends and receives: on a CA port, or on port 0 of a switch. Its traps,
  /// SMInfo requests and answers go there. `is_sm` sets IsSM in the port's capability mask. At most
  /// one at an endport. The reference holds until detach(), or until the end.
  SmpTransport& attach(EndportId where, bool is_sm = true);
  void detach(EndportId where);

  /// Where a program sends and receives GMPs of a class, routed as data is. At most one for a class
  /// at an endport. The reference holds until detach_gmps(), or until the end.
  GmpTransport& attach_gmps(EndportId where, MgmtClass mgmt_class);
  void detach_gmps(EndportId where, MgmtClass mgmt_class);

  const Fabric& fabric() const;
  VirtualClock& clock();

  /// Lets everything happen that is due until then, and sets the clock to it.
  void run_until(TimeNs time);
  void run_for(TimeNs span);
  /// Events that wait: SMPs under way, trainings, repetitions of traps, actions.
  std::size_t pending_events() const;
  /// Routing notifications between switches that are under way.
  std::size_t pending_notifications() const;

  // What happens to the fabric; at once, or at a time that schedule() gives.
  void schedule(TimeNs time, Action action);
  /// Either end names the cable. Ports without a cable are left alone.
  void cut_cable(PortId port);
  void restore_cable(PortId port);
  bool is_cut(PortId port) const;
  /// A revived node has the registers and empty tables of power-up, and its links train.
  void kill_node(NodeId node);
  void revive_node(NodeId node);
  void set_description(NodeId node, const std::string& text);
  const std::string& description(NodeId node) const;
  /// As when a target or a management class is loaded on a host; its port tells the manager of it.
  void set_capability_mask(PortId port, std::uint32_t mask);
  /// A device that turns to or from ExtendedSpeeds::kUnknown is replaced by another one: its
  /// registers are those of power-up, and its links are in INIT at once.
  void set_quirks(NodeId node, const DeviceQuirks& quirks);
  void set_faults(const FaultRates& rates);
  /// Asked about every SMP that crosses a cable, before the rates; none if empty.
  void set_filter(Filter filter);

  /// The performance agent that answers for a port, and what the port has counted.
  PerformanceAgent& performance_agent(PortId port);
  CounterValues& port_counters(PortId port);
  CongestionAgent& congestion_agent(PortId port);

  const EmulatorCounters& counters() const;
  void reset_counters();

  // What the nodes hold.
  bool is_alive(NodeId node) const;
  /// Entries from LID 0 on, whole blocks; what lies behind the end was never written and drops.
  std::span<const std::uint8_t> lft(SwitchId sw) const;
  const SwitchInfo& switch_info(SwitchId sw) const;
  const emulator::AdaptiveModel& adaptive(SwitchId sw) const;
  /// The ports that a switch has left to choose among for data to a LID; none without a group.
  std::bitset<256> live_choices(SwitchId sw, Lid lid) const;
  const PortInfo& port_info(PortId port) const;
  /// Both ends ACTIVE: data may pass.
  bool carries_data(PortId port) const;
  /// One per endport, base 0 where none was given.
  std::vector<LidRange> lids() const;
  PkeyTable pkeys(PortId port, std::size_t block) const;
  GuidInfo guids(PortId port, std::size_t block) const;
  /// On CAs `in` is 0 and `out` the port.
  SlToVlTable sl_to_vl(NodeId node, PortNum in, PortNum out) const;
  /// Whether anybody wrote such a table of this node since it was switched on.
  bool sl_to_vl_written(NodeId node) const;
  /// VL arbitration: blocks 1 and 2 are the low table, 3 and 4 the high one.
  VlArbTable vl_arb(PortId port, modifier::VlArbBlock block) const;
  bool multicast_written(SwitchId sw) const;
  std::vector<PortNum> multicast_ports(SwitchId sw, Lid lid) const;
  /// How often a Set asked for client reregistration since the port was switched on.
  std::uint32_t reregistrations(PortId port) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft
