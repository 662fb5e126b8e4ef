// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The layout as JSON, for the report's page and for the manager's page.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "report/layout.h"

namespace weft {

/// Rounded to hundredths, which is precise enough for positions and compact.
long hundredths(double value);
nlohmann::ordered_json hundredths(const std::vector<double>& values);

/// shape, about, width, height, boxed, and by switch x, y, box; then boxes and labels, each in the
/// form that its page reads.
nlohmann::ordered_json layout_json(const Layout& layout, nlohmann::ordered_json boxes,
                                   nlohmann::ordered_json labels);

}  // namespace weft
