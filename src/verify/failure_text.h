// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Texts for the failures of a verdict.
#pragma once

#include <string>

#include "verify/verify.h"

namespace weft {

/// Failures of the unicast routes, separated by "; "; empty if Verdict::ok().
std::string failure_text(const Verdict& verdict);
/// Failures of the multicast trees; empty if Verdict::multicast_ok().
std::string multicast_failure(const Verdict& verdict);
/// Unicast and multicast failures; empty if there are none.
std::string all_failures(const Verdict& verdict);

/// Verdict::single_sls as text: "0-7, 12", or "none".
std::string sl_ranges(std::uint16_t sls);

}  // namespace weft
