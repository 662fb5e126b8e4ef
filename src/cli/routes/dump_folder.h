// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The files of a dump folder written by `weft route -o` or `weft sm`.
#pragma once

#include <string>

#include "base/result.h"

namespace weft::cli {

/// Paths of the files in a dump folder; empty for missing files.
struct DumpFolder {
  std::string fabric, lfts, psl, slvl, adaptive, mfts, multicast_sl, groups;
};

bool is_folder(const std::string& path);

/// Prefers the more complete file: weft-fabric.json to opensm-subnet.lst (LMC, VLs, nodes without
/// links), opensm-lfts.dump to opensm.fdbs, opensm-sl2vl.dump (CA ports) to weft.slvl. Fails with
/// kBadInput if the folder has no fabric or no forwarding tables.
Result<DumpFolder> find_dumps(const std::string& folder);

}  // namespace weft::cli
