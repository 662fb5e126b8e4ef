// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The reader of a file format: a name, a function that recognizes the content, and a function that
// adds the content to a builder. The header of each reader includes this header and no other
// reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/files/warnings.h"
#include "base/result.h"
#include "fabric/builder.h"

namespace weft {

struct ReadOptions {
  std::string format;    // name of a format; empty: recognized by content
  std::string ibnl_dir;  // folder of the chassis definitions (*.ibnl) of ibdm topologies
};

/// An error at the line last read, as "FILE:LINE: " and the reason.
template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail_at(const LineReader& at,
                                            fmt::format_string<Args...> format, Args&&... args) {
  return fail(Code::kBadInput, "{}:{}: {}", at.path(), at.line_number(),
              fmt::format(format, std::forward<Args>(args)...));
}

/// An error at a column (from 1) of the line last read, as "FILE:LINE:COLUMN: " and the reason.
inline tl::unexpected<Error> fail_at_column(const LineReader& at, std::size_t column,
                                            std::string_view what) {
  return fail(Code::kBadInput, "{}:{}:{}: {}", at.path(), at.line_number(), column, what);
}

/// An error in a line, for parsers that do not have the reader of the file.
struct LineError {
  std::size_t column = 1;
  std::string message;
};
template <class T>
using LineResult = tl::expected<T, LineError>;

inline tl::unexpected<Error> fail_at(const LineReader& at, const LineError& error) {
  return fail_at_column(at, error.column, error.message);
}

/// Calls take(part) for each part of a line between carriage returns, which some files use instead
/// of newlines.
template <class Take>
Status each_part(std::string_view line, const Take& take) {
  while (true) {
    const std::size_t end = line.find('\r');
    if (auto status = take(line.substr(0, end)); !status) return status;
    if (end == std::string_view::npos) return {};
    line.remove_prefix(end + 1);
  }
}

struct ReadFormat {
  std::string_view name;
  std::string_view summary;
  /// Whether a file that begins with `head` is of this format. `head` holds lines, about 64 KiB,
  /// without byte order mark, carriage returns and progress lines of ibnetdiscover -s; of a longer
  /// line it holds the first 64 KiB.
  bool (*recognize)(std::string_view head);
  /// Reads from the first line. Error messages begin with the file, and with the line and column if
  /// they are known: "FILE:LINE:COLUMN: ".
  Status (*read)(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                 Warnings& warnings);
};

}  // namespace weft
