// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/chain/pairs.h"

#include <optional>

namespace weft {
namespace {

constexpr std::uint8_t kUnknown = 0xFD;
constexpr std::uint8_t kLost = 0xFC;  // the destination is unreachable
static_assert(kChainStepsMost <= kLost);

}  // namespace

ChainPairs::ChainPairs(const Fabric& fabric, const Owners& owners, const Lfts& lfts,
                       bool ignore_replies)
    : fabric_(fabric),
      lfts_(lfts),
      one_direction_(ignore_replies),
      map_(fabric),
      step_(std::size_t{fabric.switch_count()} * fabric.switch_count(), kUnused) {
  NextHops hops(map_);
  std::vector<std::uint8_t> step;
  std::optional<std::size_t> loaded;
  for (const Endport& to : fabric.endports()) {
    if (!to.addressed()) continue;
    for (unsigned offset = 0; offset < lid_count(to); ++offset) {
      const Lid lid = lid_at(to, offset);
      if (const std::size_t block = lid.value() / kLftBlock; loaded != block) {
        hops.load(lfts, block);
        loaded = block;
      }
      add(to, lid, owners, hops, step);
    }
  }
}

void ChainPairs::add(const Endport& to, Lid lid, const Owners& owners, const NextHops& hops,
                     std::vector<std::uint8_t>& step) {
  const auto switches = hops.switches(lid);
  step.assign(fabric_.switch_count(), kUnknown);
  step[to.sw.value()] = kUnused;
  for (std::uint32_t s = 0; s < step.size(); ++s) {
    path_.clear();
    std::uint32_t at = s;
    while (step[at] == kUnknown) {
      step[at] = kLost;  // if the path returns to this switch
      path_.push_back(at);
      if (switches[at] == kNoSwitch) break;
      at = switches[at].value();
    }
    if (path_.empty() || (path_.back() == at && switches[at] == kNoSwitch)) continue;
    for (auto hop = path_.rbegin(); hop != path_.rend(); at = *hop++) {
      const std::uint8_t own = owners.of(SwitchId(*hop), lid);
      const std::uint8_t rest = step[at];
      if (rest == kLost) continue;
      step[*hop] = own != Owners::kNoOwner && (rest == kUnused || rest == own) ? own : kSeveral;
    }
  }
  const bool is_switch = fabric_.is_switch(to.node);
  for (std::uint32_t s = 0; s < step.size(); ++s) {
    if (s == to.sw.value() || step[s] == kLost) continue;
    if (is_switch && fabric_.endports_at(SwitchId(s)).empty()) continue;
    std::uint8_t& pair = step_[index(s, to.sw.value())];
    pair = pair == kUnused || pair == step[s] ? step[s] : kSeveral;
  }
}

void ChainPairs::find_path(SwitchId from, SwitchId to, Lid lid,
                           std::vector<std::uint32_t>& channels) const {
  channels.clear();
  for (SwitchId at = from; at != to;) {
    const PortMap::Hop& next = map_.hop(at, lfts_.port(at, lid));
    if (next.channel == kNoChannel || channels.size() >= fabric_.switch_count()) {
      channels.clear();
      return;
    }
    channels.push_back(next.channel.value());
    at = next.to;
  }
}

}  // namespace weft
