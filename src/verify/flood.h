// Multicast as the judge sees it: packets are sent from every sender's port and followed copy by
// copy.
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

/// The groups to judge: those given, and of the tables' other multicast LIDs whom the tables
/// themselves call members. In order of LID.
std::vector<MulticastGroup> groups_to_judge(const Fabric& fabric, const Routes& routes,
                                            std::span<const MulticastGroup> given);

/// Follows every packet; what waits for what because of packets of CAs goes into `cas`, the rest
/// into `switches`. The graphs must have all VLs of the groups' SLs. Lanes that a link lacks go
/// into `tally`, where there is one.
MulticastVerdict judge_multicast(const Fabric& fabric, const Routes& routes,
                                 std::span<const MulticastGroup> groups, std::size_t failures_max,
                                 DependencyGraph& cas, DependencyGraph& switches,
                                 LidTally* tally = nullptr);

/// A sender and a multicast LID whose packets hold `from` and wait for `to`; nothing where there is
/// none.
std::optional<CycleHop> multicast_example(const Fabric& fabric, const Routes& routes,
                                          std::span<const MulticastGroup> groups,
                                          bool switches_talk, DependencyGraph::Vertex from,
                                          DependencyGraph::Vertex to);

}  // namespace weft
