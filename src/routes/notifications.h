// Routing notifications as plain values: what switches tell each other of LIDs that they cannot
// send to any more, so that whoever has another way takes it before a subnet manager has looked.
//   A switch GENERATES one when the last live port of a LID's group is gone.
//   A neighbour that is told CONSUMES it: the port that leads there is no longer a choice for the
//   LID. If that was its last, it generates one in turn.
//   A neighbour whose entry is static PASSES it ON to those who send the LID by way of it.
// What is told is a string: it says what kind of choice was lost, not which LID, which goes with
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "ib/ids.h"
#include "ib/rn_string.h"
#include "routes/multicast.h"

namespace weft {

struct Routes;

/// What one switch is to do. Empty: it neither tells nor heeds anything.
struct SwitchNotifications {
  PortMask ports;                        // by which notifications leave
  std::vector<std::uint8_t> directions;  // by group of ArTables; kRnNoDirection: nothing is told
  std::vector<std::uint16_t> strings;    // by direction: what is told
  std::vector<RnRcvString> received;     // by string: what is done with it
  bool operator==(const SwitchNotifications&) const = default;

  bool empty() const { return received.empty(); }
  RnRcvString decision(std::uint16_t string) const {
    return string < received.size() ? received[string] : RnRcvString{};
  }
};

/// The part of a switch in keeping one LID reachable.
struct NotificationRole {
  bool generates = false;
  bool consumes = false;
  bool passes_on = false;
  bool operator==(const NotificationRole&) const = default;
};
NotificationRole notification_role(const Routes& routes, SwitchId sw, Lid lid);

/// How much of it there is: (switch, LID) pairs by role.
struct NotificationCount {
  std::uint32_t switches = 0;
  std::uint64_t generate = 0;
  std::uint64_t consume = 0;
  std::uint64_t pass_on = 0;
  bool operator==(const NotificationCount&) const = default;
};
NotificationCount count_notifications(const Routes& routes);

}  // namespace weft
