// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/tables/missing_routes.h"

#include <span>
#include <vector>

#include "routing/tables/destinations.h"

namespace weft {
namespace {

constexpr std::uint32_t kUnset = 0xFFFFFFFF;

class Filler {
 public:
  Filler(const Fabric& fabric, Lfts& lfts)
      : fabric_(fabric),
        lfts_(lfts),
        next_(fabric.switch_count()),
        used_(fabric.channel_count(), 0) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      for (const std::uint8_t port : lfts.row(SwitchId(s)))
        if (const ChannelId out = fabric.channel_at(SwitchId(s), PortNum(port)); out != kNoChannel)
          ++used_[out.value()];
  }

  std::uint64_t fill(const Endport& to, Lid lid) {
    std::uint64_t filled = 0;
    if (lfts_.port(to.sw, lid) != to.sw_port) {
      if (!lacks_route(to.sw, lid)) return 0;  // the entry is for another port
      lfts_.set(to.sw, lid, to.sw_port);
      ++filled;
    }
    bool gaps = false;
    for (std::uint32_t s = 0; s < next_.size(); ++s) {
      const ChannelId out = fabric_.channel_at(SwitchId(s), lfts_.port(SwitchId(s), lid));
      const bool is_open = s != to.sw.value() && lacks_route(SwitchId(s), lid);
      gaps = gaps || is_open;
      if (is_open) {
        next_[s] = kUnset;
      } else {
        next_[s] = out == kNoChannel ? s : fabric_.channel(out).to.value();
      }
    }
    return gaps ? filled + grow(to.sw.value(), lid) : filled;
  }

 private:
  /// Whether the entry is empty, or its port has no cable.
  bool lacks_route(SwitchId sw, Lid lid) const {
    const PortNum port = lfts_.port(sw, lid);
    if (port == kNoRoute) return true;
    const PortId id = fabric_.port_id(Fabric::node_of(sw), port);
    return port.value() != 0 && (id == kNoPort || fabric_.port(id).peer == kNoPort);
  }

  /// Searches breadth first, against the direction of packets, from the switch of the LID's
  /// endport. Neighbors that forward to a switch found so far reach the LID too. Neighbors without
  /// an entry are assigned the least used cable to a switch with fewer hops. Returns the number of
  /// entries filled.
  std::uint64_t grow(std::uint32_t destination, Lid lid) {
    std::uint64_t filled = 0;
    level_.assign(next_.size(), kUnset);
    queue_.assign(1, destination);
    level_[destination] = 0;
    for (std::size_t head = 0; head < queue_.size(); ++head) {
      const std::uint32_t here = queue_[head];
      if (here != destination && next_[here] == kUnset) {
        choose(here, lid);
        ++filled;
      }
      for (const Channel& channel : fabric_.channels_from(SwitchId(here))) {
        const std::uint32_t from = channel.to.value();
        if (level_[from] != kUnset || (next_[from] != here && next_[from] != kUnset)) continue;
        level_[from] = level_[here] + 1;
        queue_.push_back(from);
      }
    }
    return filled;
  }

  void choose(std::uint32_t from, Lid lid) {
    const std::uint32_t first = fabric_.first_channel(SwitchId(from)).value();
    const auto channels = fabric_.channels_from(SwitchId(from));
    std::uint32_t best = kUnset;
    for (std::uint32_t i = 0; i < channels.size(); ++i) {
      if (level_[channels[i].to.value()] >= level_[from]) continue;
      if (best == kUnset || used_[first + i] < used_[best]) best = first + i;
    }
    const Channel& channel = fabric_.channel(ChannelId(best));
    ++used_[best];
    next_[from] = channel.to.value();
    lfts_.set(SwitchId(from), lid, channel.from_port);
  }

  const Fabric& fabric_;
  Lfts& lfts_;
  // By switch: next hop of the current LID; the switch itself if its entry is for no channel;
  // kUnset if the entry is empty.
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> level_;  // by switch: hops, kUnset if unreachable
  std::vector<std::uint32_t> used_;   // by channel: entries
  std::vector<std::uint32_t> queue_;
};

std::uint64_t fill(const Fabric& fabric, std::span<const Endport> endports, Lfts& lfts) {
  Filler filler(fabric, lfts);
  std::uint64_t filled = 0;
  for (const Endport& endport : endports) {
    if (endport.sw == kNoSwitch) continue;
    for (unsigned offset = 0; offset < lid_count(endport); ++offset)
      filled += filler.fill(endport, lid_at(endport, offset));
  }
  return filled;
}

}  // namespace

std::uint64_t add_missing_routes(const Fabric& fabric, Lfts& lfts) {
  return fill(fabric, fabric.endports(), lfts);
}

std::uint64_t add_missing_switch_routes(const Fabric& fabric, Lfts& lfts) {
  return fill(fabric, fabric.endports().first(fabric.switch_count()), lfts);
}

}  // namespace weft
