// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file of the option --quality-values: the values that the quality figures summarize. Others
// can compute the figures from these values, and verify the lower bounds of the load.
#pragma once

#include <string>

#include "base/result.h"
#include "congestion/quality/quality.h"

namespace weft::cli {

/// Writes JSON: bandwidths by matching and by distance, and the lengths of the channels between
/// switches. `quality` must be of this fabric.
Status write_quality_values(const Fabric& fabric, const Quality& quality, const std::string& path);

}  // namespace weft::cli
