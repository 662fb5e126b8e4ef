// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The layout as JSON, for the report's page and for the manager's page.
#pragma once

#include <nlohmann/json.hpp>

#include "report/layout.h"

namespace weft {

/// Members of the result: shape, about, width, height, boxed; x, y and box by switch; boxes and
/// labels. Positions and sizes are whole numbers of hundredths, to keep the text short. The
/// detected structure is left out.
nlohmann::ordered_json layout_json(const Layout& layout);

}  // namespace weft
