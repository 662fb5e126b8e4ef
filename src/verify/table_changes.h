// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The differences between two sets of forwarding tables of one subnet: entries, and channels of
// cables that were added or removed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// Matches the channels of two fabrics that have the same switches, endports and LIDs, but possibly
/// different cables.
class ChannelMatch {
 public:
  /// None unless have_same_endports().
  static std::optional<ChannelMatch> of(const Fabric& before, const Fabric& now);

  /// The old channel by the new channel, and the reverse; kNoChannel if the channel was added or
  /// removed.
  ChannelId before(ChannelId now) const { return before_[now.value()]; }
  ChannelId now(ChannelId before) const { return now_[before.value()]; }
  /// Whether the same channels leave the switch in both fabrics.
  bool same_channels_from(SwitchId sw) const { return changed_ports_[sw.value()].empty(); }
  /// Ports of channels that were added or removed.
  const std::vector<PortNum>& changed_ports(SwitchId sw) const {
    return changed_ports_[sw.value()];
  }

 private:
  void add(const Fabric& before, const Fabric& now, SwitchId sw);

  std::vector<ChannelId> before_, now_;
  std::vector<std::vector<PortNum>> changed_ports_;  // by switch
};

/// An entry that differs, or that has a port which lost or received a channel.
struct ChangedEntry {
  Lid lid;
  SwitchId sw;
  auto operator<=>(const ChangedEntry&) const = default;
};

/// The changed entries, sorted, of LIDs with an owner. None if there are more than `most` entries,
/// or if a table ends before the highest LID of the fabric.
std::optional<std::vector<ChangedEntry>> changed_entries(const Fabric& fabric, const Lfts& before,
                                                         const Lfts& now,
                                                         const ChannelMatch& channels,
                                                         std::size_t most, unsigned threads);

/// The entries of all parts, sorted. None if there are more than `most` entries.
std::optional<std::vector<ChangedEntry>> join_entries(
    const std::vector<std::vector<ChangedEntry>>& parts, std::size_t most);

}  // namespace weft
