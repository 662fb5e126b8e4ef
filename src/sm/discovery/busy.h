// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers with the status BUSY: the agent discarded the request without effect.
#pragma once

#include "base/clock.h"
#include "ib/smp.h"

namespace weft {

inline bool is_busy(const Smp& answer) { return (answer.status & mad_status::kBusy) != 0; }

/// BUSY answers to one request that lead to a retry (1.27 s of pauses); the next one ends the
/// request.
inline constexpr unsigned kBusyAnswersMax = 7;

/// Pause before the retry after `before` earlier BUSY answers.
constexpr TimeNs busy_pause(unsigned before) { return std::chrono::milliseconds(10 << before); }

}  // namespace weft
