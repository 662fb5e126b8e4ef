// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The pictures of a report: plots and drawings, each with a file name.
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

/// The plots of the page: comparison of engines, a bandwidth histogram of each traffic pattern,
/// delay histograms of each run with delays, timelines of jobs, link loads, VL usage of each run
/// with more than one VL.
std::vector<Picture> plots_of(const Report& report);

/// Drawings for files: the fabric with the loads of each run and with its simulated traffic. The
/// page does not use these drawings.
std::vector<Picture> drawings_of(const Report& report, const Layout& layout);

}  // namespace weft
