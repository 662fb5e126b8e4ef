// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// FRNs that emulated switches send for groups without a usable port, and the effect of these FRNs
// on the neighbors. The tables that a manager wrote determine both.
//
// A switch detects at once that one of its links is down. For each group without a usable port it
// sends a notification with the number of the group, one group after the other, through all ports
// of its port mask except those of the group. The string of a notification determines the decision
// of the neighbor. Either the neighbor removes the port that received the notification from its own
// group of that number, and sends a notification itself if no port is left; or it forwards the
// notification, if a static entry with that number uses the receiving port. So a group number must
// denote the same LIDs at all switches. Each switch sends one notification for each group. A Set of
// AdaptiveRoutingInfo clears the FRN state, and the switch checks its ports again.
//
// For real switches only the layouts of the tables are published; the assumptions about their
// behavior are in ib/adaptive_unconfirmed.h.
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "emulator/counters.h"
#include "emulator/event_queue.h"
#include "emulator/model.h"

namespace weft::emulator {

class Notifications {
 public:
  Notifications(Model& model, EventQueue& events, const Clock& clock, EmulatorCounters& counters)
      : model_(model), events_(events), clock_(clock), counters_(counters) {}

  /// To be called when the link of the port goes down.
  void port_down(PortId port);
  /// Handles a kNotification event.
  void arrive(std::uint32_t slot);
  /// Resets the FRN state after a Set of AdaptiveRoutingInfo.
  void reset(NodeId sw);
  /// Number of notifications in flight.
  std::size_t in_flight() const { return slots_.size() - free_.size(); }

 private:
  struct Packet {
    PortId to;
    std::uint32_t link = 0;  // generation of the link when the packet was sent
    std::uint16_t string = 0;
    std::uint16_t group = 0;
  };

  bool sends_notifications(const NodeModel& sw) const;
  static bool forwards_statically(const AdaptiveModel& adaptive, std::uint16_t group, PortNum port);
  void notify_if_lost(NodeId sw, std::uint16_t number);
  void notify(NodeId sw, std::uint16_t group, std::uint16_t string, const std::bitset<256>& by);
  void send(PortId from, std::uint16_t group, std::uint16_t string, TimeNs time);
  std::uint32_t link_generation(PortId port) const;

  Model& model_;
  EventQueue& events_;
  const Clock& clock_;
  EmulatorCounters& counters_;
  std::vector<Packet> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace weft::emulator
