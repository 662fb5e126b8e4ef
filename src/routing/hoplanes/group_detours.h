// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paths through an intermediate group for the further LIDs of ports, on fabrics with groups of
// switches (topology.h): packets are routed to the intermediate group of their LID, and from this
// group to their destination. The LIDs of a port have different intermediate groups if possible,
// and the LIDs of a group's ports are distributed over all other groups, so that the traffic from
// one group to another uses all cables of both groups.
//
// Groups belong to a few classes, with an SL for each pair of classes. A path between groups of two
// classes has an intermediate group of a third class, or with a greater number than both groups. So
// ports and SL determine whether a packet is in its intermediate group, and lanes rise twice on any
// such path.
// Source: Valiant, "A scheme for fast parallel communication", SIAM J. Computing 11(2), 1982; Kim,
// Dally, Scott, Abts, ISCA 2008.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/topology.h"

namespace weft::hoplanes {

/// Classes of the groups, by switch, from 0: as many classes as allow an SL for each pair.
std::vector<std::uint32_t> group_classes(const SwitchGroups& groups);

/// Replaces the entries of all LIDs of hosts except the first. LIDs without a usable intermediate
/// group get the entries of the port's first LID. `classes` is the result of group_classes().
/// `ignored`: ports without traffic.
void add_group_detours(const Fabric& fabric, const SwitchGroups& groups,
                       std::span<const std::uint32_t> classes, std::span<const EndportId> ignored,
                       Lfts& lfts);

}  // namespace weft::hoplanes
