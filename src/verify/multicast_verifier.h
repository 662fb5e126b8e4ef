// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verifies multicast: follows the copies of the packets of every sender.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/dependencies.h"
#include "verify/lid_tally.h"
#include "verify/verify.h"

namespace weft {

/// The groups to verify, in order of LID: the given groups, and for other multicast LIDs of the
/// tables the endports to which the tables of their own switch send copies.
std::vector<MulticastGroup> groups_to_verify(const Fabric& fabric, const Routes& routes,
                                             std::span<const MulticastGroup> given);

/// Follows every packet. Dependencies of packets from CAs are added to `cas`, others to `switches`;
/// these graphs must have all VLs of the groups' SLs. VLs that a link lacks are added to `tally`,
/// if given. `planes`: the plane by switch, if the connected parts of the fabric are planes. No
/// copies are expected from one plane in another.
MulticastVerdict verify_multicast(const Fabric& fabric, const Routes& routes,
                                  std::span<const MulticastGroup> groups, std::size_t failures_max,
                                  DependencyGraph& cas, DependencyGraph& switches,
                                  LidTally* tally = nullptr,
                                  std::span<const std::uint32_t> planes = {});

/// A sender and a multicast LID with packets that hold `from` and wait for `to`; none if there are
/// no such packets.
std::optional<CycleHop> multicast_example(const Fabric& fabric, const Routes& routes,
                                          std::span<const MulticastGroup> groups,
                                          bool with_switches, DependencyGraph::Vertex from,
                                          DependencyGraph::Vertex to);

}  // namespace weft
