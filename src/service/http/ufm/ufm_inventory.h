// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of ports, links and systems in UFM's REST interface. A GUID is 16 hex digits without 0x.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "service/http/data/json.h"
#include "service/sm_board.h"

namespace weft::ufm {

using http_data::Json;

/// Selection of the objects of a list. An empty text selects all.
struct InventoryFilter {
  std::string system_type{};  // "computer", "switch" or "router"; of a link, of either end
  std::string system{};       // name, or GUID without 0x, of a system
  bool active = false;        // lists only ports in state ACTIVE
  bool unconnected = false;   // also lists ports without a link
  bool with_ports = false;    // lists systems with the names of their ports
};

/// The system type of a word of the query: "computer" for "host" or "computer", "switch" or
/// "router" for the same word; empty for other words.
std::optional<std::string> system_type_of(std::string_view word);

Json ports(const Snapshot& snapshot, const InventoryFilter& filter);
/// JSON of the links. Each link is listed once.
Json links(const Snapshot& snapshot, const InventoryFilter& filter);
/// JSON of the systems. Nodes with the same system GUID are one system.
Json systems(const Snapshot& snapshot, const InventoryFilter& filter);
/// JSON of the alias GUIDs of ports.
Json virtual_ports(const Snapshot& snapshot);
/// JSON of the subnet prefix and of the keys. The value of a key is shown only if the key is 0 or a
/// public default; otherwise the JSON states only that the key is set.
Json manager_configuration(const Settings& settings);

}  // namespace weft::ufm
