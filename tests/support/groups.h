// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Multicast groups for tests.
#pragma once

#include <vector>

#include "fabric/fabric.h"
#include "routes/multicast.h"

namespace weft {

/// Groups of all hosts, of all hosts and switches, and small and large groups drawn from the seed.
/// Some of the drawn groups have switches as members, or endports that only send.
std::vector<MulticastGroup> some_groups(const Fabric& fabric, std::uint64_t seed);

}  // namespace weft
