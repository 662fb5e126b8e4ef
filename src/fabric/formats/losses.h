// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds the properties of a fabric that a file format cannot contain: compares the fabric with the
// fabric that was read from the written file.
#pragma once

#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// Properties of `fabric` that `again` lacks, each with the number of nodes or ports: "the MTU of
/// 24 ports". Nodes are compared by GUID, ports by number.
std::vector<std::string> lost_properties(const Fabric& fabric, const Fabric& again);

}  // namespace weft
