// What emulated switches tell each other of LIDs that they cannot send to any more, and what they
// do about it, by the tables that a manager wrote: repair without the manager.
//
// A switch notices at once that a link of its own is down. For each LID whose group has no port
// left it makes a notification, one after the other, and sends it by all ports of its mask but
// those of the group. A neighbour looks its string up: it drops the port that the notification came
// in by from the LID's group, and does the same in turn if that was the last; or it passes the
// notification on, if its forwarding table sends the LID by that very port. Each switch tells of a
// LID once. All of that is forgotten when AdaptiveRoutingInfo is set, and ports are looked at
// again.
//
// What is assumed of real switches, of which nothing is published but the tables, stands in
// ib/adaptive_unconfirmed.h.
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

  /// A link is down at this port.
  void port_down(PortId port);
  /// A kNotification event is due.
  void arrive(std::uint32_t slot);
  /// AdaptiveRoutingInfo was set.
  void begin_anew(NodeId sw);
  /// How many are under way.
  std::size_t under_way() const { return slots_.size() - free_.size(); }

 private:
  struct Packet {
    PortId to;
    std::uint32_t link = 0;  // the generation of the link it is on
    std::uint16_t string = 0;
    Lid lid;
  };

  bool notifies(const NodeModel& sw) const;
  void look_at(NodeId sw, Lid lid);
  void tell(NodeId sw, Lid lid, std::uint16_t string, const std::bitset<256>& not_by);
  void send(PortId from, Lid lid, std::uint16_t string, TimeNs time);
  std::uint32_t link_of(PortId port) const;

  Model& model_;
  EventQueue& events_;
  const Clock& clock_;
  EmulatorCounters& counters_;
  std::vector<Packet> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace weft::emulator
