// The P_Key tables that ports are known to hold: what was read from them or written to them.
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
  /// True where the block is known to hold exactly these.
  bool holds(Guid node, PortNum port, std::size_t block, const PkeyTable& table) const;
  /// By index; entries that are not known are empty, and so are those behind the last.
  std::span<const Pkey> entries(Guid node, PortNum port) const;
  void remember(Guid node, PortNum port, std::size_t block, const PkeyTable& table);

  void forget(Guid node) { nodes_.erase(node); }
  void forget_all() { nodes_.clear(); }
  /// Forgets nodes that are gone, and ports in INIT: their end of the cable may have been reset.
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
