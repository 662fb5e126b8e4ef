// Capital and small letters of ASCII; other bytes stay as they are, whatever the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace weft {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = lower(c);
  return small;
}

/// Whether the word is this one, which is in small letters.
inline bool equal_words(std::string_view word, std::string_view small) {
  return std::ranges::equal(word, small, {}, [](char c) { return lower(c); });
}

}  // namespace weft
