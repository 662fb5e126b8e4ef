// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/multicast/loads.h"

#include <algorithm>

namespace weft::multicast {

std::pair<std::uint64_t, std::uint64_t> Loads::with_one_more(
    std::span<const ChannelId> channels) const {
  std::uint64_t most = 0, sum = 0;
  for (const ChannelId channel : channels) {
    const std::uint64_t load = with_one_more(channel);
    most = std::max(most, load);
    sum += load;
  }
  return {most, sum};
}

void Loads::add(std::span<const ChannelId> channels) {
  for (const ChannelId channel : channels) {
    ++trees_[channel.value()];
    ++trees_[fabric_.channel(channel).reverse.value()];
  }
}

}  // namespace weft::multicast
