// From adaptive routes to what switches tell each other of LIDs that they cannot send to any more.
// The same for every engine and fabric, since all of it follows from who sends what to whom:
//   who can choose tells of one kind of loss (all ways to one neighbour) by one string, of the
//   other (ways to several neighbours) by another; who is told a string consumes it if any of the
//   LIDs that he sends to one who may tell it is in a group, passes it on if they are all static,
//   and discards it if there are none.
// In a tree the first is a way down and the second a way up, so what a leaf tells of its ways up is
// discarded by whoever is above.
// Hops fall at every choice, so what is told goes away from the LID, and ends.
// Cost: O(channels * LIDs).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/notifications.h"
#include "routes/routes.h"

namespace weft {

/// Directions of groups, and the strings that are told. 0 is no string.
inline constexpr std::uint8_t kRnToOne = 0;      // all ports lead to one neighbour
inline constexpr std::uint8_t kRnToSeveral = 1;  // ports lead to several neighbours
inline constexpr std::uint8_t kRnDirections = 2;
constexpr std::uint16_t rn_string(std::uint8_t direction) {
  return static_cast<std::uint16_t>(direction + 1);
}
inline constexpr std::uint16_t kRnPassedOn = 3;
inline constexpr std::uint16_t kRnStrings = 4;

/// By SwitchId. The routes must have groups; `notifies` as in AdaptiveOptions.
std::vector<SwitchNotifications> plan_notifications(const Fabric& fabric, const Routes& routes,
                                                    std::span<const std::uint8_t> notifies);

}  // namespace weft
