// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fabrics as Graphviz graphs, in the dialect of the ORCS simulator. A node named H... is a host,
// or a router if its attribute `kind` is "router"; any other node is a switch. In a digraph a cable
// is two edges, one for each direction; an edge without a reverse edge is one cable, like each edge
// of an undirected graph. The comment of an edge may list the destination hosts routed over the
// edge (routes/dump reads and writes these lists).
//
// Names that are a letter and a GUID ("H0002c903000e0b72") give GUIDs; other nodes get generated
// GUIDs in file order. Ports are read from "S1":3, else from taillabel and headlabel; without
// either, cables get the lowest free ports in file order. In a dump of CODES, comments give GUIDs
// and ports. Weft's writer also stores the number of ports, GUIDs, LIDs and rates, in attributes
// that other programs ignore.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/formats/dot/dot_parse.h"
#include "fabric/formats/write.h"

namespace weft {

Status read_dot(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                Warnings& warnings);

/// Writes the fabric without routes, in a form that Graphviz can draw.
void write_dot(const Fabric& fabric, const Append& append);

/// Returns the comment of the edge that starts at a port; empty: no comment. The view must stay
/// valid until the next call.
using DotComment = std::function<std::string_view(PortId from)>;
/// Returns further attributes of the edge that starts at a port: "a=1, b=2".
using DotAttributes = std::function<std::string(PortId from)>;
/// Writes the fabric as write_dot() does, with a comment and further attributes at each edge.
void write_dot_with_comments(const Fabric& fabric, const DotComment& comment, const Append& append,
                             const DotAttributes& more = {});

/// The name of a node: "S" (switch) or "H" (CA, router) and the GUID in 16 hex digits.
std::string dot_name(const Node& node);

/// A graph with all ports assigned. read_dot builds a fabric from it, and a reader of routes finds
/// the output port of each edge in it.
struct DotGraph {
  struct NodeDraft {
    std::string name;
    Node node;
    LidRange lid;                       // LIDs of a switch
    Guid port_guid;                     // of port 0 of a switch, if it differs from the node's GUID
    std::uint8_t port_count_given = 0;  // 0: not given
  };
  struct Edge {
    std::uint32_t tail = 0, head = 0;  // nodes
    std::uint8_t tail_port = 0, head_port = 0;
    std::uint32_t line = 0;
    std::uint32_t back = 0xFFFFFFFF;  // index of the edge in the other direction; default: none
    FabricBuilder::PortSpec spec;     // properties of the tail's port
  };
  std::vector<NodeDraft> nodes;  // in the order in which the file names them
  std::vector<Edge> edges;       // in the file's order
};
Result<DotGraph> read_dot_graph(LineReader& lines, Warnings& warnings);

}  // namespace weft
