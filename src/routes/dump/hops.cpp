// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/dump/hops.h"

#include <algorithm>

#include "base/parallel.h"
#include "fabric/hops.h"

namespace weft {
namespace {

constexpr std::size_t kLidsPerTask = kLftBlock;  // one cache line of each row

std::uint8_t one_more(std::uint8_t hops) {
  return hops >= kHopsCountedMax ? hops : static_cast<std::uint8_t>(hops + 1);
}

/// Counts the hops from every switch to a LID.
class LidWalk {
 public:
  LidWalk(const Fabric& fabric, const Lfts& lfts)
      : fabric_(fabric), lfts_(lfts), hops_(fabric.switch_count()), state_(fabric.switch_count()) {}

  const std::vector<std::uint8_t>& walk(Lid lid) {
    const EndportId owner = fabric_.endport_of(lid);
    std::ranges::fill(hops_, kHopsUnknown);
    if (owner == kNoEndport || fabric_.endport(owner).sw == kNoSwitch) return hops_;
    std::ranges::fill(state_, State::kNew);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      walk_from(SwitchId(s), lid, fabric_.endport(owner));
    return hops_;
  }

 private:
  enum class State : std::uint8_t { kNew, kOpen, kDone };

  /// Follows the table entries to a switch with a known hop count, or to a switch on the current
  /// path; the latter is a loop.
  void walk_from(SwitchId at, Lid lid, const Endport& owner) {
    path_.clear();
    while (state_[at.value()] == State::kNew) {
      const PortNum port = lfts_.port(at, lid);
      const ChannelId channel = port == kNoRoute ? kNoChannel : fabric_.channel_at(at, port);
      if (channel == kNoChannel) {
        state_[at.value()] = State::kDone;
        if (at == owner.sw && port == owner.sw_port)
          hops_[at.value()] = fabric_.is_switch(owner.node) ? 0 : 1;
        break;
      }
      state_[at.value()] = State::kOpen;
      path_.push_back(at);
      at = fabric_.channel(channel).to;
    }
    std::uint8_t hops = state_[at.value()] == State::kDone ? hops_[at.value()] : kHopsUnknown;
    for (auto passed = path_.rbegin(); passed != path_.rend(); ++passed) {
      hops = one_more(hops);
      hops_[passed->value()] = hops;
      state_[passed->value()] = State::kDone;
    }
  }

  const Fabric& fabric_;
  const Lfts& lfts_;
  std::vector<std::uint8_t> hops_;
  std::vector<State> state_;
  std::vector<SwitchId> path_;
};

}  // namespace

HopTable switch_distances(const Fabric& fabric) {
  const std::size_t n = fabric.switch_count();
  HopTable table{n, std::vector<std::uint8_t>(n * n, kHopsUnknown)};
  parallel_for(n, 0, [&](std::size_t start) {
    std::uint8_t* row = table.bytes.data() + start * n;
    const SwitchId source[] = {SwitchId(static_cast<std::uint32_t>(start))};
    std::ranges::transform(hops_from(fabric, source), row, [](std::uint16_t hops) {
      return hops == kNoHops
                 ? kHopsUnknown
                 : static_cast<std::uint8_t>(std::min<std::uint16_t>(hops, kHopsCountedMax));
    });
  });
  return table;
}

HopTable walked_hops(const Fabric& fabric, const Lfts& lfts) {
  const std::size_t lids = std::size_t{fabric.lid_top().value()} + 1;
  HopTable table{lids, std::vector<std::uint8_t>(lids * fabric.switch_count(), kHopsUnknown)};
  parallel_blocks(lids, kLidsPerTask, 0, [&](std::size_t begin, std::size_t end) {
    LidWalk walk(fabric, lfts);
    for (std::size_t lid = begin; lid < end; ++lid) {
      const auto& hops = walk.walk(Lid(static_cast<std::uint16_t>(lid)));
      for (std::size_t s = 0; s < hops.size(); ++s) table.bytes[s * lids + lid] = hops[s];
    }
  });
  return table;
}

}  // namespace weft
