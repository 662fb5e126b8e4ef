// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The receivers of alarms that the settings configure.
#pragma once

#include "base/result.h"
#include "service/alarms/alarm_service.h"
#include "service/config/settings.h"

namespace weft {

/// Adds the receivers to `alarms`. Fails with kEnvironment if alarm_ca_file cannot be read, with
/// kUsage if a URL is invalid or a token file is set without alarm_webhook, and as
/// read_client_token(). The text of the error begins with the key.
Status add_alarm_receivers(const Settings& settings, AlarmService& alarms);

}  // namespace weft
