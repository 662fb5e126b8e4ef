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
  std::uint64_t hops = 0;      // channels on which those paths use it
  std::uint64_t load_max = 0;  // highest number of paths of the lane on one channel
};

/// Paths are those of Quality: all reachable ordered pairs of CA ports cabled to switches, to base
/// LIDs. All paths from a switch use the VLs of its first port with a host.
struct Usage {
  std::vector<std::uint64_t> load;  // paths by ChannelId
  std::array<LaneUse, 16> lanes{};
};

/// Equal for any number of threads.  Cost: O(host LIDs * leaf switches * hops).
Usage count_usage(const Fabric& fabric, const Routes& routes, unsigned threads);

}  // namespace weft
