// Which plots a report has, by file name.
#pragma once

#include <string>
#include <vector>

#include "report/layout.h"
#include "report/report.h"
#include "report/svg.h"

namespace weft {

struct Picture {
  std::string file;  // without ending: "link-load"
  Svg svg;
};

/// Bandwidth histogram, link loads, engines side by side, VL usage of each run that has more than
/// one VL: what the page shows too.
std::vector<Picture> plots_of(const Report& report);

/// The fabric with the loads of each run, and with its simulated traffic: for files; the page draws
/// its own.
std::vector<Picture> drawings_of(const Report& report, const Layout& layout);

}  // namespace weft
