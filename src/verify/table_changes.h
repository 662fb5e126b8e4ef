// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What two sets of forwarding tables of one subnet have not in common: entries, and channels of
// cables that were added or removed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// Two fabrics with the same switches, endports and LIDs, but possibly other cables.
class ChannelMatch {
 public:
  /// Nothing if they differ in more than cables between switches.
  static std::optional<ChannelMatch> of(const Fabric& before, const Fabric& now);

  /// The channel before by the channel now, and the other way round; kNoChannel if it is new or
  /// lost.
  ChannelId before(ChannelId now) const { return before_[now.value()]; }
  ChannelId now(ChannelId before) const { return now_[before.value()]; }
  /// Whether the same channels leave the switch in both.
  bool same_channels_from(SwitchId sw) const { return changed_ports_[sw.value()].empty(); }
  /// Ports of new and lost channels.
  const std::vector<PortNum>& changed_ports(SwitchId sw) const {
    return changed_ports_[sw.value()];
  }

 private:
  void add(const Fabric& before, const Fabric& now, SwitchId sw);

  std::vector<ChannelId> before_, now_;
  std::vector<std::vector<PortNum>> changed_ports_;  // by switch
};

/// An entry that differs, or with a port that lost or received a channel.
struct ChangedEntry {
  Lid lid;
  SwitchId sw;
  auto operator<=>(const ChangedEntry&) const = default;
};

/// The changed entries of LIDs with an owner, in order. Nothing if there are more than `most`, or
/// if the tables have other sizes.
std::optional<std::vector<ChangedEntry>> changed_entries(const Fabric& fabric, const Lfts& before,
                                                         const Lfts& now,
                                                         const ChannelMatch& channels,
                                                         std::size_t most, unsigned threads);

/// The entries of all parts, in order. Nothing if there are more than `most`.
std::optional<std::vector<ChangedEntry>> joined(const std::vector<std::vector<ChangedEntry>>& parts,
                                                std::size_t most);

}  // namespace weft
