// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// hm_ports_health_policy_file: ports that are marked as healthy or unhealthy, a line each:
//   0x506b4b0300aa0000 12 unhealthy      (node GUID and port: either end of the cable)
//   0x506b4b0300aa0000,13,healthy
//   all healthy
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sm/health/health_options.h"

namespace weft {

/// Reads the marks of a file, in the order of lines. Fails with kBadInput naming the line, and with
/// kEnvironment if the file cannot be opened.
Result<std::vector<HealthMark>> read_health_policy(const std::string& path);
/// Parses the same format from `text`; `path` appears in messages only.
Result<std::vector<HealthMark>> parse_health_policy(std::string text, const std::string& path);

}  // namespace weft
