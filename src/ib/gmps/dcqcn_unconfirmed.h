// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assumptions about DCQCN that no source confirms. A correction for a real device changes this file
// only.
#pragma once

#include <cstdint>

namespace weft::dcqcn_unconfirmed {

/// The attribute modifier of the profiles and of the SL map of a switch port: the headers name a
/// port, but not its bits. Assumed: the port in the lowest bits. The other attributes have modifier
/// 0, which is the port with the LID of the request.
constexpr std::uint32_t port_modifier(std::uint8_t port) { return port; }
inline constexpr std::uint32_t kPortMask = 0xFF;

// A switch has an SL map for each port. An SL with profile 0 has no profile.

// A Set of the profiles of a port applies to the VLs of its VL mask; a Get returns the mask of the
// last Set.

// The fields of FF21 for the least rate, for the rate at the first CNP and for the monitor period
// are 32 bits wide, and the fields of FF08 and FF22 without a stated width have 8 bits. Rates are
// in Mb/s.

// The bits 5.0 and 5.1 of FF22 select the SLs in bytes 7 and 6; without them these bytes have no
// effect.

// A device without DCQCN does not announce it in attribute 0xFF00, and may respond with an error or
// not at all. Bit 44 of GeneralInfo, which announces DCQCN too, is not read, because CAs may lack
// GeneralInfo.

}  // namespace weft::dcqcn_unconfirmed
