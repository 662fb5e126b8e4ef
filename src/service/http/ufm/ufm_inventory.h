// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of ports, links and systems in UFM's REST interface. GUIDs are 16 hex digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "service/http/data/json.h"
#include "service/sm_board.h"

namespace weft::ufm {

using http_data::Json;

/// Selects the objects of a list; empty texts select all.
struct InventoryFilter {
  std::string
      system_type{};     // of ports and systems: "Computer", "Switch" or "Router", in lower case
  std::string system{};  // name, or GUID without 0x, of a system
  bool active = false;   // ports in state ACTIVE only
  bool unconnected = false;  // lists ports without a link, too
  bool with_ports = false;   // lists systems with the names of their ports
};

/// "host", "switch" or "router", or "computer", "switch", "router"; none for other words.
std::optional<std::string> system_type_of(std::string_view word);

Json ports(const Snapshot& snapshot, const InventoryFilter& filter);
/// JSON of the links, each link once.
Json links(const Snapshot& snapshot, const InventoryFilter& filter);
/// JSON of the systems: nodes with the same system GUID are one system.
Json systems(const Snapshot& snapshot, const InventoryFilter& filter);
/// JSON of the alias GUIDs of ports.
Json virtual_ports(const Snapshot& snapshot);
/// The subnet prefix, and whether each key is set: the value of a key is shown only if it is a
/// public default.
Json manager_configuration(const Settings& settings);

}  // namespace weft::ufm
