// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/next_hops.h"

#include <algorithm>

namespace weft {

PortMap::PortMap(const Fabric& fabric) : switches_(fabric.switch_count()), stride_(1) {
  for (const Channel& channel : fabric.channels())
    stride_ = std::max(stride_, channel.from_port.value() + 2u);
  hops_.resize(std::size_t{stride_} * switches_);
  std::uint32_t id = 0;
  for (const Channel& channel : fabric.channels())
    hops_[std::size_t{stride_} * channel.from.value() + channel.from_port.value()] = {
        ChannelId(id++), channel.to};
}

// A row has at least 16 additional elements. Without these, the rows of a fabric with a power of
// two of switches would share cache sets while load() writes the entries of a switch to all rows.
NextHops::NextHops(const PortMap& map)
    : map_(map),
      stride_((std::size_t{map.switch_count()} + 15) / 16 * 16 + 16),
      channels_(kLftBlock * stride_, kNoChannel),
      switches_(kLftBlock * stride_, kNoSwitch) {}

void NextHops::load(const Lfts& lfts, std::size_t block) {
  if (block >= lfts.blocks()) {
    std::ranges::fill(channels_, kNoChannel);
    std::ranges::fill(switches_, kNoSwitch);
    return;
  }
  const std::size_t stride = stride_;
  for (std::uint32_t s = 0; s < map_.switch_count(); ++s) {
    const PortMap::Row row = map_.row(SwitchId(s));
    const auto ports = lfts.block(SwitchId(s), block);
    ChannelId* channel = channels_.data() + s;
    SwitchId* to = switches_.data() + s;
    for (std::size_t i = 0; i < kLftBlock; ++i, channel += stride, to += stride) {
      const PortMap::Hop hop = row[PortNum(ports[i])];
      *channel = hop.channel;
      *to = hop.to;
    }
  }
}

}  // namespace weft
