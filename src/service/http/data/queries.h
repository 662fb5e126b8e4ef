// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of the multicast groups, services and subscriptions of the subnet administration.
#pragma once

#include "sa/server.h"
#include "service/http/data/json.h"

namespace weft::http_data {

Json multicast(const sa::State& state);
/// JSON of the services, newest first.
Json services(const sa::State& state);
Json subscriptions(const sa::State& state);

}  // namespace weft::http_data
