// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Console reports about the manager, the fabric and its routes: pure functions of the published
// status and snapshot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "service/console/console.h"

namespace weft {

std::string status_report(const ConsoleView& view);

/// Port counts by state, width and speed, optionally limited to one node type.
std::string port_report(const Snapshot& snapshot, std::optional<NodeType> type);

/// Number of paths to hosts through each port between switches. Without `all`: only switches with
/// counts that differ by more than one. With a GUID: that switch, with any counts.
Result<std::string> switch_balance(const Snapshot& snapshot, bool all, std::optional<Guid> only);

/// For hosts with several LIDs (LMC > 0): the number of egress ports and neighbor switches that
/// each switch except their leaf uses for the LIDs of one host. With a GUID: only that switch.
Result<std::string> lid_balance(const Snapshot& snapshot, std::optional<Guid> only);

/// The port with this LID, and the peers of the ports of its node.
Result<std::string> lid_report(const Snapshot& snapshot, Lid lid);

/// Port GUIDs of the nodes with a description that matches any of the regular expressions. POSIX
/// extended syntax without "{", back references and nested repetitions, because their cost is
/// unbounded.
Result<std::string> port_guids(const Snapshot& snapshot, std::span<const std::string_view> regexps);

}  // namespace weft
