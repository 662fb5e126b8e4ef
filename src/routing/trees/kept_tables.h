// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Derives the tables of a tree that lost a few cables from its previous tables: only entries with
// paths over these cables are selected again. All other paths still exist, and no path has become
// shorter.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/trees/hops.h"

namespace weft {

/// `before` is the fabric of `previous`, which must have paths of kind `paths`. `ranks` define up
/// and down (goes_up() in shapes/ranks.h). Entries without such a path are kNoRoute. Of equally
/// short paths, a switch keeps the active path; otherwise up*/down* paths are preferred, and of
/// these the port with the fewest hosts. Paths that go up after they went down use the next hop
/// with the lowest switch id, so that they turn at few switches: packets that turn from down to up
/// at two switches can deadlock. Returns nullopt if the fabrics differ in more than lost cables, if
/// many entries used lost cables, or if a switch has an up*/down* path only by changes of other
/// entries. Cost: one copy of the tables, and for each entry over a lost cable the switches that
/// forward through it.
std::optional<Lfts> keep_tables(const Fabric& before, const Lfts& previous, const Fabric& fabric,
                                std::span<const std::uint16_t> ranks, ftree::Paths paths);

}  // namespace weft
