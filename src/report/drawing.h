// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Draws the fabric: switches at their positions in the layout, cables coloured by load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "report/layout.h"
#include "report/svg.h"

namespace weft {

struct DrawnLoad {
  std::string name;                   // "paths over the cable"
  std::vector<std::uint64_t> values;  // by ChannelId; a line has the highest value of its channels
};

/// Draws the fabric. All cables between two switches are one line. Large fabrics (layout.boxed) are
/// drawn as boxes, and all cables between two boxes as one line.
Svg draw_fabric(std::string_view title, const Fabric& fabric, const Layout& layout,
                const DrawnLoad& load);

}  // namespace weft
