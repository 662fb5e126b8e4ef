// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads state files: drops damaged lines with a warning and keeps the other lines.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft {

/// Passes each line that is not blank to `take`, which returns the error of the line, or an empty
/// text. Lines with errors are dropped; a warning names file and line for each of the first
/// `warnings_max`, and one more warning counts the rest. After a read error, the rest of the file
/// is dropped with a warning. A file that does not exist has no lines. Fails with kEnvironment if
/// the file cannot be opened.
Status read_state_lines(const std::string& path, std::size_t warnings_max,
                        std::vector<std::string>& warnings,
                        const std::function<std::string(std::string_view)>& take);

}  // namespace weft
