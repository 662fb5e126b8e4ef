// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/text.h"

#include <cctype>

namespace weft {
namespace {
constexpr std::string_view kBlanks = " \t\r\n\v\f";
constexpr std::size_t kQuoteMax = 60;
}  // namespace

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  while ((begin = text.find_first_not_of(kBlanks, begin)) != std::string_view::npos) {
    const std::size_t end = text.find_first_of(kBlanks, begin);
    words.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) break;
    begin = end;
  }
  return words;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t end = text.find(separator);
    fields.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return fields;
    text.remove_prefix(end + 1);
  }
}

std::string quoted(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, kQuoteMax))
    shown += std::isprint(static_cast<unsigned char>(c)) != 0 ? c : '?';
  return "'" + shown + (text.size() > kQuoteMax ? "...'" : "'");
}

}  // namespace weft
