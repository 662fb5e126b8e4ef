// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/hoplanes/loaded_trees.h"

#include <algorithm>

#include "routing/balance/channel_weights.h"

namespace weft::hoplanes {

LoadedTrees::LoadedTrees(const Fabric& fabric, std::span<const EndportId> ignored)
    : fabric_(fabric),
      weights_(channel_weights(fabric)),
      load_(fabric.channel_count(), 0),
      cost_(fabric.switch_count(), 0),
      flow_(fabric.switch_count(), 0),
      choices_(fabric.switch_count()) {
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const auto hosts = fabric.endports_at(SwitchId(s));
    hosts_.push_back(static_cast<std::uint32_t>(std::ranges::count_if(
        hosts, [&](EndportId id) { return !std::ranges::binary_search(ignored, id); })));
  }
}

void LoadedTrees::count(const Lfts& lfts, Lid lid) {
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
    SwitchId at(s);
    for (std::uint32_t hops = 0; hosts_[s] > 0 && hops < fabric_.switch_count(); ++hops) {
      const ChannelId next = fabric_.channel_at(at, lfts.port(at, lid));
      if (next == kNoChannel) break;
      load_[next.value()] += std::uint64_t{hosts_[s]} * weights_[next.value()] << kNextHopBits;
      at = fabric_.channel(next).to;
    }
  }
}

void LoadedTrees::route(const HopDag& dag, Lid lid, Lfts& lfts) {
  grow_tree(dag, load_, cost_, choices_);
  std::ranges::copy(hosts_, flow_.begin());
  const auto members = dag.members();
  for (std::size_t i = members.size(); i-- > 0;) {
    const auto [channel, to] = choices_[i];
    const std::uint32_t flows = flow_[members[i].sw];
    flow_[to] += flows;
    load_[channel] += std::uint64_t{flows} * weights_[channel] << kNextHopBits;
    lfts.set(SwitchId(members[i].sw), lid, fabric_.channel(ChannelId(channel)).from_port);
  }
}

}  // namespace weft::hoplanes
