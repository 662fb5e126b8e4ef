// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulated loads of links under the traffic that counters of hosts measured. Counters have no
// destinations: the model is that each host sends to every other host in proportion to the traffic
// that the other host receives (the gravity model: Zhang et al., "Fast accurate computation of
// large-scale IP traffic matrices from link loads", SIGMETRICS 2003).
#pragma once

#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// By EndportId, bytes/s; 0 for switches and for hosts that were not measured.
struct HostTraffic {
  std::vector<double> sent, received;
};

struct LinkLoad {
  double share = 0;  // of the link's data rate; above 1 if the link cannot carry the traffic
  ChannelId channel = kNoChannel;
};

/// The highest load of a channel between switches, by the paths of the tables to all LIDs of the
/// hosts; with adaptive routing, by the ports in the tables. Share 0 and kNoChannel if no channel
/// has traffic. The result does not depend on the number of threads.
LinkLoad largest_load(const Fabric& fabric, const Lfts& lfts, const HostTraffic& traffic,
                      unsigned threads);

}  // namespace weft
