// What an administrator may say of adaptive routing that changes routes (ar_mgr.conf has more).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "routes/adaptive.h"

namespace weft {

/// What makes a group.
enum class ArAlgorithm : std::uint8_t {
  kLag,   // the cables to one neighbour
  kTree,  // all ports on shortest up*/down* paths
};

struct AdaptiveOptions {
  bool enabled = true;
  bool only_ar_engines = false;            // nobody asked for it but by the name of an engine
  std::optional<ArAlgorithm> algorithm{};  // else what suits the engine
  ArState mode = ArState::kBounded;        // of adaptive entries: bounded or free
  /// How many groups each switch holds, by SwitchId; 0: it cannot choose. Empty: kArGroupsMax each.
  std::vector<std::uint16_t> group_capacity{};
  /// By SwitchId, 1 for a switch that tells its neighbours of LIDs it cannot reach any more, and
  /// heeds what it is told. Such a switch has groups of one port too: it can tell of LIDs in a
  /// group only. Empty: nobody does.
  std::vector<std::uint8_t> notifies{};
  bool operator==(const AdaptiveOptions&) const = default;
};

}  // namespace weft
