// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Unhealthy ports in the configuration: the keys hm_*.
#pragma once

#include "base/result.h"
#include "service/config/settings.h"
#include "sm/health/health_options.h"

namespace weft {

/// Reads hm_ports_health_policy_file. Fails with kBadInput naming the key or the line.
Result<HealthOptions> health_options(const Settings& settings);

}  // namespace weft
