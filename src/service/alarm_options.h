// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The receivers of alarms that the settings configure.
#pragma once

#include "base/result.h"
#include "service/alarms/alarm_service.h"
#include "service/config/settings.h"

namespace weft {

/// A receiver is off if its URL has no origin.
struct AlarmOptions {
  PosterOptions webhook, alertmanager;
};

/// Without perfmgr, which reads the counters, all receivers are off. Fails with kUsage if a
/// receiver is set without perfmgr, if a URL is invalid, or if a token file is set without
/// alarm_webhook; with kEnvironment if alarm_ca_file cannot be read; and as read_client_token().
/// The text of the error begins with the key.
Result<AlarmOptions> alarm_options(const Settings& settings);

/// Adds the receivers to `alarms`. Fails as alarm_options().
Status add_alarm_receivers(const Settings& settings, AlarmService& alarms);

}  // namespace weft
