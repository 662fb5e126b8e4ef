// The report as the one JSON object that its page reads, and that tests compare it with. All text
// in it may be hostile: it is JSON here and text nodes there, never markup. docs/reference/report.md has the
// fields.
#pragma once

#include <nlohmann/json.hpp>

#include "report/layout.h"
#include "report/report.h"

namespace weft {

nlohmann::ordered_json page_data(const Report& report, const Layout& layout);

/// One line of JSON; names that are no UTF-8 are mended.
std::string to_text(const nlohmann::ordered_json& json);

}  // namespace weft
