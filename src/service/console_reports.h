// What the console shows of a fabric and its routes: pure functions of what a sweep published.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "service/console.h"

namespace weft {

std::string status_report(const ConsoleView& view);

/// Ports by state, width and speed; of nodes of one type where it is given.
std::string port_report(const Snapshot& snapshot, std::optional<NodeType> type);

/// Paths to hosts through each port that leads to another switch. Without `all` only switches whose
/// ports carry numbers more than one apart; with a GUID that switch alone.
Result<std::string> switch_balance(const Snapshot& snapshot, bool all, std::optional<Guid> only);

/// Over how many ports and neighbors the LIDs of a host leave a switch, where hosts have several.
Result<std::string> lid_balance(const Snapshot& snapshot, std::optional<Guid> only);

/// Who holds a LID.
Result<std::string> lid_report(const Snapshot& snapshot, Lid lid);

/// GUIDs of the ports of nodes whose names any of the regular expressions (extended POSIX ones,
/// without "{" and back references, whose cost has no bound) finds something in.
Result<std::string> port_guids(const Snapshot& snapshot, std::span<const std::string_view> regexps);

}  // namespace weft
