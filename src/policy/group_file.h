// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// File of multicast groups: "MLID PORT_GUID PORT_GUID .. [send PORT_GUID ..]" per line. Ports after
// "send" are send-only members.
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

/// Fails with kBadInput naming file, line and column: an MLID outside 0xC000 to 0xFFFE or with a
/// second line, an invalid GUID, a group without members.
Result<std::vector<FiledGroup>> read_groups(const std::string& path);

/// The groups of one fabric, in order of LID. A GUID that the fabric does not have is skipped with
/// a warning; a port named twice counts once, as a member if it is one.
std::vector<MulticastGroup> resolve_groups(const std::vector<FiledGroup>& groups,
                                           const Fabric& fabric,
                                           std::vector<std::string>& warnings);

}  // namespace weft
