// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers with the status BUSY, by which an agent refuses a request without effect.
#pragma once

#include <algorithm>

#include "base/clock.h"
#include "ib/smp.h"

namespace weft {

inline bool is_busy(const Smp& answer) { return (answer.status & mad_status::kBusy) != 0; }

/// Maximum number of retries of a request after BUSY answers (1.27 s of pauses); the next BUSY
/// answer ends the request. A sweep of 2,000 hosts has 120,000 SMPs. If devices answer BUSY to half
/// of all SMPs, 500 requests fail with eight tries; with 19 tries, none fails in most sweeps.
inline constexpr unsigned kBusyAnswersMax = 18;

/// Pause before the retry after a BUSY answer, with `before` earlier BUSY answers: 10, 20, 40, then
/// 80 ms.
constexpr TimeNs busy_pause(unsigned before) {
  return std::chrono::milliseconds(10 << std::min(before, 3u));
}

}  // namespace weft
