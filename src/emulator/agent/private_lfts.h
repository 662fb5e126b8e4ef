// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The private linear forwarding tables (pLFTs) of an emulated switch: their place in the memory of
// the switch, their entries, and the table of each input port and SL.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ib/adaptive.h"
#include "ib/vendor/private_lfts.h"

namespace weft::emulator {

struct PrivateLftModel {
  using BySl = std::array<std::uint8_t, PortSlToPrivateLftBlock::kSls>;

  PrivateLftInfo info;                                   // mode_count 0: no pLFTs
  std::vector<PrivateLftDefBlock::Table> definitions;    // by pLFT, whole blocks
  std::vector<BySl> tables;                              // by input port and SL
  std::vector<Lid> tops;                                 // by pLFT
  std::vector<std::vector<ArLftEntry>> further_entries;  // of pLFT 1 and higher; by LID, blocks

  bool in_use() const { return info.mode_in_use != 0; }
  /// The pLFT of packets with an SL that enter by a port.
  unsigned table(PortNum in, Sl sl) const {
    return in_use() && in.value() < tables.size() ? tables[in.value()][sl.value()] : 0;
  }
};

}  // namespace weft::emulator
