// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// File of multicast groups: one "MLID PORT_GUID PORT_GUID .. [send PORT_GUID ..]" on each line.
// Ports after "send" are send-only members.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/multicast.h"

namespace weft {

struct FiledGroup {
  Lid mlid;
  std::vector<Guid> members;
  std::vector<Guid> senders;
  std::string place;  // "file:line"
};

/// Reads the groups. Fails with kEnvironment if the file cannot be read; with kBadInput naming
/// file, line and column: an MLID outside 0xC000 to 0xFFFE or on two lines, an invalid GUID, a
/// group without full members.
Result<std::vector<FiledGroup>> read_groups(const std::string& path);

/// The groups of one fabric, in the order of LIDs. Groups without a full member in the fabric are
/// left out. A GUID that is not in the fabric is skipped with a warning; a port that is listed
/// twice counts once, and is a full member if one entry is before "send".
std::vector<MulticastGroup> resolve_groups(const std::vector<FiledGroup>& groups,
                                           const Fabric& fabric,
                                           std::vector<std::string>& warnings);

}  // namespace weft
