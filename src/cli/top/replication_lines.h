// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The state of the replication between managers, for weft top.
#pragma once

#include <string>
#include <vector>

#include "cli/common.h"

namespace weft::cli {

/// One line for each standby of a master, or one that a master has no standby, or one for the copy
/// of a standby; `replication` is the response of /api/v1/replication. Empty without replication.
std::vector<std::string> replication_lines(const Json& replication);

}  // namespace weft::cli
