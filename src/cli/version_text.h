// What `--version` prints.
#pragma once

#include <string>
#include <string_view>

namespace weft::cli {

/// "weft 0.1.0", and on further lines the commit (where known) and the build options.
std::string version_text(std::string_view program);

}  // namespace weft::cli
