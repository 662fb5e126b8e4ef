// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Calendar times for tests.
#pragma once

#include <cstdint>

#include "service/events/event_sinks.h"

namespace weft {

/// Seconds since 1970-01-01 UTC.
inline WallTime at_second(std::int64_t seconds) { return WallTime(std::chrono::seconds(seconds)); }

}  // namespace weft
