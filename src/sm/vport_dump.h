// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The dump of virtual ports (virt_dump_file): a paragraph for each CA port with virtualization,
// with a line for each of its vports except the physical function: index, GUID, vnode GUID, state,
// LID, P_Keys, alias GUIDs and description. Then the GUIDs of absent vports, with the port GUID of
// the last CA port.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "sm/sweep_report.h"

namespace weft {

/// "active" or "init", "forbidden" if tenants_policy_file does not allow the GUID on the CA port,
/// "duplicate" if another vport has the GUID, or "no-lid" if the vport gets no LID because of
/// virt_max_own_lids.
std::string_view vport_state_name(const Snapshot& snapshot, const VportOwner& at,
                                  const Vport& vport);

std::string vport_dump(const Snapshot& snapshot);
/// Replaces the file. Fails with kEnvironment naming the path.
Status write_vport_dump(const Snapshot& snapshot, const std::string& path);

}  // namespace weft
