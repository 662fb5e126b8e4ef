// What routes do to each channel and each virtual lane, counted over all pairs of hosts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

struct LaneUse {
  std::uint64_t paths = 0;     // that use the lane on some channel
  std::uint64_t hops = 0;      // channels that those paths take on it
  std::uint64_t load_max = 0;  // paths on one channel on this lane
};

/// Paths are those of Quality: all ordered pairs of CA ports cabled to switches, to base LIDs, that
/// arrive. What enters at a switch takes the lanes of its first port with a host.
struct Usage {
  std::vector<std::uint64_t> load;  // paths by ChannelId
  std::array<LaneUse, 16> lanes{};
};

/// Equal for any number of threads.  Cost: O(host LIDs * leaf switches * hops).
Usage count_usage(const Fabric& fabric, const Routes& routes, unsigned threads);

}  // namespace weft
