// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The nodes and edges of a GraphML file, before a fabric is built from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fabric/formats/format.h"

namespace weft {

struct GraphmlNode {
  std::string id;
  std::size_t line = 0;      // 0: only edges name the node
  std::size_t named_at = 0;  // line that mentions the node first
  std::string type, label;
  std::optional<Guid> guid, system_guid;
  std::optional<unsigned> ports, lid, lmc;
  std::optional<unsigned> endpoints;  // number of hosts at a switch that are not nodes of the file
};

struct GraphmlEdge {
  std::uint32_t source = 0, target = 0;  // indexes of nodes
  std::size_t line = 0;
  std::optional<unsigned> src_port, dst_port, src_lid, dst_lid;
  std::optional<LinkWidth> width;
  std::optional<LinkSpeed> speed;
  std::optional<double> gbps;  // data rate in Gbit/s; not used if width or speed is given
};

struct GraphmlGraph {
  std::vector<GraphmlNode> nodes;  // in order of first mention
  std::vector<GraphmlEdge> edges;
  bool directed = false;
};

/// Parses a file. The result has at least one node, and every node is defined. Fails with kBadInput
/// on invalid content.
Result<GraphmlGraph> parse_graphml(LineReader& lines);

}  // namespace weft
