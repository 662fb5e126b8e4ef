// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Notifications between emulated switches about groups that they can no longer forward to, and
// their effect, according to the tables that a manager wrote: repair without the manager.
//
// A switch detects at once that one of its links is down. For each group without any port left it
// makes a notification with the number of the group, one after the other, and sends it through all
// ports of its mask except those of the group. A neighbour looks up the string: it removes the port
// that received the notification from its own group of that number, and sends a notification itself
// if that was the last port; or it passes the notification on, if a static entry with that number
// sends the LID out of that port. So numbers must mean the same LIDs at all switches. Each switch
// sends one notification for a group. A Set of AdaptiveRoutingInfo clears all of this state, and
// the switch checks its ports again.
//
// Only the tables of real switches are published; ib/adaptive_unconfirmed.h has the assumptions
// about their behaviour.
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

  /// Handles a link that is down at this port.
  void port_down(PortId port);
  /// Handles a kNotification event.
  void arrive(std::uint32_t slot);
  /// Resets the state after a Set of AdaptiveRoutingInfo.
  void reset(NodeId sw);
  /// Number of notifications in flight.
  std::size_t under_way() const { return slots_.size() - free_.size(); }

 private:
  struct Packet {
    PortId to;
    std::uint32_t link = 0;  // the generation of the link it was sent on
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
