// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The switch graph. All cables from one switch to another form one arc, a trunk. If paths over
// trunks are deadlock-free, so are paths over their cables, for any distribution of packets over
// the cables. All arrays are flat.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

struct Trunks {
  /// `left_out`, by ChannelId: excluded channels, always both directions of a cable; empty: none.
  explicit Trunks(const Fabric& fabric, const std::vector<bool>& left_out = {});

  std::vector<std::uint32_t> begin;          // by switch, plus the end; see head
  std::vector<std::uint32_t> head;           // by trunk; ascending within a switch
  std::vector<std::uint32_t> tail;           // by trunk
  std::vector<std::uint32_t> reverse;        // by trunk
  std::vector<std::uint32_t> channel_begin;  // by trunk, plus the end
  std::vector<std::uint32_t> channels;       // ascending within a trunk

  std::uint32_t count() const { return static_cast<std::uint32_t>(head.size()); }
  std::uint32_t degree(std::uint32_t sw) const { return begin[sw + 1] - begin[sw]; }
  /// The channels of a trunk, at least one.
  std::span<const std::uint32_t> channels_of(std::uint32_t trunk) const {
    return std::span(channels).subspan(channel_begin[trunk],
                                       channel_begin[trunk + 1] - channel_begin[trunk]);
  }
};

}  // namespace weft
