// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tables of a tree that lost a few cables, from those before: only entries with paths over these
// cables are selected anew. All other paths exist as before, and no other path has become shorter.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/trees/hops.h"

namespace weft {

/// `before`: the fabric of `previous`, which has such paths; `ranks` define up and down (goes_up()
/// in shapes/ranks.h). Entries without such a path are kNoRoute. Of equally short paths, a switch
/// keeps the active one, else prefers up*/down* paths, and of these takes the port with the fewest
/// hosts. Paths that go up after they went down all do so at the first possible switch: packets
/// that turn up at two switches can deadlock. Empty if the fabrics differ in more than lost cables,
/// or if many entries led over these. Cost: one copy of the tables, and the entries over lost
/// cables, each with the switches that it serves.
std::optional<Lfts> keep_tables(const Fabric& before, const Lfts& previous, const Fabric& fabric,
                                std::span<const std::uint16_t> ranks, ftree::Paths paths);

}  // namespace weft
