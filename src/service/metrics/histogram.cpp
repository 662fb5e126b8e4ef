// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/metrics/histogram.h"

#include <algorithm>

namespace weft {

void Histogram::add(double seconds) {
  ++counts[static_cast<std::size_t>(std::ranges::lower_bound(bounds, seconds) - bounds.begin())];
  sum += seconds;
}

}  // namespace weft
