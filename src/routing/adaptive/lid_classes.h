// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A class has LIDs with equal paths: at each switch the same hop count and the same direction, up
// or down. Adaptive routing uses the same groups for all LIDs of a class, so that groups are found
// for one of them only. In tables of shortest paths, the LIDs of a switch and of its hosts are a
// class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "ib/ids.h"
#include "routes/lfts.h"

namespace weft {

/// Consecutive LIDs.
struct LidRun {
  std::uint16_t first = 0;
  std::uint16_t count = 0;
};

struct LidClass {
  SwitchId destination;  // the switch of all its LIDs
  std::vector<LidRun> runs;

  Lid leader() const { return Lid(runs.front().first); }
  bool has_one_lid() const { return runs.size() == 1 && runs.front().count == 1; }
};

/// LIDs that the table of their switch forwards to their port, ascending.
std::vector<Lid> routable_lids(const Fabric& fabric, const Lfts& lfts);

/// One class for each switch, of those of `lids` (ascending) that are assigned at it. Sorted by
/// leader.
std::vector<LidClass> classes_by_switch(const Fabric& fabric, std::span<const Lid> lids);
/// One class for each LID.
std::vector<LidClass> classes_of_one_lid(const Fabric& fabric, std::span<const Lid> lids);

/// Removes the LIDs with `differs` (by LID) from a class, and appends them to `removed`. The leader
/// must not be among them.
void remove_lids(std::span<const std::uint8_t> differs, LidClass& from, std::vector<Lid>& removed);

}  // namespace weft
