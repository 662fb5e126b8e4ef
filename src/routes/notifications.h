// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routing notifications as plain values. A switch notifies its neighbors of LIDs to which it has no
// port any more, so that the neighbors use other paths before the subnet manager has changed the
// tables.
//   A switch GENERATES a notification when the last active port of the group of a LID goes down.
//   A neighbor CONSUMES the notification: the receiving port is removed from the group of the LID.
//   If that was the last port, the neighbor generates a notification.
//   A neighbor with a static entry PASSES the notification ON to the switches that send packets of
//   the LID through the neighbor.
// A notification carries the number of the group, which is the same at all switches
// (group_numbers.h), and a string, which states the kind of the lost port.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "ib/ids.h"
#include "ib/rn_string.h"
#include "routes/multicast.h"

namespace weft {

struct Routes;

/// The configuration of one switch. Empty: the switch neither sends nor processes notifications.
struct SwitchNotifications {
  PortMask ports;                        // ports that send notifications
  std::vector<std::uint8_t> directions;  // by group of ArTables; kRnNoDirection: not sent
  std::vector<std::uint16_t> strings;    // by direction: the string that is sent
  std::vector<RnRcvString> received;     // by string: the decision of a receiver
  bool operator==(const SwitchNotifications&) const = default;

  bool empty() const { return received.empty(); }
  RnRcvString decision(std::uint16_t string) const {
    return string < received.size() ? received[string] : RnRcvString{};
  }
};

/// The role of a switch in keeping one LID reachable.
struct NotificationRole {
  bool generates = false;
  bool consumes = false;
  bool passes_on = false;
  bool operator==(const NotificationRole&) const = default;
};
NotificationRole notification_role(const Routes& routes, SwitchId sw, Lid lid);

/// Number of (switch, LID) pairs by role.
struct NotificationCount {
  std::uint32_t switches = 0;  // switches that send or process notifications
  std::uint64_t generate = 0;
  std::uint64_t consume = 0;
  std::uint64_t pass_on = 0;
  bool operator==(const NotificationCount&) const = default;
};
NotificationCount count_notifications(const Routes& routes);

}  // namespace weft
