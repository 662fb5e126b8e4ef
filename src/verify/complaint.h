// What a verdict says against routes, in words.
#pragma once

#include <string>

#include "verify/verify.h"

namespace weft {

/// What unicast routes fail by, separated by "; "; empty where Verdict::ok().
std::string complaint(const Verdict& verdict);
/// The same of the multicast trees; empty where Verdict::multicast_ok().
std::string multicast_complaint(const Verdict& verdict);
/// Both; empty where nothing fails.
std::string all_complaints(const Verdict& verdict);

/// The SLs of Verdict::single_sls: "0-7, 12", or "none".
std::string sl_ranges(std::uint16_t sls);

}  // namespace weft
