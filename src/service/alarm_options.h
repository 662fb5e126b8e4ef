// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The receivers of alarms that the settings configure.
#pragma once

#include "base/result.h"
#include "service/alarms/alarm_service.h"
#include "service/config/settings.h"

namespace weft {

/// Adds the receivers to `alarms`. Fails if the token file cannot be used; the message contains the
/// key.
Status add_alarm_receivers(const Settings& settings, AlarmService& alarms);

}  // namespace weft
