// The fabric as a picture: switches where the layout has them, cables coloured by what they carry.
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
  std::vector<std::uint64_t> values;  // by ChannelId; of parallel and opposite ones the most counts
};

/// Large fabrics (layout.boxed) are drawn as boxes, and cables between two boxes as one line.
Svg draw_fabric(std::string_view title, const Fabric& fabric, const Layout& layout,
                const DrawnLoad& load);

}  // namespace weft
