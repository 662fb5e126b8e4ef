// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configuration of fault routing notifications (FRN): which string a switch sends if the last port
// of a group fails, and the response of a switch to each received string. The configuration is
// derived from the next hops of each LID, for any engine and fabric:
//   An AR-capable switch sends one string on loss of a group with one neighbor, and another on loss
//   of a group with several neighbors. A receiving switch consumes a string if one of the LIDs that
//   it forwards to a possible sender of the string is in a group, forwards it if all of these LIDs
//   are static, and discards it without such a LID.
// In a tree, groups with one neighbor have down ports and groups with several neighbors have up
// ports. The upper neighbors of a leaf discard notifications of the leaf about up ports. Every port
// of a group reduces the hop count to the LID. Therefore each forwarding of a notification
// increases that hop count, and the forwarding ends. Cost: O(channels * LIDs).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/notifications.h"
#include "routes/routes.h"

namespace weft {

/// Directions of groups, and the FRN strings that are sent for these directions. 0 is no string.
inline constexpr std::uint8_t kRnToOne = 0;      // all ports are cabled to one neighbor
inline constexpr std::uint8_t kRnToSeveral = 1;  // ports are cabled to several neighbors
inline constexpr std::uint8_t kRnDirections = 2;
constexpr std::uint16_t rn_string(std::uint8_t direction) {
  return static_cast<std::uint16_t>(direction + 1);
}
inline constexpr std::uint16_t kRnForwarded = 3;  // string of forwarded notifications
inline constexpr std::uint16_t kRnStrings = 4;    // number of strings, string 0 included

/// Returns the configuration of notifications by SwitchId. The routes must have groups; `notifies`
/// as in AdaptiveOptions.
std::vector<SwitchNotifications> plan_notifications(const Fabric& fabric, const Routes& routes,
                                                    std::span<const std::uint8_t> notifies);

}  // namespace weft
