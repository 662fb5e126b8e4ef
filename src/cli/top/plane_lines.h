// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lines of weft top about planes.
#pragma once

#include <string>
#include <vector>

#include "cli/common.h"

namespace weft::cli {

/// Lines about the planes, the aggregated ports and the deviations in `planes`, the response of
/// /api/v1/planes; empty if it has none, or is null.
std::vector<std::string> plane_lines(const Json& planes);

}  // namespace weft::cli
