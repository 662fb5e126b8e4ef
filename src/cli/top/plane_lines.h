// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lines of weft top about planes.
#pragma once

#include <string>
#include <vector>

#include "cli/common.h"

namespace weft::cli {

/// `planes`: the response of /api/v1/planes. Empty if the fabric has no planes.
std::vector<std::string> plane_lines(const Json& planes);

}  // namespace weft::cli
