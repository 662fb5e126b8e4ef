// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The rate codes of path records and multicast groups, one for each nominal rate. Codes are not in
// the order of rates, and nominal rates are not in the order of data rates (12xQDR, nominally 120
// Gbit/s, carries less than 4xEDR, 100 Gbit/s). So rates must be compared by data_rate_of().
// Source: InfiniBand Architecture Specification, volume 1, chapter 15.2.5.16.
#pragma once

#include <cstdint>

#include "ib/enums.h"

namespace weft {

/// Data rate of a code in units of 100 Mbit/s, after line coding; 0 for an undefined code.
unsigned data_rate_of(std::uint8_t code);
/// The code of a link's nominal rate; if this rate has no code, the code of the next lower nominal
/// rate.
std::uint8_t rate_code(LinkWidth width, LinkSpeed speed);
/// The code of the next lower data rate; 0 if there is none.
std::uint8_t slower_rate(std::uint8_t code);
/// The highest defined code, and the highest code that existed before HDR and 2x links.
inline constexpr std::uint8_t kRateLast = 26;
inline constexpr std::uint8_t kOriginalRateLast = 18;
/// Returns the code itself if it is at most `last`, or undefined. Else returns, of the codes up to
/// `last` with a lower nominal rate and a lower data rate, the code with the highest data rate.
std::uint8_t rate_up_to(std::uint8_t code, std::uint8_t last);

}  // namespace weft
