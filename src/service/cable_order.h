// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests to disconnect and reconnect links of an emulated fabric, and their results.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ib/ids.h"

namespace weft {

struct CableOrder {
  enum class Action { kList, kCut, kReconnect };
  Action action = Action::kList;
  std::string node;   // GUID with prefix "0x", or node description; unused by kList
  unsigned port = 0;  // unused by kList
  bool operator==(const CableOrder&) const = default;
};
/// Name of the action in the console and in the HTTP API.
constexpr std::string_view name(CableOrder::Action action) {
  switch (action) {
    case CableOrder::Action::kList:
      return "list";
    case CableOrder::Action::kCut:
      return "cut";
    case CableOrder::Action::kReconnect:
      return "mend";
  }
  return "?";
}

struct NamedPort {
  Guid node;
  std::string name;  // name of the node
  PortNum port;
  bool operator==(const NamedPort&) const = default;
};

struct NamedCable {
  NamedPort a, b;
  bool operator==(const NamedCable&) const = default;
};

struct CableOutcome {
  bool changed = false;             // false: the link was already in the requested state
  std::optional<NamedCable> cable;  // the requested link; `a` is the end named in the request
  std::vector<NamedCable> cut;      // all links that are disconnected now
};

}  // namespace weft
