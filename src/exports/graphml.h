// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes GraphML, for NetworkX, SST and others. docs/reference/export.md lists the attributes.
#pragma once

#include "exports/routed_fabric.h"
#include "fabric/formats/write.h"

namespace weft {

struct GraphmlOptions {
  /// CAs and routers are not written as nodes; the attribute `endpoints` of a switch is the number
  /// of their ports that are cabled to the switch, as SST expects.
  bool switches_only = false;
};

/// Writes one undirected graph with an edge per cable. With routes, switches have their forwarding
/// tables as an attribute.
void write_graphml(const RoutedFabric& input, const GraphmlOptions& options, const Append& append);

/// A forwarding table as text: the port of each run of LIDs, "1-4:7 5:3". LIDs without a route are
/// left out.
std::string lft_runs(const Lfts& lfts, SwitchId sw, Lid top);

}  // namespace weft
