// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A platform for SimGrid in its XML. Two kinds: without routes, one zone in which SimGrid computes
// shortest paths; with routes, one zone with the path of each pair of host ports.
#pragma once

#include "base/result.h"
#include "exports/routed_fabric.h"
#include "fabric/formats/write.h"

namespace weft {

inline constexpr std::uint64_t kSimgridRoutesMax = 2'000'000;

struct SimgridOptions {
  double delay_ns = 500;  // of each link
};

/// Fails with kBadInput if the fabric has no hosts, with kUsage if the routes would be more than
/// kSimgridRoutesMax, and with kUnroutable if connected ports of hosts have no path.
Status check_simgrid(const RoutedFabric& input);

/// Links are SPLITDUPLEX with the data rate of one direction. Of several cables between two nodes,
/// a platform without routes has one link with their sum. With routes, each port of a host with
/// several is a host HOST.N with the property "server". check_simgrid() must have passed.
void write_simgrid(const RoutedFabric& input, const SimgridOptions& options, const Append& append);

}  // namespace weft
