// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of the configuration: the keys with their values, except for keys that are only read from
// configuration files (Section::is_written).
#pragma once

#include "service/config/settings.h"
#include "service/http/data/json.h"

namespace weft::http_data {

/// JSON of these keys; values of secret keys are null.
Json configuration(const Settings& settings);

}  // namespace weft::http_data
