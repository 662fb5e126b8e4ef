// What changed from one fabric to another of the same subnet: nodes and cables that came and went,
// names, LIDs, rates. Nodes are the same where their GUIDs are, whatever port they moved to.
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
    kNodeChanged,  // its type or its number of ports
    kLidChanged,
    kLinkGone,
    kLinkNew,
    kLinkRate
  };
  Kind kind{};
  Guid node;       // where there is a peer, the end of the lower GUID and port
  PortNum port{};  // of links and LIDs
  Guid peer{};     // the other end of links
  PortNum peer_port{};
  std::string what;  // names, and for what changed how it was and is; no verb for gone and new
  bool operator==(const FabricChange&) const = default;
};

/// "node gone", "link new"
std::string_view name(FabricChange::Kind kind);

/// In the order of kinds, then of nodes and ports. Links of nodes that are gone or new are listed
/// as well.
std::vector<FabricChange> compare(const Fabric& before, const Fabric& after);

/// Without the links of nodes that are gone or new themselves: what an administrator wants to read.
std::vector<FabricChange> essence(const std::vector<FabricChange>& changes);

}  // namespace weft
