// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Destinations of engines: all LIDs behind one switch together, since their paths are the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// The endports of one switch: the last switch on the paths to them.
struct Destination {
  SwitchId sw;
  std::vector<EndportId> endports;  // hosts in routing order, then the switch itself
};

/// Every switch with LIDs, its own or those of its hosts, once, in order of id. With `first`, the
/// switches of these hosts come first, and within a switch these hosts; switches in `first` are
/// ignored. The other endports follow by port number, or in the order of their rails (rails.h).
std::vector<Destination> destinations(const Fabric& fabric, std::span<const EndportId> first = {});

/// Number of LIDs of an endport.
inline unsigned lid_count(const Endport& endport) {
  return endport.lid == kLidNone ? 0 : 1u << endport.lmc;
}
inline Lid lid_at(const Endport& endport, unsigned offset) {
  return Lid(static_cast<std::uint16_t>(endport.lid.value() + offset));
}

}  // namespace weft
