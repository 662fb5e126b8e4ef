// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Alias GUIDs of ports, such as those of virtual functions. Clients request them from the SA
// (GUIDInfoRecord), and the manager writes them to the ports. Source: InfiniBand Architecture
// Specification, volume 1, chapter 14.2.5.5.
#pragma once

#include <map>
#include <vector>

#include "ib/tables.h"
#include "sm/observed.h"

namespace weft {

/// GUIDInfo in whole blocks, by port GUID. Unused entries are 0. Index 0, the position of the port
/// GUID, is 0, too.
using AliasGuids = std::map<Guid, std::vector<Guid>>;

inline std::size_t guid_blocks(const std::vector<Guid>& guids) {
  return guids.size() / GuidInfo::kEntries;
}
/// Block `block` of the port's GUIDInfo, with the port GUID at index 0 of block 0. Entries beyond
/// the end of `guids` are 0.
GuidInfo guid_block(Guid port, const std::vector<Guid>& guids, std::size_t block);

/// Cache of the alias GUIDs written to ports.
class HeldAliases {
 public:
  /// True if `table` is the last known content of the block; false if the content differs or is
  /// unknown.
  bool holds(Guid port, std::size_t block, const GuidInfo& table) const;
  void remember(Guid port, std::size_t block, const GuidInfo& table);
  void forget_all() { ports_.clear(); }
  /// Drops absent ports, and ports that are down or in INIT, which may have been reset. Keeps port
  /// 0 of switches.
  void distrust(const Observed& observed);

 private:
  std::map<Guid, std::map<std::size_t, GuidInfo>> ports_;
};

}  // namespace weft
