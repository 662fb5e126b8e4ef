// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Comparison of the fabric with the expected topology (topo_config_file). Nodes are matched by node
// GUID. LIDs are not compared.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fabric/changes.h"
#include "fabric/fabric.h"

namespace weft {

/// The content of topo_config_file.
struct ExpectedTopology {
  std::string path;
  Fabric fabric;
};

/// Reads the file in any format that Weft recognizes. Fails as read_fabric().
Result<ExpectedTopology> read_topology(const std::string& path, std::vector<std::string>& warnings);

/// The differences of `found` from the expected fabric: missing and unexpected nodes and links,
/// other names, node types, numbers of ports, widths and speeds. Links of missing and unexpected
/// nodes are left out. Widths and speeds are compared unless the expected fabric has none, which
/// means that all its links are 4x SDR.
std::vector<FabricChange> topology_findings(const Fabric& expected, const Fabric& found);

/// The name of a finding, such as "missing node" or "unexpected link".
std::string_view finding_name(FabricChange::Kind kind);

/// Warnings about the first kTopologyWarningsMax findings, and the number of the others.
std::vector<std::string> topology_warnings(const ExpectedTopology& expected,
                                           const std::vector<FabricChange>& findings);
inline constexpr std::size_t kTopologyWarningsMax = 20;

}  // namespace weft
