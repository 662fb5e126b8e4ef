// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Parses a line of a dump from left to right, without allocation.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft {

class LineCursor {
 public:
  explicit LineCursor(std::string_view line) : rest_(line) {}

  std::string_view rest() const { return rest_; }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

  /// Skips blanks, then `text`. Returns false if another text follows the blanks.
  bool skip(std::string_view text) {
    skip_blanks();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  /// Skips all text up to the end of `text`. Returns false if the line does not contain `text`.
  bool skip_past(std::string_view text) {
    const std::size_t at = rest_.find(text);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + text.size());
    return true;
  }

  /// Skips blanks and reads the next digits as a number; nullopt, without progress past the blanks,
  /// with fewer than `digits_min` digits or a number above `most`.
  std::optional<std::uint64_t> decimal(std::uint64_t most, std::size_t digits_min = 1) {
    return number(10, most, digits_min);
  }
  /// Like decimal(), for hexadecimal digits after "0x".
  std::optional<std::uint64_t> hex(std::uint64_t most, std::size_t digits_min = 1) {
    const std::string_view before = rest_;
    if (!skip("0x") && !skip("0X")) return std::nullopt;
    const auto value = number(16, most, digits_min);
    if (!value) rest_ = before;
    return value;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
      rest_.remove_prefix(1);
  }

  std::optional<std::uint64_t> number(int base, std::uint64_t most, std::size_t digits_min) {
    skip_blanks();
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    const auto digits = static_cast<std::size_t>(end - rest_.data());
    if (error != std::errc() || value > most || digits < digits_min) return std::nullopt;
    rest_.remove_prefix(digits);
    return value;
  }

  std::string_view rest_;
};

}  // namespace weft
