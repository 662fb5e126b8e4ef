// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The connected parts of a fabric: number and sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

struct PartSize {
  std::uint32_t switches = 0;
  std::uint32_t cas = 0;  // CAs and routers
  bool operator==(const PartSize&) const = default;
};
/// The sizes of the parts that split_into_parts() returns, in the same order. Cost: O(channels +
/// ports).
std::vector<PartSize> part_sizes(const Fabric& fabric);

}  // namespace weft
