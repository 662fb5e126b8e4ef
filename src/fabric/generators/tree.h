// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fat trees of any number of levels: extended generalized fat trees, XGFT(h; m_1..m_h; w_1..w_h),
// with parallel cables. Also divides the ports of a leaf between hosts and uplinks.
// Sources: Öhring, Ibel, Das, Kumar, "On generalized fat trees", 1995; parallel ports: Zahavi,
// "Fat-tree routing and node ordering providing contention free traffic for MPI global
// collectives", 2011.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fabric/generators/drawing.h"
#include "fabric/generators/parameters.h"

namespace weft {

/// Hosts are level 0. A switch has its children on the low ports, in order, then its parents.
struct Tree {
  std::vector<unsigned> children;  // m: [i] is for a switch on level i + 1
  std::vector<unsigned> parents;   // w: [i] is for a node on level i; [0] is 1: a host has one port
  std::vector<unsigned> trunks;    // [i] cables between a node on level i and each parent; [0] is 1
  /// The name of switch n (from 0) on a level (from 1). The switches of a level are the roots of
  /// subtrees: they are numbered by subtree, then by their position among its parallel roots.
  std::function<std::string(std::size_t level, std::uint64_t n)> name;
};

/// Draws the tree. `model_ports`: ports of the switch model if the tree needs fewer; 0 if unknown.
Result<Drawing> draw_tree(const Parameters& parameters, const Tree& tree, unsigned model_ports);

/// Number of host ports and of uplinks of a leaf.
struct LeafPorts {
  unsigned hosts = 0;
  unsigned up = 0;
};

/// Divides the k ports of a leaf between hosts and uplinks. With hosts=N the other ports are
/// uplinks, but not more than half of the ports. With blocking=A:B the ports are divided in this
/// ratio; ports that the ratio does not fit are left out. Without both, half of the ports are
/// uplinks, rounded up. Fails with kUsage if both are given, if hosts=N leaves no uplink, or if
/// blocking=A:B leaves no host or no uplink.
Result<LeafPorts> divide_leaf(const Parameters& parameters, unsigned k);

}  // namespace weft
