// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Selects the leaves, other than source and destination, at which packets turn from down to up
// within a group of a dragonfly+. A spine without a cable to the destination group of a reply
// forwards the reply down to a leaf, and the leaf forwards the reply up to another spine. Packets
// to a spine may enter the group at another spine, go down to a leaf and up again. If both kinds of
// packets turned at the same leaf, the cables from the leaf to spines would follow cables between
// groups on some paths and precede such cables on other paths, which is a cycle. So packets that
// enter a group turn at one leaf of the group, and packets that leave the group turn at its other
// leaves.
#pragma once

#include "routes/lfts.h"
#include "routing/topology.h"

namespace weft::dfp {

/// Changes entries of spines only, and only to paths of the same length. Entries without such an
/// alternative do not change. Does nothing on a dragonfly without spines.
void separate_spine_turns(const Fabric& fabric, const SwitchGroups& groups, Lfts& lfts);

}  // namespace weft::dfp
