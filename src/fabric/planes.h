// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Planes and rails that no cables join: a host has a port in each, and reaches another host by the
// ports that both have in one of them. What no cables connect is then no failure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// By switch: the number of its part, the smallest number of a switch that cables connect with it.
std::vector<std::uint32_t> connected_parts(const Fabric& fabric);

/// A plane: parts of the fabric that no cables join, to which all hosts are cabled by the same of
/// their ports.
struct Plane {
  std::uint32_t hosts = 0;     // with a port in it
  std::uint32_t ports = 0;     // of CAs, cabled to its switches
  std::uint32_t switches = 0;  // in parts with such ports
  bool operator==(const Plane&) const = default;
};

/// The planes of a fabric, in the order of the ports of its hosts: a plane has the number of its
/// element and 1. A plane without switches has ports, all of them without a cable.
struct Planes {
  std::vector<Plane> planes;             // empty: the fabric has no planes
  std::uint32_t hosts = 0;               // with a port in some plane
  std::vector<std::uint32_t> of_switch;  // number of the plane; 0: none has ports in its part
  std::uint32_t of(SwitchId sw) const { return planes.empty() ? 0 : of_switch[sw.value()]; }
};

/// Hosts with ports in several parts of the fabric show which ports belong to the same plane: those
/// of the same adapter and number, and all those in one part. `stated`: the number of planes by
/// another source, so that CAs with as many ports have planes even if only one is left; 0: none.
Planes find_planes(const Fabric& fabric, std::uint32_t stated = 0);
/// Whether each part of the fabric is a plane, so that no cable is missing between its parts.
bool parts_are_planes(const Fabric& fabric);

/// By EndportId: the number of CA ports in other parts of the fabric that belong to hosts with a
/// port in a part in which this port's host has one. Empty if there are none, and if hosts are
/// distributed over the parts in too many ways for planes. `part`: by switch.
std::vector<std::uint64_t> ports_in_other_planes(const Fabric& fabric,
                                                 std::span<const std::uint32_t> part);

}  // namespace weft
