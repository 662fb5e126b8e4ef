// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Warnings about the content of a file, limited in number and length.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"

namespace weft {

/// Warnings about a file that could be read. Their size is limited: long warnings are truncated,
/// and after kMax warnings the rest is only counted.
class Warnings {
 public:
  static constexpr std::size_t kMax = 1000;
  static constexpr std::size_t kLengthMax = 2000;

  void add(std::string warning);

  template <class... Args>
  void add(const LineReader& at, fmt::format_string<Args...> format, Args&&... args) {
    add(fmt::format("{}:{}: {}", at.path(), at.line_number(),
                    fmt::format(format, std::forward<Args>(args)...)));
  }

  /// All warnings, and a last one with the number of those omitted.
  std::vector<std::string> take();
  /// Appends take() to `to`.
  void append_to(std::vector<std::string>& to);

 private:
  std::vector<std::string> lines_;
  std::size_t left_out_ = 0;
};

}  // namespace weft
