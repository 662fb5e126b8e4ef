// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/multicast/held_turns.h"

#include <bit>

namespace weft::multicast {

SlLanes::SlLanes(const Fabric& fabric, const Sl2Vl& maps, Sl sl, unsigned lanes)
    : fabric_(&fabric), maps_(maps), sl_(sl), lanes_(lanes), held_(fabric.channel_count(), 0) {
  for (std::uint32_t c = 0; c < fabric.channel_count(); ++c) {
    const Channel& channel = fabric.channel(ChannelId(c));
    const auto enter_by = [&](PortNum in) {
      held_[c] |= static_cast<std::uint16_t>(
          1u << maps.vl(channel.from, in, channel.from_port, sl).value());
    };
    enter_by(PortNum(0));
    for (const Port& port : fabric.ports(channel.from))
      if (port.peer != kNoPort && port.num != channel.from_port) enter_by(port.num);
  }
}

std::optional<SlLanes> SlLanes::find(const Fabric& fabric, const Sl2Vl& maps, Sl sl,
                                     unsigned lanes) {
  SlLanes found(fabric, maps, sl, lanes);
  for (const std::uint16_t held : found.held_)
    if (held >> lanes != 0) return std::nullopt;
  return found;
}

bool HeldTurns::add(std::uint32_t in, std::uint32_t out) {
  if (!lanes_) return graph_.add(in, out);
  const std::uint32_t requested = out * lanes_->lanes() + lanes_->requested(in, out);
  std::uint16_t added = 0;
  for (std::uint16_t left = lanes_->held(in); left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (graph_.add(in * lanes_->lanes() + lane, requested)) {
      added |= static_cast<std::uint16_t>(1u << lane);
      continue;
    }
    for (; added != 0; added &= added - 1)
      graph_.remove(in * lanes_->lanes() + static_cast<unsigned>(std::countr_zero(added)),
                    requested);
    return false;
  }
  return true;
}

void HeldTurns::remove(std::uint32_t in, std::uint32_t out) {
  if (!lanes_) return graph_.remove(in, out);
  const std::uint32_t requested = out * lanes_->lanes() + lanes_->requested(in, out);
  for (std::uint16_t left = lanes_->held(in); left != 0; left &= left - 1)
    graph_.remove(in * lanes_->lanes() + static_cast<unsigned>(std::countr_zero(left)), requested);
}

}  // namespace weft::multicast
