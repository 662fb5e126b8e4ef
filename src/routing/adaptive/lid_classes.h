// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A class contains LIDs with equal paths: at each switch the same hop count and the same direction,
// up or down. All LIDs of a class have the same AR groups, so that groups are computed only for one
// LID, the leader. In tables of shortest paths, the LIDs of a switch and of its hosts are a class.
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
  SwitchId destination;  // the switch of all LIDs of the class
  std::vector<LidRun> runs;

  Lid leader() const { return Lid(runs.front().first); }
  bool has_one_lid() const { return runs.size() == 1 && runs.front().count == 1; }
};

/// The LIDs that the table of their switch forwards to their port, in ascending order.
std::vector<Lid> routable_lids(const Fabric& fabric, const Lfts& lfts);

/// Returns one class for each switch: the LIDs of `lids` (ascending) that are assigned at the
/// switch. The classes are sorted by leader.
std::vector<LidClass> classes_by_switch(const Fabric& fabric, std::span<const Lid> lids);
/// Returns one class for each LID.
std::vector<LidClass> classes_of_one_lid(const Fabric& fabric, std::span<const Lid> lids);

/// Removes the LIDs with a nonzero value in `differs` (by LID) from a class, and appends these LIDs
/// to `removed`. The value of the leader must be 0.
void remove_lids(std::span<const std::uint8_t> differs, LidClass& from, std::vector<Lid>& removed);

}  // namespace weft
