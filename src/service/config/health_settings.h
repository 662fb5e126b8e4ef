// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configuration of the detection of unhealthy ports: the keys hm_*.
#pragma once

#include "base/result.h"
#include "service/config/settings.h"
#include "sm/health/health_options.h"

namespace weft {

/// The options from the keys hm_* and from hm_ports_health_policy_file. Fails with kBadInput if a
/// value is invalid (the message contains the key), and as read_health_policy().
Result<HealthOptions> health_options(const Settings& settings);

}  // namespace weft
