// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of the configuration: all keys of the schema with their values.
#pragma once

#include "service/config/settings.h"
#include "service/http/data/json.h"

namespace weft::http_data {

/// JSON of all keys; values of secret keys are null.
Json configuration(const Settings& settings);

}  // namespace weft::http_data
