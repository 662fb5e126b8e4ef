// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lines of qos-policy.conf and parsers of their values, shared by the readers of its sections.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sm/qos/qos_policy.h"

namespace weft {

/// A line without comment and surrounding blanks; never empty.
struct PolicyLine {
  std::string_view text;
  std::uint32_t number = 0;
  std::uint32_t column = 0;  // column of the text, from 1
};
std::vector<PolicyLine> policy_lines(std::string_view text);

/// The place of a text or a part of it, for messages "FILE:LINE:COLUMN: found .., expected ..".
struct PolicyPlace {
  const std::string& path;
  PolicyLine line;
  std::string at(std::string_view part) const;
  tl::unexpected<Error> wrong(std::string_view found, std::string_view want) const;
};

/// Parses numbers and ranges (0x1000-0x1FFF), separated by commas; each number is at most `most`.
Result<NumberRanges> parse_ranges(const PolicyPlace& place, std::string_view text,
                                  std::uint64_t most);
Result<std::uint64_t> parse_number_of(const PolicyPlace& place, std::string_view text,
                                      std::uint64_t most);
/// Parses names, separated by commas.
Result<std::vector<std::string>> parse_names(const PolicyPlace& place, std::string_view text);
/// Parses ranges of P_Keys; returns them without membership bits.
Result<NumberRanges> parse_pkeys(const PolicyPlace& place, std::string_view text);

/// A line of qos-ulps: "sdp, port-num 10000-20000 : 2". `rule` has no level; `sl` is the SL of the
/// line.
struct UlpLine {
  bool is_default = false;
  QosMatchRule rule;
  Sl sl;
};
Result<UlpLine> parse_ulp(const PolicyPlace& place);

}  // namespace weft
