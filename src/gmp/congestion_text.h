// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Parses the port masks and the entries of congestion control tables (CCT) of opensm.conf.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "ib/gmps/congestion.h"

namespace weft {

/// More entries than any device supports: 128 blocks.
inline constexpr std::size_t kCctEntriesMax = 128 * CongestionControlTable::kEntries;

// All functions fail with kBadInput; the message has the value found and the value expected, in
// parse_cct() after the number of the entry, or states that there are too many entries.

/// Parses "0x" and 1 to 64 hexadecimal digits; the least significant bit is port 0.
Result<PortMask> parse_port_mask(std::string_view text);
/// Parses SHIFT:MULTIPLIER.
Result<CctEntry> parse_cct_entry(std::string_view text);
/// Parses SHIFT:MULTIPLIER,SHIFT:MULTIPLIER,..; an empty text is a table without entries.
Result<std::vector<CctEntry>> parse_cct(std::string_view text);

}  // namespace weft
