// Rates as path records and multicast groups name them: a code for each nominal rate. The codes are
// not in the order of rates, and nominal rates are not that of what links carry (12xQDR, 120
// Gbit/s, carries less than 4xEDR, 100 Gbit/s): compare by data_rate_of(). Source: InfiniBand
// Architecture Specification, volume 1, chapter 15.2.5.16.
#pragma once

#include <cstdint>

#include "ib/enums.h"

namespace weft {

/// In units of 100 Mbit/s, after line coding; 0 where there is no such code.
unsigned data_rate_of(std::uint8_t code);
/// The code of a link; the next lower one where it has none of its own.
std::uint8_t rate_code(LinkWidth width, LinkSpeed speed);
/// The next lower rate; 0 where there is none.
std::uint8_t slower_rate(std::uint8_t code);
/// The same, or the highest below it, nominal and real, that was there before HDR and links of 2x:
/// codes up to 18.
std::uint8_t original_rate(std::uint8_t code);

}  // namespace weft
