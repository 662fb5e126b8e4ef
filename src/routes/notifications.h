// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routing notifications as plain values: switches notify each other of LIDs that they can no longer
// forward to, so that a switch with another path uses it before the subnet manager has responded.
//   A switch GENERATES one when the last live port of a LID's group goes down.
//   A neighbor that receives it CONSUMES it: the receiving port is removed from the LID's group.
//   If that was the last port, the neighbor generates a notification.
//   A neighbor with a static entry PASSES it ON to the switches that send the LID through it.
// A notification carries the number of the group, which is the same at all switches
// (group_numbers.h), and a string, which denotes the kind of port that was lost.
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
  std::vector<std::uint8_t> directions;  // by group of ArTables; kRnNoDirection: none are sent
  std::vector<std::uint16_t> strings;    // by direction: the string sent
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
  bool forwards = false;
  bool operator==(const NotificationRole&) const = default;
};
NotificationRole notification_role(const Routes& routes, SwitchId sw, Lid lid);

/// Number of (switch, LID) pairs by role.
struct NotificationCount {
  std::uint32_t switches = 0;
  std::uint64_t generate = 0;
  std::uint64_t consume = 0;
  std::uint64_t pass_on = 0;
  bool operator==(const NotificationCount&) const = default;
};
NotificationCount count_notifications(const Routes& routes);

}  // namespace weft
