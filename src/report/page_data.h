// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The report as one JSON object, read by its page and by tests. Its strings are untrusted: they are
// JSON here and text nodes in the page, never markup. docs/reference/report.md describes the
// fields.
#pragma once

#include <nlohmann/json.hpp>

#include "report/layout.h"
#include "report/report.h"

namespace weft {

nlohmann::ordered_json page_data(const Report& report, const Layout& layout);

/// One line of JSON; invalid UTF-8 in names is replaced.
std::string to_text(const nlohmann::ordered_json& json);

}  // namespace weft
