// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The page: one HTML file with style, script and data, which loads no other file.
#pragma once

#include <string>

#include "base/result.h"
#include "report/layout.h"
#include "report/report.h"

namespace weft {

/// Returns the page. Equal reports have equal pages.
std::string html_page(const Report& report, const Layout& layout);

/// Options of write_report(), which writes the page to `path` if `path` ends in .html or .htm, else
/// a folder with report.html, report.json and an SVG for each plot and drawing, and with `png` a
/// PNG of each. Fails with kEnvironment if a file cannot be written, or rsvg-convert is missing or
/// fails; with kUsage if `png` is set and `path` is a page.
struct WriteOptions {
  bool png = false;
};
Status write_report(const Report& report, const Layout& layout, const std::string& path,
                    const WriteOptions& options);

}  // namespace weft
