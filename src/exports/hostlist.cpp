// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/hostlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::size_t kDigitsMax = 18;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a name is a GUID, such as "H-0002c90300048eba": the digits of a GUID are not a number.
bool is_guid(std::string_view name) {
  constexpr std::size_t kDigits = 16;
  return name.size() == kDigits + 2 && name[1] == '-' &&
         parse_number<std::uint64_t>(name.substr(2), 16).has_value();
}

/// Position of the number at the end of a name; the name's length if there is none.
std::size_t number_begin(std::string_view name) {
  std::size_t begin = name.size();
  if (is_guid(name)) return begin;
  while (begin > 0 && is_digit(name[begin - 1]) && name.size() - begin < kDigitsMax) --begin;
  return begin;
}

struct Run {
  std::string_view first, last;  // digits as written
  std::uint64_t next = 0;        // number that continues the run
};

/// Whether a number continues a run: it is the next value, with as many digits as the first number
/// of the run.
bool continues_run(const Run& run, std::string_view digits) {
  return digits == fmt::format("{:0{}}", run.next, run.first.size());
}

std::string text_of(std::string_view stem, const std::vector<Run>& runs) {
  if (runs.size() == 1 && runs[0].first == runs[0].last)
    return std::string(stem) + std::string(runs[0].first);
  std::string text = std::string(stem) + "[";
  for (const Run& run : runs) {
    if (text.back() != '[') text += ',';
    text += run.first;
    if (run.last != run.first) text += fmt::format("-{}", run.last);
  }
  return text + "]";
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view all_a = a;
  const std::string_view all_b = b;
  const auto number = [](std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
    return digits;
  };
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      const std::string_view x = number(a);
      const std::string_view y = number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return all_a < all_b;  // the names differ at most in leading zeros
}

std::string compress_hostlist(std::vector<std::string> names) {
  std::ranges::sort(names, natural_less);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text;
  std::string_view stem;
  std::vector<Run> runs;
  const auto flush = [&] {
    if (runs.empty()) return;
    if (!text.empty()) text += ',';
    text += text_of(stem, runs);
    runs.clear();
  };
  for (const std::string& name : names) {
    const std::size_t begin = number_begin(name);
    const std::string_view digits = std::string_view(name).substr(begin);
    if (digits.empty()) {
      flush();
      text += (text.empty() ? "" : ",") + name;
      continue;
    }
    if (const auto own_stem = std::string_view(name).substr(0, begin); own_stem != stem) {
      flush();
      stem = own_stem;
    }
    if (!runs.empty() && continues_run(runs.back(), digits)) {
      runs.back().last = digits;
      ++runs.back().next;
    } else {
      runs.push_back({digits, digits, *parse_number<std::uint64_t>(digits) + 1});
    }
  }
  flush();
  return text;
}

}  // namespace weft
