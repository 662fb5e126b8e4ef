// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Classifies the topology of a fabric by its links alone, not by names or GUIDs. Used to select a
// routing engine and in reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

enum class TopologyKind {
  kSingleSwitch,
  kTree,           // nearly all hosts on the lowest of several levels, cables between adjacent ones
  kQuasiTree,      // a tree except for a few cables, or for hosts on other levels
  kHypercube,      // a product of lines of two switches
  kMesh,           // a product of lines
  kTorus,          // a product of lines and rings, at least one ring
  kHyperX,         // a product of complete graphs
  kDragonfly,      // groups that are complete graphs, each cabled to all other groups
  kDragonflyPlus,  // groups of leaves and spines, cabled to all other groups by spines
  kHammingMesh,    // boards (meshes of switches with hosts) in rows and columns
  kDiameterTwo,    // nearly as many switches as a graph of diameter 2 can have: Slim Fly, PolarFly
  kIrregular,
};

struct Topology {
  TopologyKind kind = TopologyKind::kIrregular;
  std::string about;  // "a tree of 3 levels", "a torus of 4 x 4 x 4"
};

/// Meshes, tori, HyperX and HammingMesh are recognized only if no cable is missing, apart from
/// parallel cables. Trees may lack cables if all cables join adjacent levels, and dragonflies may
/// lack some of their cables. Cost: O(switches * neighbors of all switches).
Topology recognize(const Fabric& fabric);

/// The groups of a dragonfly or dragonfly+.
struct SwitchGroups {
  std::vector<std::uint32_t> of;    // by switch
  std::vector<std::uint32_t> size;  // by group
  bool plus = false;
};
/// Finds groups even if another topology matches too, or up to half of the cables of a complete
/// dragonfly are missing; nullopt if the fabric has no such groups.
std::optional<SwitchGroups> find_groups(const Fabric& fabric);
/// SwitchGroups::of if the fabric has groups; else empty. Unlike find_groups(), does not merge the
/// parts of groups that lost many of their cables, which takes long on large random fabrics.
std::vector<std::uint32_t> group_by_switch(const Fabric& fabric);

}  // namespace weft
