// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes dump files of a routed subnet, in the formats of OpenSM and ibutils, into one folder. Each
// file is written atomically.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "sm/qos/lanes.h"

namespace weft {

struct DumpOptions {
  EndportId sm = kNoEndport;        // the manager's port, which is marked in opensm-subnet.lst
  const LanePlan* lanes = nullptr;  // null without a manager
  std::span<const MulticastGroup> groups{};  // groups of the multicast tables
  bool subnet_only = false;                  // only opensm-subnet.lst
  bool psl_always = false;                   // weft.psl even above kPslHostsMax hosts
  unsigned threads = 0;                      // threads that write files; 0: one for each core
};

inline constexpr std::uint32_t kPslHostsMax = 2000;

inline constexpr std::string_view kFabricFile = "weft-fabric.json";
inline constexpr std::string_view kGroupsFile = "weft.groups";

/// Writes opensm-subnet.lst, opensm.fdbs, opensm.mcfdbs, opensm-lfts.dump, opensm-lid-matrix.dump,
/// opensm-sl2vl.dump, opensm-ftree-ca-order.dump (for routes of ftree), weft-fabric.json, weft.psl,
/// weft.slvl, weft.ar (for adaptive routes), weft.groups (for multicast groups) and weft.msl (for
/// multicast SLs). With `lanes` also weft-vlarb.dump: for each port the two tables of VL
/// arbitration, "VL:weight" by entry. weft.psl has the paths only up to kPslHostsMax hosts or with
/// `psl_always`; with more hosts, weft.psl is written only if all paths use SL 0, and removed
/// otherwise. Creates the folder. Removes weft.psl, weft.ar, weft.groups and weft.msl of an earlier
/// run if they do not apply to these routes; other files of an earlier run stay. Fails with
/// kEnvironment naming the folder, or the first file that could not be written or removed; after an
/// error at a file, the other files are processed nevertheless.
Status write_dumps(const Fabric& fabric, const Routes& routes, const std::string& directory,
                   const DumpOptions& options = {});

}  // namespace weft
