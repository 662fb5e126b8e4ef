// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of lists of nodes, ports and links, and of the search for nodes.
#pragma once

#include <string_view>

#include "service/http/data/json.h"
#include "service/sm_board.h"

namespace weft::http_data {

/// JSON of the nodes with this type and name. `type`: "CA", "SW", "RTR", or empty for all. `name`:
/// a substring of the description, or empty for all.
Json nodes(const Snapshot& snapshot, std::string_view type, std::string_view name, Page page);
Json node(const Snapshot& snapshot, NodeId node);
/// JSON of a port with its state, link and peer.
Json port_details(const Snapshot& snapshot, const Port& port);
/// JSON of the ports. `connected`: only ports with a link.
Json ports(const Snapshot& snapshot, bool connected, Page page);
Json links(const Snapshot& snapshot, Page page);

/// JSON of at most `limit` nodes that match a substring of the name (case is ignored), a LID, or at
/// least four digits of a GUID. Nodes with exactly this LID or name are first.
Json search(const Snapshot& snapshot, std::string_view wanted, std::size_t limit);

/// The state of a port: "active", "armed", "init", "down" or "unknown".
std::string_view state_of(const Snapshot& snapshot, const Port& port);

}  // namespace weft::http_data
