// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fabrics of generator specs.
#pragma once

#include <string>

#include "fabric/fabric.h"

namespace weft {

/// The fabric with LIDs on all its endports. Existing LIDs do not change; endports without a LID
/// get the lowest free LIDs.
Fabric with_lids(const Fabric& fabric, std::uint8_t lmc = 0);

/// The generated fabric with LIDs on all endports, switches first. The spec must be valid.
Fabric fabric_of(const std::string& spec, std::uint8_t lmc = 0);

/// The fabric exactly as generated, without LIDs. The spec must be valid.
Fabric fabric_without_lids(const std::string& spec);

}  // namespace weft
