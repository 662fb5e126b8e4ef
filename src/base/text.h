// Small text helpers for parsers: trimming, splitting, and numbers that must fill the whole of
// their text.
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

/// Words between runs of blanks and tabs.
std::vector<std::string_view> split_words(std::string_view text);

/// Fields between each `separator`; empty fields are kept.
std::vector<std::string_view> split(std::string_view text, char separator);

/// A number that is the whole text, in `base` (10 or 16); with base 16 an "0x" may stand in front.
/// Nothing otherwise.
template <std::integral T>
std::optional<T> parse_number(std::string_view text, int base = 10) {
  if (base == 16 && text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
    text.remove_prefix(2);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// Hexadecimal with "0x" in front, decimal without: what OpenSM's option files accept.
template <std::integral T>
std::optional<T> parse_c_number(std::string_view text) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  return parse_number<T>(text, hex ? 16 : 10);
}

/// What a file says, as a message may show it: in quotes, without what a terminal would obey, and
/// not without end.
std::string quoted(std::string_view text);

}  // namespace weft
