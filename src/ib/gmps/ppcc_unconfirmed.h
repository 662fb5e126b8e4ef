// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assumptions about programmable congestion control that no source confirms. A correction for a
// real device changes this file only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::ppcc_unconfirmed {

/// The attribute modifier of the configuration and of the parameters: the headers name a slot and a
/// port, but not their bits. Assumed: the slot in the lowest bits, and port 0 for the port with the
/// LID of the request.
constexpr std::uint32_t slot_modifier(std::size_t slot) { return static_cast<std::uint32_t>(slot); }
inline constexpr std::uint32_t kSlotMask = 0xF;

/// The field for the length of a content counts its entries.
constexpr std::uint8_t length_of_list(std::size_t entries) {
  return static_cast<std::uint8_t>(entries);
}

// A Get of the configuration of any slot returns the list of algorithms: entry n is the algorithm
// of slot n, and id 0 is an empty slot. A Set writes the bits of byte 0 except `status`, and the
// SLs, but no content.

// A Set that gives an SL to a second slot is refused, so the SL must be removed from the first slot
// before.

// An algorithm has the parameters in the order of its description. The values after the last
// parameter stay as read.

// A device without programmable congestion control does not announce it in attribute 0xFF00, and
// may respond with an error or not at all.

}  // namespace weft::ppcc_unconfirmed
