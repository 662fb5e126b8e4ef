// A folder of dumps, as `weft route -o` and `weft sm` write it: which file holds what.
#pragma once

#include <string>

#include "base/result.h"

namespace weft::cli {

/// Paths of the files of a folder; empty where it has no such file.
struct DumpFolder {
  std::string fabric, lfts, psl, slvl, adaptive, mfts, multicast_sl, groups;
};

bool is_folder(const std::string& path);

/// Prefers the files that hold most: weft-fabric.json to opensm-subnet.lst (LMC, VLs, nodes without
/// cables), opensm-lfts.dump to opensm.fdbs, opensm-sl2vl.dump (end nodes) to weft.slvl. Fails with
/// kBadInput where the folder has no fabric or no forwarding tables.
Result<DumpFolder> find_dumps(const std::string& folder);

}  // namespace weft::cli
