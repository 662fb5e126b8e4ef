// Destinations as engines treat them: all LIDs held behind one switch together, since the ways to
// them are the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// An endport that packets are sent to, by the switch that they leave the fabric at.
struct Destination {
  SwitchId sw;
  std::vector<EndportId> endports;  // hosts in the order to be routed, and the switch itself last
};

/// Every switch once, in order of id; with `first` given, the switches of those endports come
/// first, and within a switch those endports.
std::vector<Destination> destinations(const Fabric& fabric, std::span<const EndportId> first = {});

/// LIDs of an endport.
inline unsigned lid_count(const Endport& endport) {
  return endport.lid == kLidNone ? 0 : 1u << endport.lmc;
}
inline Lid lid_at(const Endport& endport, unsigned offset) {
  return Lid(static_cast<std::uint16_t>(endport.lid.value() + offset));
}

}  // namespace weft
