// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds the properties of a fabric that a file format lost, by reading a written file again.
#pragma once

#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// Properties that the file lost, each with the number of nodes or ports: "the MTU of 24 ports".
/// Nodes are compared by GUID, ports by number.
std::vector<std::string> lost_properties(const Fabric& fabric, const Fabric& again);

}  // namespace weft
