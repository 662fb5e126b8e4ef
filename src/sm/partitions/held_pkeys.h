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
  struct PortTable {
    std::vector<Pkey> entries;
    std::vector<bool> known;  // by block: whether its entries are known
  };

 public:
  /// The P_Key tables of one node, valid until the cache changes.
  class OfNode {
   public:
    explicit OfNode(std::span<const PortTable> ports) : ports_(ports) {}
    bool is_known(PortNum port, std::size_t block) const;
    /// True if the block is known to hold exactly these entries.
    bool holds(PortNum port, std::size_t block, const PkeyTable& table) const;
    /// The entries by index; unknown entries are empty. Entries beyond the end are unknown.
    std::span<const Pkey> entries(PortNum port) const;

   private:
    std::span<const PortTable> ports_;  // by port number; ports beyond the end are unknown
  };
  OfNode of(Guid node) const;
  void remember(Guid node, PortNum port, std::size_t block, const PkeyTable& table);

  void forget(Guid node) { nodes_.erase(node); }
  void forget_all() { nodes_.clear(); }
  /// Removes absent nodes, and external ports that are down or in INIT, which may have been reset.
  void distrust(const Observed& observed);

 private:
  std::unordered_map<Guid, std::vector<PortTable>> nodes_;  // by port number
};

}  // namespace weft
