// What pictures in a browser need of a layout, for the report's page and for the manager's.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "report/layout.h"

namespace weft {

/// In hundredths: positions need no more, and take less room.
long hundredths(double value);
nlohmann::ordered_json hundredths(const std::vector<double>& values);

/// shape, about, width, height, boxed, and by switch x, y, box; then the boxes and the labels, each
/// in the form that its page reads.
nlohmann::ordered_json layout_json(const Layout& layout, nlohmann::ordered_json boxes,
                                   nlohmann::ordered_json labels);

}  // namespace weft
