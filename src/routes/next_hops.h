// Forwarding tables transposed from rows by switch to rows by LID, a block of LIDs at a time, so
// that following packets of one LID over all switches reads memory in order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// The LID-independent part: the peer of each port of each switch. Shared by all threads.
class PortMap {
 public:
  explicit PortMap(const Fabric& fabric);

  struct Way {
    ChannelId channel = kNoChannel;
    SwitchId to = kNoSwitch;
  };
  /// Of all ports that a table may contain, 256 of them.
  std::span<const Way, 256> ways(SwitchId sw) const {
    return std::span(ways_).subspan(std::size_t{256} * sw.value()).first<256>();
  }
  std::uint32_t switch_count() const { return switches_; }

 private:
  std::uint32_t switches_;
  std::vector<Way> ways_;
};

/// The next hops of the kLftBlock LIDs of one block; each thread has its own.
class NextHops {
 public:
  explicit NextHops(const PortMap& map);

  /// Blocks beyond the end of the tables have no routes.
  void load(const Lfts& lfts, std::size_t block);

  /// By switch: the output channel for the LID of the loaded block, and the next switch. kNoChannel
  /// and kNoSwitch if the packet leaves the switch fabric or is dropped.
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
