// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Data that all writers of topologies for simulators and graph libraries use: the fabric with names
// and optional routes, its hosts and switches as numbered nodes, and the list of properties that a
// format cannot contain.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exports/names.h"
#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

struct RoutedFabric {
  const Fabric& fabric;
  const Routes* routes = nullptr;       // null: none were requested
  std::vector<std::string> switches{};  // switch_names()
  std::vector<Host> hosts{};            // hosts_of(): one host may have several adapters
};

/// A cable between two switches, or from a host to a switch. Ends are numbers of nodes: hosts by
/// their index, then switches; the host is always `a`.
struct ExportLink {
  std::uint32_t a = 0, b = 0;
  PortId a_port, b_port;
};

/// Cables of hosts by host and port, then cables between switches, each once. Omits loopback
/// cables, and cables from CA to CA, of routers and of aggregation nodes.
std::vector<ExportLink> links_of(const RoutedFabric& input);

/// Data rate in Gbit/s as text: "100", "54.5".
std::string gigabits(const Port& port);

/// A port of a host's adapter that is cabled to a switch.
struct HostPort {
  std::uint32_t host = 0;  // index into RoutedFabric::hosts
  EndportId endport;
};
std::vector<HostPort> ports_of_hosts(const RoutedFabric& input);

/// Comparison of the paths between ports of different hosts with shortest paths, for tally_paths(),
/// which requires routes.
struct PathTally {
  std::uint64_t pairs = 0;    // ordered pairs of ports that are connected by cables
  std::uint64_t longer = 0;   // pairs with a path longer than a shortest one
  std::uint64_t without = 0;  // pairs without a path, or with a loop
};
PathTally tally_paths(const RoutedFabric& input);

/// Properties that files of a kind can contain besides nodes and cables.
struct Capacity {
  bool routes = false;        // forwarding tables
  bool lids = false;          // LIDs and LMC
  bool rates = true;          // rates of links
  bool ports = false;         // ports without a cable
  bool several_ports = true;  // hosts with several adapters as one host
  bool others = false;        // routers, aggregation nodes, CAs without a switch
};

/// One line for each property that this fabric or its routes have and the kind cannot contain:
/// "ns3 cannot contain service levels and virtual lanes: the routes of dfsssp use 4 VLs".
std::vector<std::string> omissions(const RoutedFabric& input, std::string_view kind,
                                   const Capacity& capacity);

}  // namespace weft
