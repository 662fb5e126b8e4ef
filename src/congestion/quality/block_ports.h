// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A copy of one block of LIDs of all forwarding tables. The rows of the tables are far apart in
// memory; those of the copy are adjacent, and stay in the cache while paths to the LIDs are traced.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// Not thread-safe: each thread uses its own object.
class BlockPorts {
 public:
  explicit BlockPorts(std::uint32_t switches)
      : switches_(switches), ports_(switches * kLftBlock, kNoRoute.value()) {}

  /// Copies a block. A block beyond the end of the tables has no routes.
  void load(const Lfts& lfts, std::size_t block) {
    if (block >= lfts.blocks()) {
      std::ranges::fill(ports_, kNoRoute.value());
      return;
    }
    constexpr std::uint32_t kAhead = 16;  // rows; hardware does not prefetch distant ones
    for (std::uint32_t s = 0; s < switches_; ++s) {
      if (s + kAhead < switches_)
        __builtin_prefetch(lfts.block(SwitchId(s + kAhead), block).data());
      std::ranges::copy(lfts.block(SwitchId(s), block), ports_.data() + s * kLftBlock);
    }
  }

  /// The output ports of a switch, by LID of the block.
  std::span<const std::uint8_t, kLftBlock> row(SwitchId sw) const {
    return std::span<const std::uint8_t, kLftBlock>(ports_.data() + sw.value() * kLftBlock,
                                                    kLftBlock);
  }
  /// The output port for a LID of the loaded block.
  PortNum port(SwitchId sw, Lid lid) const {
    return PortNum(ports_[sw.value() * kLftBlock + lid.value() % kLftBlock]);
  }

 private:
  std::uint32_t switches_;
  std::vector<std::uint8_t> ports_;
};

}  // namespace weft
