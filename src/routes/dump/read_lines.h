// How the dump readers go through a file of records that are a line each.
#pragma once

#include <string>
#include <utility>

#include "base/file.h"
#include "base/result.h"

namespace weft {

/// Gives each line to `reader.take(lines, line)`, which may refuse it, and returns what
/// `reader.finish(path)` makes of them all.
template <class Reader>
auto read_lines(const std::string& path, Reader& reader) -> decltype(reader.finish(path)) {
  auto lines = LineReader::open(path);
  if (!lines) return forward(lines);
  std::string_view line;
  while (true) {
    const auto more = lines->next(line);
    if (!more) return forward(more);
    if (!*more) return reader.finish(path);
    if (const auto status = reader.take(*lines, line); !status) return forward(status);
  }
}

}  // namespace weft
