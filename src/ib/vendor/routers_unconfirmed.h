// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assumptions about attributes of routers, where the headers of NVIDIA's OpenSM name a field
// without its bits.
#pragma once

namespace weft::routers_unconfirmed {

/// Bits of the number of subnets in RouterInfo, which begins at byte 16.
inline constexpr unsigned kSubnetsBits = 8;
/// Bit of pFRN in bytes 4-5 of an entry of AdjSiteLocal, counted from the least significant bit;
/// the highest AR group has the lowest 12 bits.
inline constexpr unsigned kPfrnBit = 15;
/// Bit of LID `index` of a block of RouterLID, counted from the most significant bit of byte 0: as
/// in masks of ports, LID n is bit n of the block as a number.
constexpr unsigned bit_of_lid(unsigned index) { return 511 - index; }

}  // namespace weft::routers_unconfirmed
