// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Multicast groups for tests.
#pragma once

#include <vector>

#include "fabric/fabric.h"
#include "routes/multicast.h"

namespace weft {

/// A group of all hosts, eight groups of random endports (half to a sixteenth of them), and a group
/// of all hosts and switches. Some of the random groups have switches as members or send-only
/// members.
std::vector<MulticastGroup> some_groups(const Fabric& fabric, std::uint64_t seed);

}  // namespace weft
