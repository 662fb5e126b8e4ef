// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Selects the leaf at which packets turn within a group of a dragonfly+ if it holds neither their
// source nor their destination. A spine without a cable to the destination group of a reply sends
// it down to a leaf and up to another spine; packets to a spine may enter the group at another
// spine and go down to a leaf and up again. If both kinds used the same leaf, the second cable of
// each would be the second of the other, before a cable between groups and after one: a cycle. So
// one leaf of each group turns entering packets, the other leaves turn packets that leave the
// group.
#pragma once

#include "routes/lfts.h"
#include "routing/topology.h"

namespace weft::dfp {

/// Changes entries of spines only, and only to paths of the same length. Entries without such an
/// alternative stay as they are.
void separate_spine_turns(const Fabric& fabric, const SwitchGroups& groups, Lfts& lfts);

}  // namespace weft::dfp
