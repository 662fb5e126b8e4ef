// Forwarding tables turned from rows by switch into rows by LID, a block of LIDs at a time: whoever
// follows packets of one LID over all switches then reads memory in order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// What does not depend on the LID: where each port of each switch leads. Shared by all threads.
class PortMap {
 public:
  explicit PortMap(const Fabric& fabric);

  struct Way {
    ChannelId channel = kNoChannel;
    SwitchId to = kNoSwitch;
  };
  /// Of all ports that a table may name, 256 of them.
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

  /// Blocks beyond the tables' end hold no routes.
  void load(const Lfts& lfts, std::size_t block);

  /// By switch: the channel that packets for the LID of the loaded block leave by, and where it
  /// leads. kNoChannel and kNoSwitch where they leave the switches or go nowhere.
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
