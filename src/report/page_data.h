// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The report as one JSON object, read by the page of the report and by tests. Strings are
// untrusted: the page inserts them as text nodes, never as markup. docs/reference/report.md
// describes the fields.
#pragma once

#include <nlohmann/json.hpp>

#include "report/layout.h"
#include "report/report.h"

namespace weft {

nlohmann::ordered_json page_data(const Report& report, const Layout& layout);

/// Returns one line of JSON text; invalid UTF-8 in names is replaced.
std::string to_text(const nlohmann::ordered_json& json);

}  // namespace weft
