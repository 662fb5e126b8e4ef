// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The private forwarding table (pLFT) that a switch uses for a packet, by input port and SL. Table
// 0 is the table of all packets without a selection.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "ib/ids.h"
#include "ib/tables.h"

namespace weft {

class TableSelection {
 public:
  /// Numbers of tables, by SL.
  using BySl = std::array<std::uint8_t, kSlCount>;

  TableSelection() = default;
  explicit TableSelection(std::uint32_t switch_count) : switches_(switch_count) {}

  unsigned table(SwitchId sw, PortNum in, Sl sl) const {
    const auto& ports = switches_[sw.value()];
    return in.value() < ports.size() ? ports[in.value()][sl.value()] : 0;
  }
  /// Whether the switch uses another table than table 0.
  bool is_set(SwitchId sw) const { return !switches_[sw.value()].empty(); }
  /// The tables of the ports from port 0 to the highest port with a selection.
  const std::vector<BySl>& ports(SwitchId sw) const { return switches_[sw.value()]; }

  /// Whether packets of two SLs have the same tables at all switches.
  bool are_equal(Sl one, Sl other) const {
    for (const auto& ports : switches_)
      for (const BySl& tables : ports)
        if (tables[one.value()] != tables[other.value()]) return false;
    return true;
  }

  void set(SwitchId sw, PortNum in, Sl sl, unsigned table) {
    auto& ports = switches_[sw.value()];
    if (ports.size() <= in.value()) {
      if (table == 0) return;
      ports.resize(in.value() + std::size_t{1}, BySl{});
    }
    ports[in.value()][sl.value()] = static_cast<std::uint8_t>(table);
    while (!ports.empty() && ports.back() == BySl{}) ports.pop_back();
  }
  void clear(SwitchId sw) { switches_[sw.value()].clear(); }

  bool operator==(const TableSelection&) const = default;

 private:
  std::vector<std::vector<BySl>> switches_;  // by switch, then by input port
};

}  // namespace weft
