// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The flow toward a destination that each port carries if all switches with hosts send to it at the
// same time: a switch divides the flow that it can pass on among the links that lead to it, by
// their rates.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

struct FlowShares {
  std::vector<double> of_channel;     // by ChannelId, in units of the rates
  std::vector<std::uint8_t> reached;  // by SwitchId, 1: packets from hosts to the LID may use it
};

/// The shares for a LID behind the switch `to`; `rates` by ChannelId. Follows every choice of the
/// routes. Nothing if the choices close a cycle.
std::optional<FlowShares> flow_shares(const Fabric& fabric, std::span<const std::uint32_t> rates,
                                      const Routes& routes, SwitchId to, Lid lid);

}  // namespace weft
