// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Private linear forwarding tables (pLFTs): a switch has several forwarding tables, and selects one
// by the input port and the SL of a packet. The entries of a pLFT are those of the AR forwarding
// table, with the pLFT in the attribute modifier (ib/adaptive.h). Layout: headers of NVIDIA's
// OpenSM; private_lfts_unconfirmed.h has the assumptions where the headers state nothing.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ib/ids.h"
#include "ib/smp.h"

namespace weft {

inline constexpr AttributeId kPrivateLftInfo{0xFF10};
inline constexpr AttributeId kPrivateLftDef{0xFF11};
inline constexpr AttributeId kPrivateLftMap{0xFF12};
inline constexpr AttributeId kPortSlToPrivateLftMap{0xFF14};
inline constexpr std::array kPrivateLftAttributes{kPrivateLftInfo, kPrivateLftDef, kPrivateLftMap,
                                                  kPortSlToPrivateLftMap};

/// PrivateLFTInfo, 18 bytes: the number of pLFTs, and the modes by which a switch divides its
/// memory into banks.
struct PrivateLftInfo {
  static constexpr std::size_t kModes = 7;
  static constexpr unsigned kLidsPerUnit = 1024;
  static constexpr unsigned kTablesByDefault = 36;  // if the field of their number is 0
  struct Mode {
    std::uint8_t bank_size = 0;  // in units of kLidsPerUnit LIDs
    std::uint8_t banks = 0;
    bool operator==(const Mode&) const = default;
  };
  std::uint8_t table_count = 0;  // as on the wire; tables() interprets 0
  std::uint8_t mode_count = 0;
  std::uint8_t mode_in_use = 0;  // 0: pLFTs are disabled
  std::array<Mode, kModes> modes{};

  unsigned tables() const { return table_count == 0 ? kTablesByDefault : table_count; }
  bool operator==(const PrivateLftInfo&) const = default;
};
SmpData encode(const PrivateLftInfo& info);
PrivateLftInfo decode_private_lft_info(std::span<const std::byte, kSmpDataSize> data);

/// A block of PrivateLFTDef: the place of 16 pLFTs in the memory of a switch.
struct PrivateLftDefBlock {
  static constexpr std::size_t kTables = 16;
  static constexpr unsigned kLidsPerUnit = 512;
  struct Table {
    bool force_sub_group_0 = false;
    std::uint8_t bank = 0;
    std::uint8_t size = 0;    // in units of kLidsPerUnit LIDs
    std::uint8_t offset = 0;  // in units of kLidsPerUnit LIDs
    bool operator==(const Table&) const = default;
  };
  std::array<Table, kTables> tables{};
  bool operator==(const PrivateLftDefBlock&) const = default;
};
SmpData encode(const PrivateLftDefBlock& block);
PrivateLftDefBlock decode_private_lft_def_block(std::span<const std::byte, kSmpDataSize> data);

/// PrivateLFTMap: the ports that use a pLFT, and the highest LID of the pLFT.
struct PrivateLftMap {
  bool sets_ports = false;  // the mask of ports is valid
  bool sets_top = false;    // the top LID is valid
  std::bitset<256> ports{};
  Lid top{};
  bool operator==(const PrivateLftMap&) const = default;
};
SmpData encode(const PrivateLftMap& map);
PrivateLftMap decode_private_lft_map(std::span<const std::byte, kSmpDataSize> data);

/// A block of PortSLToPrivateLFTMap: the pLFT of each SL of four input ports.
struct PortSlToPrivateLftBlock {
  static constexpr std::size_t kPorts = 4;
  static constexpr std::size_t kSls = 16;
  std::array<std::array<std::uint8_t, kSls>, kPorts> tables{};  // by port and SL
  bool operator==(const PortSlToPrivateLftBlock&) const = default;
};
SmpData encode(const PortSlToPrivateLftBlock& block);
PortSlToPrivateLftBlock decode_port_sl_to_private_lft_block(
    std::span<const std::byte, kSmpDataSize> data);

}  // namespace weft
