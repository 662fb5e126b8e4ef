// The GUIDs that a port answers to beside its own: those of virtual functions. Clients ask the
// subnet administration for them (GUIDInfoRecord), and the manager writes them to the ports.
// Source: InfiniBand Architecture Specification, volume 1, chapter 14.2.5.5.
#pragma once

#include <map>
#include <vector>

#include "ib/tables.h"
#include "sm/observed.h"

namespace weft {

/// By the port's own GUID: whole blocks. Entries that nobody has are 0, and so is index 0, which is
/// the port's own.
using AliasGuids = std::map<Guid, std::vector<Guid>>;

inline std::size_t guid_blocks(const std::vector<Guid>& guids) {
  return guids.size() / GuidInfo::kEntries;
}
/// As the port shall hold it; `guids` may be shorter.
GuidInfo guid_block(Guid port, const std::vector<Guid>& guids, std::size_t block);

/// What was written to ports, as far as they still have it.
class HeldAliases {
 public:
  /// A block that is not known holds something else.
  bool holds(Guid port, std::size_t block, const GuidInfo& table) const;
  void remember(Guid port, std::size_t block, const GuidInfo& table);
  void forget_all() { ports_.clear(); }
  /// Forgets ports that are gone or in INIT: they may have been reset.
  void distrust(const Observed& observed);

 private:
  std::map<Guid, std::map<std::size_t, GuidInfo>> ports_;
};

}  // namespace weft
