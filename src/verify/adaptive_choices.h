// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The output ports for a LID at each switch, including those of its AR group, loaded for one LID
// after another. Tables are read in blocks of LIDs, row by row, to find the switches at which the
// choices change from one LID to the next. Between hosts of the same switch few choices change.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

/// The ports through which a switch may send packets for a LID: the port in its table, even if it
/// is kNoRoute, and the ports of the group.
PortMask choices_of(const Lfts& lfts, const ArTables& adaptive, SwitchId sw, Lid lid);

class AdaptiveChoices {
 public:
  /// `routes` must have adaptive tables and outlive this object.
  explicit AdaptiveChoices(const Routes& routes)
      : lfts_(routes.lfts), adaptive_(*routes.adaptive), ports_(routes.lfts.switch_count()) {}

  /// Makes a LID the current LID. Returns the switches, ascending, at which the choices may differ
  /// from those for the previous LID.
  std::span<const std::uint32_t> load(Lid lid);

  /// The port in the table, even if it is kNoRoute, and the ports of the group.
  const PortMask& ports(SwitchId sw) const { return ports_[sw.value()]; }

 private:
  void find_changes(std::size_t block);
  std::uint64_t changes(SwitchId sw, std::size_t block) const;

  const Lfts& lfts_;
  const ArTables& adaptive_;
  std::vector<PortMask> ports_;  // by switch
  std::optional<std::size_t> block_;
  std::array<std::vector<std::uint32_t>, kLftBlock> changed_;  // by LID of the block
};

}  // namespace weft
