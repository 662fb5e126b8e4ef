// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Rings of fabric-management (FNM) links. Each ASIC of a planarized switch system has two FNM
// ports, by which the ASICs of the system, one switch node each, form a ring.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

inline constexpr unsigned kFnmLinksOfAsic = 2;

/// A switch with more or fewer than kFnmLinksOfAsic FNM links within its system, with FNM links to
/// other systems, or in one of several rings of its system.
struct FnmRingFinding {
  Guid system;                                   // system image GUID
  Guid node;                                     // the switch
  std::string name;                              // of the switch
  std::vector<std::uint8_t> ports_without_link;  // FNM ports, ascending
  unsigned links = 0;    // FNM links to switches of the same system; expected: kFnmLinksOfAsic
  unsigned outside = 0;  // FNM links to switches of other systems; expected: none
  /// Number of switches that the FNM links connect with this switch, itself included, and the
  /// number of switches of the system.
  std::uint32_t connected = 0;
  std::uint32_t expected = 0;

  bool operator==(const FnmRingFinding&) const = default;
};

struct FnmRings {
  std::uint32_t ports = 0;               // FNM ports
  std::uint32_t links = 0;               // FNM links
  std::uint32_t systems = 0;             // examined systems
  std::vector<FnmRingFinding> findings;  // in the order of system and node GUID
};

/// Examines the systems of several switches of which a switch has an FNM port. Switches without a
/// system image GUID belong to no system. If the switches of a system have two FNM links each, but
/// form several rings, each switch is a finding.
FnmRings examine_fnm_rings(const Fabric& fabric);

/// The finding as text: system, switch, ports, links found and expected.
std::string describe(const FnmRingFinding& finding);

}  // namespace weft
