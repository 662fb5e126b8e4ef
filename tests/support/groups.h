// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Multicast groups for tests.
#pragma once

#include <vector>

#include "fabric/fabric.h"
#include "routes/multicast.h"

namespace weft {

/// All hosts; all hosts and switches; then small and large groups drawn by the seed, some with
/// switches and with send-only endports.
std::vector<MulticastGroup> some_groups(const Fabric& fabric, std::uint64_t seed);

}  // namespace weft
