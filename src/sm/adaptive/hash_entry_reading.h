// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counts the AR forwarding entries with hash-based forwarding (state 3) that another manager wrote,
// before this manager replaces them. This manager writes no such entries.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "sm/adaptive/ar_memory.h"
#include "sm/discovery/smp_work.h"
#include "sm/observed.h"

namespace weft {

/// Reads the AR forwarding table (pLFT 0) of each switch with ArHeld::has_foreign_entries, up to
/// its LinearFDBTop, and sets ArHeld::hash_entries.
class HashEntryReading final : public SmpWork {
 public:
  /// The referenced objects must outlive this object.
  HashEntryReading(const Observed& observed, ArMemory& known);

  bool is_empty() const { return wanted_.empty(); }
  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  /// After a failure the remaining blocks of the switch are not read.
  void failed(std::uint64_t cookie, const Error& why) override;

 private:
  struct Block {
    std::uint32_t sw = 0;  // SwitchId
    std::uint16_t block = 0;
  };
  ArHeld& held(std::uint32_t sw) { return known_.at(observed_.nodes[sw].info.node_guid); }

  const Observed& observed_;
  ArMemory& known_;
  std::vector<Block> wanted_;
  std::set<std::uint32_t> skipped_;  // SwitchIds
  std::size_t asked_ = 0;
};

/// The warning about entries of ArHeld::hash_entries at these switches; empty if there are none.
/// Each entry is counted in one warning.
std::string hash_entry_warning(const Fabric& fabric, const std::set<std::uint32_t>& switches,
                               ArMemory& known);

}  // namespace weft
