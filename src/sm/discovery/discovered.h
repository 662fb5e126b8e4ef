// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The answers of a discovery, by node, and the consistency checks that convert them to an Observed.
// Two nodes may have the same GUID, a cable may be moved during discovery, or a node may stop
// answering. Inconsistent nodes and cables are left out with a warning.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "sm/observed.h"

namespace weft {

/// The node at the other end of a port's link.
struct Neighbor {
  static constexpr std::uint32_t kNoNeighbor = 0xFFFFFFFF;
  std::uint32_t node = kNoNeighbor;  // index of a DiscoveredNode
  std::uint8_t port = 0;
  bool known() const { return node != kNoNeighbor; }
  bool operator==(const Neighbor&) const = default;
};

struct DiscoveredNode {
  ObservedNode seen;
  std::string description;
  bool is_renamed = false;             // the description comes from node_name_map_name
  std::vector<Neighbor> neighbors;     // by port; only at switches and at the manager's own ports
  std::vector<Guid> port_guids;        // by port
  std::vector<Neighbor> reached_from;  // by port, not at switches; empty: not discovered
  std::string silent;                  // reason to leave out the node; empty: the node is included
  bool is_unreachable = false;         // no path to the node: it is left out without a warning
};

/// The node in messages: 'name' (0xGUID).
std::string describe(const DiscoveredNode& node);

struct Discovered {
  std::vector<DiscoveredNode> nodes;      // in order of discovery; the manager's own node is first
  std::uint8_t own_port = 0;              // the manager's port: 0 on a switch
  std::vector<PortNum> more_own_ports{};  // further ports of the manager that send requests
  std::vector<SilentPort> silent;
  std::vector<std::string> warnings;
  std::vector<std::string> shared_guids;  // subset of `warnings`
  std::vector<DirectedPath> illegal{};    // paths to nodes with invalid answers
  AvoidedLinks avoided{};                 // links that are left out

  bool avoids(std::uint32_t node, std::uint8_t port) const {
    return !avoided.empty() && avoided.has({nodes[node].seen.info.node_guid, PortNum(port)});
  }

  /// Whether this is a port of the manager that sends requests directly to the neighbor.
  bool is_own_port(std::uint32_t node, std::uint8_t port) const {
    return node == 0 && (port == own_port ||
                         std::ranges::find(more_own_ports, PortNum(port)) != more_own_ports.end());
  }
};

/// The nodes, links and avoided links of an earlier observation, as the start of a new discovery.
Discovered as_found(const Observed& observed);

/// Computes shortest directed paths to all nodes, and sets `is_unreachable` of unreachable nodes.
/// Returns whether every node is reachable.
bool compute_paths(Discovered& found);

/// The consistent part of the answers. A cable is accepted if both ends confirm it; a CA is not
/// queried for its peer. A node is accepted if it returned all required attributes and is connected
/// to the manager's node. Fails with kBadInput only if the graph cannot be built.
Result<Observed> assemble(Discovered&& found);

}  // namespace weft
