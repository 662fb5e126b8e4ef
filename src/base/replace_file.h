// A file that belongs to somebody, with other content.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace weft {

/// As write_file(), and what is there keeps its mode and, as far as this process may give files
/// away, its owner; a symbolic link goes on leading to it. A new file gets `mode`.
Status replace_file(const std::string& path, std::string_view content, unsigned mode = 0644);

}  // namespace weft
