// Which cables run below what both of their ends can do, as the ports themselves say.
#pragma once

#include <string>
#include <vector>

#include "sm/observed.h"

namespace weft {

/// By ChannelId of observed.fabric, both directions alike: the width or speed that is active is
/// less than the best that both ends have enabled.
std::vector<bool> throttled_channels(const Observed& observed);

/// All such cables, those of hosts included, by the names of their ends with what they run at and
/// what they could.
std::vector<std::string> slow_links(const Observed& observed);

}  // namespace weft
