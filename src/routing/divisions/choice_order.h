// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The output channels that switches may select for the LIDs of a leaf, in an order in which the
// next hops of a switch precede the switch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

struct ChoiceOrder {
  struct Step {
    SwitchId sw;
    std::uint32_t begin = 0, end = 0;  // range of its choices in `channels`, `lid_counts`
    bool is_group = false;             // the choices are an AR group
  };
  std::vector<Step> steps;
  std::vector<ChannelId> channels;  // the channels of a step differ from each other
  /// By channel of `channels`: the number of LIDs that use the channel; 1 for a group.
  std::vector<std::uint32_t> lid_counts;

  std::span<const ChannelId> channels_of(const Step& step) const {
    return std::span(channels).subspan(step.begin, step.end - step.begin);
  }
};

/// The choices of all switches through which packets from leaves to the LIDs of a leaf may pass,
/// without the switch `leaf`. `lids` must not be empty. A switch with an AR group for the first LID
/// has the choices of this group; other switches have the ports of all the LIDs, or of the first
/// LID alone if there is a cycle otherwise. Returns nullopt if there is a cycle with the first LID.
std::optional<ChoiceOrder> choice_order(const Fabric& fabric, const Routes& routes, SwitchId leaf,
                                        std::span<const Lid> lids);

}  // namespace weft
