// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Text helpers for parsers: trimming, splitting, numbers that must fill the whole text, and quoting
// of input in messages.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

std::string_view trim(std::string_view text);

/// Words separated by white space.
std::vector<std::string_view> split_words(std::string_view text);

/// Fields separated by `separator`; empty fields are kept.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Parses the whole text as a number in `base` (10 or 16; with base 16 an "0x" prefix is allowed);
/// nothing if the text is not a number or the number does not fit in T.
template <std::integral T>
std::optional<T> parse_number(std::string_view text, int base = 10) {
  if (base == 16 && text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
    text.remove_prefix(2);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// Parses hexadecimal with a "0x" prefix, else decimal. OpenSM also reads octal numbers, with a
/// leading 0, in its option files.
template <std::integral T>
std::optional<T> parse_c_number(std::string_view text) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  return parse_number<T>(text, hex ? 16 : 10);
}

/// Quotes input text for a message: at most 60 bytes, with "..." if the text is longer; bytes that
/// are not printable become '?'.
std::string quoted(std::string_view text);

}  // namespace weft
