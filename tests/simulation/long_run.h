// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Long run that checks for growth of memory, open descriptors and processor time.
#pragma once

#include <cstdint>
#include <string>

namespace weft::simulation {

/// Runs draw_churn() for this many virtual hours and prints one line per hour. Returns exit status
/// 1 on a failure or if a figure grows. Runs of less than eight hours are not checked for growth.
/// Growth in the first half of the run is ignored, because each manager becomes master then and
/// fills its caches.
int run_long(std::uint64_t seed, const std::string& spec, double hours);

}  // namespace weft::simulation
