// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The TREE groups of every switch and LID (groups.h), before numbers are assigned to the groups:
// the ports that begin shortest up*/down* paths. Cost: O(channels * classes of LIDs) byte
// comparisons, and one read of each table entry.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/adaptive.h"
#include "routes/lfts.h"
#include "routing/adaptive/class_paths.h"
#include "routing/adaptive/group_tables.h"
#include "routing/adaptive/lid_classes.h"

namespace weft {

struct TreeMasksInput {
  const Fabric& fabric;
  const Lfts& lfts;
  std::span<const std::uint8_t> up;            // by channel, 1: up channel
  std::span<const std::uint64_t> hop_weights;  // by channel; empty: equal weights
  std::span<const std::uint8_t> one_port;      // by switch, 1: groups of one port, too; or empty
  unsigned threads = 0;
  StaticEntries static_entries = StaticEntries::kFromDownHop;
};

struct TreeMasks {
  std::vector<LidClass> classes;
  struct OfSwitch {
    SwitchMasks masks;
    std::vector<std::uint16_t> of_class;  // number of the mask by class; kNone: the entry is static
  };
  std::vector<OfSwitch> switches;
  /// By channel, 1 for down channels on which packets enter a switch that sends them up.
  std::vector<std::uint8_t> turns_up;
};

TreeMasks find_tree_masks(const TreeMasksInput& input);

}  // namespace weft
