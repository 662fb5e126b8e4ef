// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Number of paths on each channel and each virtual lane, over all pairs of hosts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

struct LaneUse {
  std::uint64_t paths = 0;     // paths that use the lane on any channel
  std::uint64_t hops = 0;      // sum over these paths of the channels with the lane
  std::uint64_t load_max = 0;  // highest number of paths of the lane on one channel
};

/// The paths are those of all reachable ordered pairs of CA and router ports that are cabled to
/// different switches, to base LIDs, as those of Quality without the paths of aggregation nodes.
/// Paths from all hosts of a switch are assumed to use the VLs of its first port with a host.
struct Usage {
  std::vector<std::uint64_t> load;  // paths by ChannelId
  std::array<LaneUse, 16> lanes{};
};

/// The result does not depend on the number of threads. Cost: O(hosts * switches with hosts *
/// hops).
Usage count_usage(const Fabric& fabric, const Routes& routes, unsigned threads);

}  // namespace weft
