// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Forwarding tables transposed from rows by switch to rows by LID, one block of LIDs at a time, so
// that memory is read in order for the paths of one LID from all switches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// Number of blocks of kLftBlock LIDs, from LID 0 to the highest LID of a fabric.
inline std::size_t lid_blocks(const Fabric& fabric) {
  return fabric.lid_top().value() / kLftBlock + std::size_t{1};
}
/// Number of blocks for each task, if a task reuses data of earlier LIDs: a large number, but with
/// enough tasks for all threads.
inline std::size_t lid_blocks_per_task(const Fabric& fabric) {
  return std::clamp<std::size_t>(lid_blocks(fabric) / 32, 1, 32);
}

/// The peer of each port of each switch, which does not depend on LIDs. Shared by all threads.
class PortMap {
 public:
  explicit PortMap(const Fabric& fabric);

  struct Hop {
    ChannelId channel = kNoChannel;
    SwitchId to = kNoSwitch;
  };
  /// The hop through any port that a table may contain; no channel and no switch if no cable
  /// connects the port with a switch.
  const Hop& hop(SwitchId sw, PortNum port) const { return row(sw)[port]; }
  /// The hops of one switch by port.
  struct Row {
    const Hop* hops;
    std::uint32_t last;
    const Hop& operator[](PortNum port) const {
      return hops[std::min<std::uint32_t>(port.value(), last)];
    }
  };
  Row row(SwitchId sw) const {
    return {hops_.data() + std::size_t{stride_} * sw.value(), stride_ - 1};
  }
  std::uint32_t switch_count() const { return switches_; }

 private:
  std::uint32_t switches_;
  std::uint32_t stride_;  // the last entry of a row is for all higher ports
  std::vector<Hop> hops_;
};

/// The next hops of the kLftBlock LIDs of one block; each thread has its own.
class NextHops {
 public:
  explicit NextHops(const PortMap& map);

  /// Loads a block. Blocks beyond the end of the tables have no routes.
  void load(const Lfts& lfts, std::size_t block);

  /// By switch: the output channel for a LID of the loaded block, and the next switch. The values
  /// are kNoChannel and kNoSwitch if the packet arrives at an endport or is dropped.
  std::span<const ChannelId> channels(Lid lid) const { return row(channels_, lid); }
  std::span<const SwitchId> switches(Lid lid) const { return row(switches_, lid); }

 private:
  template <class Id>
  std::span<const Id> row(const std::vector<Id>& all, Lid lid) const {
    return std::span(all).subspan(lid.value() % kLftBlock * stride_, map_.switch_count());
  }

  const PortMap& map_;
  std::size_t stride_;
  std::vector<ChannelId> channels_;
  std::vector<SwitchId> switches_;
};

}  // namespace weft
