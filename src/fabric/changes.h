// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Differences between two fabrics of the same subnet: added and removed nodes and cables, changed
// names, LIDs and rates. Nodes are matched by GUID, even if they are cabled to other ports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

struct FabricChange {
  enum class Kind : std::uint8_t {
    kNodeGone,
    kNodeNew,
    kNodeRenamed,
    kNodeChanged,  // node type or number of ports
    kLidChanged,   // base LID
    kLinkGone,
    kLinkNew,
    kLinkRate  // width or speed of a link between the same ports
  };
  Kind kind{};
  Guid node;       // of a link, the node with the lower GUID and port
  PortNum port{};  // port of a link or a LID
  Guid peer{};     // node at the other end of a link
  PortNum peer_port{};
  std::string what;  // names, old and new value, as text
  bool operator==(const FabricChange&) const = default;
};

/// Whether switches, endports, LIDs and the ports to which endports are cabled are the same, so
/// that the topologies can differ only in cables between switches. Rates, MTUs, VLs and
/// descriptions are not compared.
bool have_same_endports(const Fabric& before, const Fabric& now);

/// The name of a kind, such as "node gone" or "link new".
std::string_view name(FabricChange::Kind kind);

/// All changes, sorted by kind, then by node (switches first, by GUID) and port. Links of nodes
/// that are gone or new are included.
std::vector<FabricChange> compare(const Fabric& before, const Fabric& after);

/// For administrators: the changes without the links of nodes that are themselves gone or new.
std::vector<FabricChange> summarize_changes(const std::vector<FabricChange>& changes);

}  // namespace weft
