// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/clock.h"

#include <algorithm>

namespace weft {

TimeNs RealClock::now() const {
  return std::chrono::duration_cast<TimeNs>(std::chrono::steady_clock::now().time_since_epoch());
}

void VirtualClock::advance_to(TimeNs time) { now_ = std::max(now_, time); }

Stopwatch::Stopwatch() : start_(std::chrono::steady_clock::now()) {}

double Stopwatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace weft
