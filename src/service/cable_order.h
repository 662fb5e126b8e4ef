// Cutting and mending cables of an emulated fabric: what is asked for, and what came of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ib/ids.h"

namespace weft {

struct CableOrder {
  enum class Action { kList, kCut, kMend };
  Action action = Action::kList;
  std::string node;   // GUID with "0x" in front, or description; not of kList
  unsigned port = 0;  // likewise
  bool operator==(const CableOrder&) const = default;
};
constexpr std::string_view name(CableOrder::Action action) {
  switch (action) {
    case CableOrder::Action::kList:
      return "list";
    case CableOrder::Action::kCut:
      return "cut";
    case CableOrder::Action::kMend:
      return "mend";
  }
  return "?";
}

struct NamedPort {
  Guid node;
  std::string name;  // of the node
  PortNum port;
  bool operator==(const NamedPort&) const = default;
};

struct NamedCable {
  NamedPort a, b;
  bool operator==(const NamedCable&) const = default;
};

struct CableOutcome {
  bool changed = false;             // false: the cable was as asked for already
  std::optional<NamedCable> cable;  // that was cut or mended, the named end first
  std::vector<NamedCable> cut;      // all that are cut now
};

}  // namespace weft
