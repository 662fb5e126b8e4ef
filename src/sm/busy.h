// Answers with the status BUSY: the agent discarded the request, and nothing of it has happened.
#pragma once

#include "base/clock.h"
#include "ib/smp.h"

namespace weft {

inline bool is_busy(const Smp& answer) { return (answer.status & mad_status::kBusy) != 0; }

/// After so many of them to one request the next is an answer like any other: 1.27 s of pauses.
inline constexpr unsigned kBusyAnswersMax = 7;

/// Until a request is sent again that was answered with BUSY so many times before.
constexpr TimeNs busy_pause(unsigned before) { return std::chrono::milliseconds(10 << before); }

}  // namespace weft
