// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The plots of a report, by file name.
#pragma once

#include <string>
#include <vector>

#include "report/layout.h"
#include "report/report.h"
#include "report/svg.h"

namespace weft {

struct Picture {
  std::string file;  // name without extension: "link-load"
  Svg svg;
};

/// The plots of the page: bandwidth histogram, timelines of jobs, link loads, comparison of
/// engines, VL usage of each run with more than one VL.
std::vector<Picture> plots_of(const Report& report);

/// Drawings for files: the fabric with the loads of each run and with its simulated traffic. The
/// page does not use these drawings.
std::vector<Picture> drawings_of(const Report& report, const Layout& layout);

}  // namespace weft
