// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether up*/down* routes with a few turns from down to up are free of credit loops. A switch
// without an up*/down* path sends its packets down to a switch that sends them up. In a tree all
// these turns are near one leaf: a packet that turned up there cannot return to the turn, because
// no up*/down* path leads from one port of a pod back to another port of the pod.
#pragma once

#include <cstdint>
#include <span>

#include "fabric/fabric.h"

namespace weft {

/// Whether these turns together have no cycle: from up channels to all channels, from down channels
/// to down channels, and from the channels in `turns_up` to up channels, except back to the switch
/// from which the packet came. `up` and `turns_up` by channel; up channels ascend in an order of
/// the switches. Cost: O(turns), constant without a channel in `turns_up`.
bool all_turns_are_acyclic(const Fabric& fabric, std::span<const std::uint8_t> up,
                           std::span<const std::uint8_t> turns_up);

}  // namespace weft
