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

/// By port GUID: GUIDInfo in whole blocks. Unused entries are 0, and so is index 0, the place of
/// the port GUID.
using AliasGuids = std::map<Guid, std::vector<Guid>>;

inline std::size_t guid_blocks(const std::vector<Guid>& guids) {
  return guids.size() / GuidInfo::kEntries;
}
/// The block to write to the port; `guids` may be shorter.
GuidInfo guid_block(Guid port, const std::vector<Guid>& guids, std::size_t block);

/// Cache of the alias GUIDs written to ports.
class HeldAliases {
 public:
  /// False if the block is unknown.
  bool holds(Guid port, std::size_t block, const GuidInfo& table) const;
  void remember(Guid port, std::size_t block, const GuidInfo& table);
  void forget_all() { ports_.clear(); }
  /// Drops absent ports and ports in INIT, which may have been reset.
  void distrust(const Observed& observed);

 private:
  std::map<Guid, std::map<std::size_t, GuidInfo>> ports_;
};

}  // namespace weft
