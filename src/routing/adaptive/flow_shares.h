// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The flow toward a destination on each channel if all switches with hosts send to the destination
// at the same time. The flow that a switch can forward is divided among the links to the switch in
// proportion to their rates.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

struct FlowShares {
  std::vector<double> of_channel;  // by ChannelId, in units of the rates
  /// By SwitchId, 1: on a path from hosts to the LID; 0 for the switch of the LID.
  std::vector<std::uint8_t> reached;
};

/// The shares for a LID at the switch `to`; `rates` by ChannelId. All ports that switches may
/// select are used. Returns nullopt if the paths contain a cycle.
std::optional<FlowShares> flow_shares(const Fabric& fabric, std::span<const std::uint32_t> rates,
                                      const Routes& routes, SwitchId to, Lid lid);

}  // namespace weft
