// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Differences between two fabrics of the same subnet: nodes and cables that joined or left, names,
// LIDs, rates. Nodes are matched by GUID, whatever port they moved to.
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
    kLidChanged,
    kLinkGone,
    kLinkNew,
    kLinkRate
  };
  Kind kind{};
  Guid node;       // of a link, the end with the lower GUID and port
  PortNum port{};  // of links and LIDs
  Guid peer{};     // the other end of a link
  PortNum peer_port{};
  std::string what;  // names, and the old and new value; no verb for "gone" and "new"
  bool operator==(const FabricChange&) const = default;
};

/// Whether switches, endports, LIDs and the ports to which endports are cabled are the same: then
/// the fabrics differ in no more than cables between switches.
bool have_same_endports(const Fabric& before, const Fabric& now);

/// "node gone", "link new"
std::string_view name(FabricChange::Kind kind);

/// Sorted by kind, then by node and port. Links of nodes that are gone or new are included.
std::vector<FabricChange> compare(const Fabric& before, const Fabric& after);

/// Without the links of nodes that are gone or new themselves: for administrators.
std::vector<FabricChange> summarize_changes(const std::vector<FabricChange>& changes);

}  // namespace weft
