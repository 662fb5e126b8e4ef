// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of lists of nodes, ports and links, and of the search for nodes.
#pragma once

#include <string_view>

#include "service/http/data/json.h"
#include "service/sm_board.h"

namespace weft::http_data {

/// `type`: "CA", "SW", "RTR" or empty; `name`: a substring of the description, or empty.
Json nodes(const Snapshot& snapshot, std::string_view type, std::string_view name, Page page);
Json node(const Snapshot& snapshot, NodeId node);
/// A port with its state, link and peer.
Json port_details(const Snapshot& snapshot, const Port& port);
/// `connected`: only ports with a link.
Json ports(const Snapshot& snapshot, bool connected, Page page);
Json links(const Snapshot& snapshot, Page page);

/// Finds nodes by a substring of the name (ignoring case), by LID, or by at least four digits of a
/// GUID. Exact matches of LID or name come first.
Json search(const Snapshot& snapshot, std::string_view wanted, std::size_t limit);

/// "active", "armed", "init", "down", "unknown".
std::string_view state_of(const Snapshot& snapshot, const Port& port);

}  // namespace weft::http_data
