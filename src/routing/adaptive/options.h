// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of adaptive routing that change routes. The file ar_mgr.conf has further options.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "routes/adaptive.h"

namespace weft {

/// The ports of a group.
enum class ArAlgorithm : std::uint8_t {
  kLag,   // the cables to one neighbor
  kTree,  // all ports on shortest up*/down* paths
};

/// Switches at which groups are divided into sub-groups with weights (ar_tree_asymmetric_flow).
enum class AsymmetricFlow : std::uint8_t { kOff, kLeaves, kAll };

struct AdaptiveOptions {
  bool enabled = true;
  bool only_ar_engines = false;            // groups only for adaptive variants of engines
  std::optional<ArAlgorithm> algorithm{};  // no value: default of the engine
  ArState mode = ArState::kBounded;        // mode of adaptive entries: bounded or free
  /// Number of groups that each switch can store, by SwitchId; 0: not AR-capable. Empty:
  /// kArGroupsMax for each switch.
  std::vector<std::uint16_t> group_capacity{};
  /// By SwitchId, 1 for a switch that sends and processes FRNs; empty: no switch. Except with LAG,
  /// such a switch has groups of one port, too, because FRNs exist only for LIDs with a group.
  std::vector<std::uint8_t> notifies{};
  AsymmetricFlow asymmetric = AsymmetricFlow::kOff;
  /// By SwitchId, 1 for a switch that can divide groups. Empty: all switches.
  std::vector<std::uint8_t> divides{};
  /// Number of forwarding tables (pLFTs) of each switch, by SwitchId; at most 1: no private tables.
  /// Empty: all switches have as many as an engine uses.
  std::vector<std::uint8_t> forwarding_tables{};
  bool operator==(const AdaptiveOptions&) const = default;
};

}  // namespace weft
