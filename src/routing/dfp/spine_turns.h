// Where packets turn within a group of a dragonfly+ at a leaf that holds neither their source nor
// their destination. A spine without a cable to the group that it answers sends down to a leaf and
// up to another spine; packets to a spine arrive at another one and go down to a leaf and up again.
// If both kinds use the same leaf the second cable of one is the second of the other, before a
// cable between groups and after one: a cycle. So one leaf of each group is for arriving packets,
// the others are for leaving ones.
#pragma once

#include "routes/lfts.h"
#include "routing/topology.h"

namespace weft::dfp {

/// Changes entries of spines only, and only to paths that are as long. Paths that cables leave no
/// such choice stay as they are.
void separate_spine_turns(const Fabric& fabric, const SwitchGroups& groups, Lfts& lfts);

}  // namespace weft::dfp
