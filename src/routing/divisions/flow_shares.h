// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The flow toward a destination on each channel if all switches with hosts send to the destination
// at the same time. The flow that a switch can forward is divided among the links to the switch in
// proportion to their rates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/divisions/choice_order.h"

namespace weft {

/// Sets the shares of the choices of `order`, for a LID at the switch `to`, in `of_channel` (by
/// ChannelId, in units of the rates); values of other channels do not change. `rates` by ChannelId.
void flow_shares(const Fabric& fabric, std::span<const std::uint32_t> rates,
                 const ChoiceOrder& order, SwitchId to, std::vector<double>& of_channel);

}  // namespace weft
