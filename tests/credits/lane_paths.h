// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The path of a packet from endport to endport: the channels, and the VL on each channel. This code
// follows the tables and uses neither engines nor the verifier.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft::credits {

/// One channel of a path and the VL on this channel.
struct LaneHop {
  std::uint32_t link = 0;
  std::uint8_t vl = 0;
  bool operator==(const LaneHop&) const = default;
};

/// From the channel between the source and its switch to the channel that delivers the packet.
using LanePath = std::vector<LaneHop>;

/// Number of channels, with the channels of endports. Channels are numbered: first the channels
/// between switches (ChannelId), then the channels from endports to their switches, then the
/// channels from switches to endports. The channels of port 0 are inside the switch.
std::uint32_t channel_count_with_endports(const Fabric& fabric);
/// Whether a channel ends at an endport, which consumes every packet at once.
bool delivers(const Fabric& fabric, std::uint32_t link);

/// The path of a packet; empty if the packet does not arrive (an unknown LID, no entry, a loop, or
/// dropped by SL2VL).
std::optional<LanePath> lane_path(const Fabric& fabric, const Routes& routes, EndportId source,
                                  Lid lid, Sl sl);

}  // namespace weft::credits
