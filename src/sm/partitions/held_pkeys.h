// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cache of the P_Key tables of ports, as read or written.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "ib/ids.h"
#include "ib/tables.h"
#include "sm/observed.h"

namespace weft {

class HeldPkeys {
 public:
  bool knows(Guid node, PortNum port, std::size_t block) const;
  /// True if the block is known to hold exactly these entries.
  bool holds(Guid node, PortNum port, std::size_t block, const PkeyTable& table) const;
  /// By index; unknown entries and those beyond the last are empty.
  std::span<const Pkey> entries(Guid node, PortNum port) const;
  void remember(Guid node, PortNum port, std::size_t block, const PkeyTable& table);

  void forget(Guid node) { nodes_.erase(node); }
  void forget_all() { nodes_.clear(); }
  /// Drops absent nodes and ports in INIT, which may have been reset.
  void distrust(const Observed& observed);

 private:
  struct PortTable {
    std::vector<Pkey> entries;
    std::vector<bool> known;  // by block
  };
  const PortTable* find(Guid node, PortNum port) const;
  std::unordered_map<Guid, std::vector<PortTable>> nodes_;  // by port number
};

}  // namespace weft
