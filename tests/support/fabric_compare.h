// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Differences between two fabrics, one per line, for round trips: an empty list means equal.
#pragma once

#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// The properties that a format supports. Other properties are not compared.
struct FabricCompare {
  bool node_attributes = true;  // vendor, device, system GUID, enhanced port 0
  bool revision = true;
  bool description = true;
  bool lids = true;  // LIDs of endports
  bool mtu = true;
  bool data_vls = true;
  bool rates = true;
  bool port_guids = true;              // GUIDs of connected ports
  bool unconnected_port_guids = true;  // used only if port_guids is set
};

/// At most 20 differences. Nodes are compared only if both fabrics have equal numbers of nodes,
/// switches, links and ports, and ports only if the nodes are equal.
std::vector<std::string> differences(const Fabric& a, const Fabric& b,
                                     const FabricCompare& what = {});

/// The lines as one text, each with a line feed.
std::string joined(const std::vector<std::string>& lines);

}  // namespace weft
