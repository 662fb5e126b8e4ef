// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The InfiniBand link of a data rate, for formats that state Gbit/s.
#pragma once

#include <optional>
#include <string_view>

#include "ib/enums.h"

namespace weft {

struct LinkOfRate {
  LinkWidth width = LinkWidth::k4x;
  LinkSpeed speed = LinkSpeed::kSdr;
  bool exact = true;  // the link's rate is within 3 percent: 56 Gbit/s is 4xFDR
};

/// The link with this data rate, preferably 4x; else the fastest link below the rate, else the
/// slowest link. `gbps` must be positive and finite.
LinkOfRate link_of_rate(double gbps);

/// The rate in Gbit/s of "100Gbps", "12.5GBps" or "400 Gb/s"; nothing for other text, or if the
/// rate is not positive and finite.
std::optional<double> parse_gbps(std::string_view text);

/// A number without sign and exponent: "54.5". Nothing for other text, such as "nan".
std::optional<double> parse_plain_decimal(std::string_view text);

}  // namespace weft
