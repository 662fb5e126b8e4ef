// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Checks whether all new entries, and the old entries that change, lead up (away from the hosts)
// and then down, as on trees. No mixture of old and new entries then has a cycle of channel
// dependencies. Processes 64 LIDs at a time, as bits of a word.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "sm/programming/diff.h"
#include "sm/programming/held_tables.h"

namespace weft {

class UpDownCheck {
 public:
  /// `held`: the tables of switches, by SwitchId, null if unknown; `ops`: all blocks that differ
  /// from `wanted`; `distance`: by switch, hops to the nearest switch with hosts. All references
  /// must outlive this object.
  UpDownCheck(const Fabric& fabric, const Lfts& wanted, std::span<const HeldTable* const> held,
              std::span<const Op> ops, std::span<const std::uint32_t> distance);

  /// True if packets of hosts to hosts and to port 0 of switches go up, then down, whichever entry,
  /// old or new, each switch uses. Paths between switches may go down and up again, because no
  /// protocol uses them. Cost: one pass over the tables.
  bool holds(unsigned threads) const;

 private:
  using Bits = std::uint64_t;  // LIDs of a block
  using Entries = std::span<const std::uint8_t>;
  enum class Direction : std::uint8_t { kNone, kUp, kDown, kLevel };
  struct Masks {
    Bits up = 0, down = 0, level = 0;
  };
  /// Consecutive ports with the same direction.
  struct Range {
    std::uint8_t first, length_less_1;
    Direction direction;
  };
  /// Ports of a switch by direction. If there are many ranges, access by port is faster.
  struct Ports {
    static constexpr std::size_t kRangesMax = 4;
    std::vector<Range> ranges;                // empty: use `directions`
    std::array<Direction, 256> directions{};  // by port
    std::vector<std::uint16_t> targets;       // by port: the switch behind it
  };
  struct Scratch;

  static Ports ports_of(const Fabric& fabric, SwitchId sw, std::span<const std::uint32_t> distance);
  Masks masks_of(std::uint32_t sw, Entries entries) const;
  template <class Take>
  void each_target(std::uint32_t sw, Entries entries, Bits lids, const Take& take) const;
  template <class Take>
  void each_table(std::uint32_t sw, std::size_t block, const Scratch& scratch,
                  const Take& take) const;
  bool holds_for_hosts(std::size_t block, Scratch& scratch) const;
  bool holds_for_switches(std::size_t block, Scratch& scratch) const;
  bool follow_up(std::size_t block, Scratch& scratch) const;
  bool follow_down(std::size_t block, Scratch& scratch) const;

  const Lfts& wanted_;
  const std::span<const HeldTable* const> held_;
  std::vector<Ports> ports_;                  // by switch
  std::vector<std::uint32_t> with_hosts_;     // switches
  std::vector<std::uint32_t> by_distance_;    // switches by distance, switches with hosts first
  std::vector<Bits> of_hosts_, of_switches_;  // by block
  std::vector<std::uint32_t> begins_;         // start of each block in differing_, and the end
  std::vector<std::uint32_t> differing_;      // switches with a held block that differs
};

}  // namespace weft
