// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Upper and lower case of ASCII letters; other bytes are unchanged in every locale.
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

/// Whether `word` equals `small`, which must be in lower case, without regard to case.
inline bool equal_words(std::string_view word, std::string_view small) {
  return std::ranges::equal(word, small, {}, [](char c) { return lower(c); });
}

}  // namespace weft
