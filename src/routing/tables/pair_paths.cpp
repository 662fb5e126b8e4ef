// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/tables/pair_paths.h"

#include <algorithm>

#include "routing/tables/destinations.h"

namespace weft {

PairPaths::PairPaths(const Fabric& fabric, const Lfts& lfts)
    : fabric_(fabric), lfts_(lfts), endports_(fabric.switch_count()) {
  for (std::uint32_t e = 0; e < fabric.endport_count(); ++e)
    if (const Endport& endport = fabric.endport(EndportId(e)); endport.addressed())
      endports_[endport.sw.value()].push_back(EndportId(e));
}

std::span<const std::vector<std::uint32_t>> PairPaths::between(SwitchId a, SwitchId b) {
  count_ = 0;
  add(a, b);
  add(b, a);
  return std::span(paths_).first(count_);
}

void PairPaths::add(SwitchId from, SwitchId to) {
  for (const EndportId id : endports_[to.value()]) {
    const Endport& endport = fabric_.endport(id);
    if (!is_traffic(fabric_, from, endport)) continue;
    for (unsigned i = 0; i < lid_count(endport); ++i) {
      if (count_ == paths_.size()) paths_.emplace_back();
      std::vector<std::uint32_t>& path = paths_[count_];
      path.clear();
      for (SwitchId at = from; at != to && path.size() <= fabric_.switch_count();) {
        const ChannelId next = fabric_.channel_at(at, lfts_.port(at, lid_at(endport, i)));
        if (next == kNoChannel) break;
        path.push_back(next.value());
        at = fabric_.channel(next).to;
      }
      const auto known = std::span(paths_).first(count_);
      if (std::ranges::find(known, path) == known.end()) ++count_;
    }
  }
}

}  // namespace weft
