// Which cables run below what both of their ends can do, as the ports themselves say.
#pragma once

#include <vector>

#include "sm/observed.h"

namespace weft {

/// By ChannelId of observed.fabric, both directions alike: the width or speed that is active is
/// less than the best that both ends have enabled.
std::vector<bool> throttled_channels(const Observed& observed);

}  // namespace weft
