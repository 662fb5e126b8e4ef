// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of unhealthy ports.
#pragma once

#include "service/http/data/json.h"
#include "sm/health/port_health.h"

namespace weft::http_data {

/// JSON of the unhealthy ports within the page. `checks`: whether their detection is enabled.
Json unhealthy_ports(const PortHealth::Ports& ports, bool checks, Page page);

}  // namespace weft::http_data
