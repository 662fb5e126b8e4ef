// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An XML platform for SimGrid. Without routes it has one zone in which SimGrid computes shortest
// paths; with routes it has one zone with the path of each pair of host ports.
#pragma once

#include "base/result.h"
#include "exports/routed_fabric.h"
#include "fabric/formats/write.h"

namespace weft {

inline constexpr std::uint64_t kSimgridRoutesMax = 2'000'000;

struct SimgridOptions {
  double delay_ns = 500;  // delay of each link
};

/// Fails with kBadInput if the fabric has no hosts, with kUsage if there are more routes than
/// kSimgridRoutesMax, and with kUnroutable if connected ports of different hosts have no path.
Status check_simgrid(const RoutedFabric& input);

/// Writes the platform. Links are SPLITDUPLEX with the data rate of one direction. Several cables
/// between two nodes are, without routes, one link with the sum of their rates. With routes, each
/// port of a host with several ports is a host HOST.N with the property "server". check_simgrid()
/// must have succeeded.
void write_simgrid(const RoutedFabric& input, const SimgridOptions& options, const Append& append);

}  // namespace weft
