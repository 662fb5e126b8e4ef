// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads dump files with one record per line.
#pragma once

#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

namespace weft {

/// Passes each line to `reader.take(lines, line)`. Returns the first error of the file or of
/// take(); without an error, the result of `reader.finish(path)`.
template <class Reader>
auto read_lines(const std::string& path, Reader& reader) -> decltype(reader.finish(path)) {
  const Status status = for_each_line(
      path, [&](const LineReader& at, std::string_view line) { return reader.take(at, line); });
  if (!status) return forward(status);
  return reader.finish(path);
}

}  // namespace weft
