// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Planes and rails that no cables connect: a host has a port in each of them, and reaches another
// host by the ports that both have in the same plane. Parts that no cables connect are then not a
// failure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// By switch: the number of its connected part, which is the smallest SwitchId of the part.
std::vector<std::uint32_t> connected_parts(const Fabric& fabric);

/// A plane: connected parts of the fabric to which hosts are cabled by ports with the same adapter
/// and port number.
struct Plane {
  std::uint32_t hosts = 0;     // hosts with a port in the plane
  std::uint32_t ports = 0;     // ports of CAs that are cabled to its switches
  std::uint32_t switches = 0;  // switches in parts with such ports
  bool operator==(const Plane&) const = default;
};

/// The planes of a fabric, in the order of adapter and port number of the hosts' ports; the number
/// of a plane is its index plus 1. In a plane without switches, no port with its adapter and port
/// number has a cable.
struct Planes {
  std::vector<Plane> planes;  // empty: the fabric has no planes
  std::uint32_t hosts = 0;    // hosts with a port in some plane
  /// By SwitchId: number of the plane; 0: no plane has ports in the connected part of the switch.
  std::vector<std::uint32_t> of_switch;
  std::uint32_t of(SwitchId sw) const { return planes.empty() ? 0 : of_switch[sw.value()]; }
};

/// Derives planes from hosts with ports in several connected parts of the fabric: ports with the
/// same adapter and port number are in the same plane, and so are all ports in one part. `stated`:
/// the number of planes from another source; CAs with that many ports have planes even if all their
/// cabled ports are in one connected part. 0: unknown. Returns no planes if there are fewer than
/// two.
Planes find_planes(const Fabric& fabric, std::uint32_t stated = 0);
/// Whether the fabric has several connected parts and each part is a plane, so that no cable is
/// missing between parts.
bool parts_are_planes(const Fabric& fabric);

/// By EndportId: the number of CA and router ports with a LID that the endport need not reach; 0
/// for switches. Such a port is in another connected part of the fabric than the endport, but its
/// host and the host of the endport have ports in a common part. Empty if there are no such ports,
/// or if the hosts are cabled to more than 256 different sets of parts. `part`: connected_parts().
std::vector<std::uint64_t> ports_in_other_planes(const Fabric& fabric,
                                                 std::span<const std::uint32_t> part);

}  // namespace weft
