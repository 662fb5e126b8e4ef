// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The layout as JSON, for the report's page and for the manager's page.
#pragma once

#include <nlohmann/json.hpp>

#include "report/layout.h"

namespace weft {

/// Members: shape, about, width, height, boxed, and by switch x, y, box; then boxes and labels.
/// Positions are rounded to hundredths, which is precise enough and compact.
nlohmann::ordered_json layout_json(const Layout& layout);

}  // namespace weft
