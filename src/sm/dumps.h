// The files that OpenSM and ibutils know a routed subnet by, written together into one folder: each
// whole or not at all.
#pragma once

#include <string>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "sm/lanes.h"

namespace weft {

struct DumpOptions {
  EndportId sm = kNoEndport;        // the manager's port, which opensm-subnet.lst marks
  const LanePlan* lanes = nullptr;  // what the manager programs; null where there is no manager
  bool subnet_only = false;         // opensm-subnet.lst and nothing else
  bool psl_always = false;  // weft.psl grows with the square of the hosts: up to kPslHostsMax it is
                            // written anyway
};

inline constexpr std::uint32_t kPslHostsMax = 2000;

/// opensm-subnet.lst, opensm.fdbs, opensm.mcfdbs, opensm-lfts.dump, opensm-lid-matrix.dump,
/// opensm-sl2vl.dump, opensm-ftree-ca-order.dump (of ftree's routes), weft.psl, weft.slvl
/// and weft.ar (of adaptive routes).
/// With `lanes` also weft-vlarb.dump: for each port the two tables of VL arbitration, "VL:weight"
/// by entry. Creates the folder. Fails with kEnvironment naming the file.
Status write_dumps(const Fabric& fabric, const Routes& routes, const std::string& directory,
                   const DumpOptions& options = {});

}  // namespace weft
