// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/step.h"

namespace weft {

Step step(const Fabric& fabric, SwitchId sw, PortNum port, EndportId owner) {
  if (port == kNoRoute) return {kNoChannel, port, WalkEnd::kUnrouted};
  const PortId holder = owner == kNoEndport ? kNoPort : fabric.endport(owner).port;
  const PortId out = fabric.port_id(Fabric::node_of(sw), port);
  if (out == kNoPort) return {kNoChannel, port, WalkEnd::kDeadPort};
  if (port == PortNum(0))
    return {kNoChannel, port, out == holder ? WalkEnd::kArrived : WalkEnd::kWrongEndport};
  if (const ChannelId channel = fabric.channel_at(sw, port); channel != kNoChannel)
    return {channel, port};
  const PortId peer = fabric.port(out).peer;
  if (peer == kNoPort) return {kNoChannel, port, WalkEnd::kDeadPort};
  // A cable from a switch to itself returns the packet to the same table entry: an endless loop.
  if (fabric.port(peer).node == Fabric::node_of(sw)) return {kNoChannel, port, WalkEnd::kLoop};
  return {kNoChannel, port, peer == holder ? WalkEnd::kArrived : WalkEnd::kWrongEndport};
}

}  // namespace weft
