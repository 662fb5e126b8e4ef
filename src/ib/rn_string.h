// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routing notifications (RN): a switch notifies its neighbors of the load of a group of ports
// (ARN), or that the last usable port of a group failed (FRN). A notification carries a string,
// which is a number that the subnet manager defines: each sub-group of a switch has a direction,
// each direction has a string to send, and the receiving switch looks up its decision by the
// string.
// Layout of the tables: adaptive.h.
#pragma once

#include <cstdint>

namespace weft {

/// Direction of a sub-group that causes no notifications for its LIDs.
inline constexpr std::uint8_t kRnNoDirection = 0xFF;

/// The decision of a switch that receives a string, with the values on the wire.
enum class RnDecision : std::uint8_t {
  kDiscard = 0,
  kConsumeArn = 1,  // load notifications
  kConsume = 2,     // load and fault notifications
  kPassOn = 3,      // forwards the notification with another string
};

struct RnRcvString {
  RnDecision decision = RnDecision::kDiscard;
  std::uint8_t table = 0;    // private LFT
  std::uint16_t string = 0;  // the string of the forwarded notification
  bool operator==(const RnRcvString&) const = default;
};

}  // namespace weft
