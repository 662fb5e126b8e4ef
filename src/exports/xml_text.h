// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Escapes text for XML files.
#pragma once

#include <string>
#include <string_view>

namespace weft {

/// Text for an attribute in double quotes, or between tags. Characters that XML 1.0 forbids are
/// escaped as in printable().
std::string xml_text(std::string_view text);

}  // namespace weft
