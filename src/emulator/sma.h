// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The subnet management agent of each node: handles Get and Set of every attribute as the
// specification requires of switches and CAs, checks M_Keys, and refuses invalid values.
// Source: InfiniBand Architecture Specification, volume 1, chapters 14.2.4 (M_Key) and 14.2.5.
#pragma once

#include <cstdint>

#include "emulator/counters.h"
#include "emulator/links.h"
#include "emulator/model.h"
#include "emulator/notifications.h"
#include "emulator/traps.h"

namespace weft::emulator {

class Sma {
 public:
  Sma(Model& model, Links& links, Traps& traps, Notifications& notifications, EventQueue& events,
      const Clock& clock, EmulatorCounters& counters)
      : model_(model),
        links_(links),
        traps_(traps),
        notifications_(notifications),
        events_(events),
        clock_(clock),
        counters_(counters) {}

  /// Turns a Get or Set that arrived at `at` into its response, in place. False: no response is
  /// sent.
  bool answer(Smp& smp, Place at);
  /// A TrapRepress; it requires the M_Key too.
  void repress(const Smp& smp, Place at);

  /// Handles a kLeaseEnd event.
  void lease_end(PortId port, std::uint32_t generation);

 private:
  using Bits = std::uint16_t;  // mad_status::

  bool mkey_allows(const Smp& smp, PortId agent_port);
  bool mkey_matches(const Smp& smp, PortId agent_port) const;
  void refuse_mkey(const Smp& smp, PortId agent_port);
  void stop_lease(PortId agent_port);
  Bits status_by_quirk(const Smp& smp, NodeModel& node);
  Bits handle(Smp& smp, Place at);

  // sma.cpp
  Bits get_node_info(Smp& smp, Place at) const;
  Bits get_node_description(Smp& smp, Place at) const;
  Bits switch_info(Smp& smp, Place at);
  static void clear_port_state_change(NodeModel& node);
  // sma_port_info.cpp
  Bits port_info(Smp& smp, Place at);
  Bits set_port_info(Place at, PortId target, const PortInfo& wanted);
  void change_state(PortId target, PortState state, PhysState phys);
  void receive_data(PortId port);
  // sma_extended_ports.cpp
  Bits extended_port_info(Smp& smp, Place at);
  bool ignores(const Smp& smp, Place at) const;
  // sma_adaptive.cpp
  Bits adaptive_attribute(Smp& smp, Place at);
  bool supports_adaptive(Place at) const;
  Bits adaptive_routing_info(Smp& smp, Place at);
  Bits ar_group_table(Smp& smp, Place at);
  Bits ar_forwarding_table(Smp& smp, Place at);
  bool ignores_adaptive(const Smp& smp, Place at) const;
  // sma_notifications.cpp
  Bits notification_attribute(Smp& smp, Place at);
  // sma_tables.cpp
  Bits guid_info(Smp& smp, Place at);
  Bits pkey_table(Smp& smp, Place at);
  Bits sl_to_vl_table(Smp& smp, Place at);
  Bits vl_arb_table(Smp& smp, Place at);
  Bits linear_forwarding_table(Smp& smp, Place at);
  Bits multicast_forwarding_table(Smp& smp, Place at);

  Model& model_;
  Links& links_;
  Traps& traps_;
  Notifications& notifications_;
  EventQueue& events_;
  const Clock& clock_;
  EmulatorCounters& counters_;
};

}  // namespace weft::emulator
