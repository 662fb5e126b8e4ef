// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/shapes/trunks.h"

#include <algorithm>
#include <utility>

namespace weft {

Trunks::Trunks(const Fabric& fabric, const std::vector<bool>& left_out) {
  const std::uint32_t switches = fabric.switch_count();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;  // head, channel
  for (std::uint32_t s = 0; s < switches; ++s) {
    begin.push_back(count());
    out.clear();
    std::uint32_t id = fabric.first_channel(SwitchId(s)).value();
    for (const Channel& channel : fabric.channels_from(SwitchId(s))) {
      if (left_out.empty() || !left_out[id]) out.emplace_back(channel.to.value(), id);
      ++id;
    }
    std::ranges::sort(out);
    for (const auto& [to, channel] : out) {
      if (count() == begin[s] || head.back() != to) {
        head.push_back(to);
        tail.push_back(s);
        channel_begin.push_back(static_cast<std::uint32_t>(channels.size()));
      }
      channels.push_back(channel);
    }
  }
  begin.push_back(count());
  channel_begin.push_back(static_cast<std::uint32_t>(channels.size()));
  for (std::uint32_t t = 0; t < count(); ++t) {
    const auto first = head.begin() + begin[head[t]];
    const auto last = head.begin() + begin[head[t] + 1];
    reverse.push_back(
        static_cast<std::uint32_t>(std::lower_bound(first, last, tail[t]) - head.begin()));
  }
}

}  // namespace weft
