// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/regexp.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <vector>

namespace weft {
namespace {

constexpr std::uint64_t kFarTooLong = 1U << 20U;  // counting stops here

/// Returns the end of the bracket expression that begins at `at`: the position after its "]", or
/// the end of the text.
std::size_t behind_bracket(std::string_view text, std::size_t at) {
  ++at;
  if (text.substr(at).starts_with('^')) ++at;
  if (text.substr(at).starts_with(']')) ++at;  // a "]" at the start is a member
  while (at < text.size() && text[at] != ']') {
    const std::string_view two = text.substr(at, 2);
    const bool is_class = two == "[:" || two == "[." || two == "[=";
    const auto end =
        is_class ? text.find(std::string{two[1], ']'}, at + 2) : std::string_view::npos;
    at = end == std::string_view::npos ? at + 1 : end + 2;
  }
  return std::min(at + 1, text.size());
}

/// Returns the larger number of "{5}", "{2,5}" or "{2,}" at `at` and moves `at` behind the bounds;
/// 0 if there are no bounds.
std::uint64_t take_bounds(std::string_view text, std::size_t& at) {
  std::uint64_t largest = 0;
  std::uint64_t number = 0;
  for (std::size_t end = at + 1; end < text.size(); ++end) {
    if (std::isdigit(static_cast<unsigned char>(text[end])) != 0) {
      number = std::min(number * 10 + static_cast<std::uint64_t>(text[end] - '0'), kFarTooLong);
    } else if (text[end] == ',' || text[end] == '}') {
      largest = std::max(largest, number);
      number = 0;
      if (text[end] == ',') continue;
      at = end + 1;
      return largest;
    } else {
      break;
    }
  }
  return 0;
}

/// The estimated length that Regexp::kLongest limits; at most kFarTooLong.
std::uint64_t written_out(std::string_view text) {
  struct Sequence {
    std::uint64_t before = 0;  // length of all pieces but the last
    std::uint64_t last = 0;    // length of the piece to which a repetition applies
    std::uint64_t length() const { return std::min(before + last, kFarTooLong); }
    void add(std::uint64_t piece) {
      before = length();
      last = piece;
    }
    void repeat(std::uint64_t times) {
      last = std::min(std::max<std::uint64_t>(last, 1) * times, kFarTooLong);
    }
  };
  std::vector<Sequence> open(1);  // one for each open parenthesis, the outermost first
  const auto close = [&open] {
    const std::uint64_t group = open.back().length() + 1;
    open.pop_back();
    open.back().add(group);
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '[') {
      at = behind_bracket(text, at);
      open.back().add(1);
      continue;
    }
    if (c == '{') {
      if (const std::uint64_t times = take_bounds(text, at); times > 0) {
        open.back().repeat(times + 1);
        continue;
      }
    }
    if (c == '(') {
      open.emplace_back();
    } else if (c == ')' && open.size() > 1) {
      close();
    } else if (c == '*' || c == '+' || c == '?') {
      open.back().repeat(2);
    } else {
      open.back().add(1);
      if (c == '\\') ++at;
    }
    ++at;
  }
  while (open.size() > 1) close();
  return open.back().length();
}

}  // namespace

void Regexp::Free::operator()(regex_t* compiled) const {
  regfree(compiled);
  delete compiled;
}

Result<Regexp> Regexp::compile(const std::string& text) {
  // regcomp(3) of glibc expands repetitions, uses time and memory quadratic in the expanded length,
  // and recurses for parentheses.
  if (written_out(text) > kLongest)
    return fail(Code::kUsage, "longer than {} characters with its repetitions written out",
                kLongest);
  auto raw = std::make_unique<regex_t>();
  const int bad = regcomp(raw.get(), text.c_str(), REG_EXTENDED | REG_NOSUB);
  if (bad == 0) return Regexp(Compiled(raw.release()));
  std::array<char, 256> why{};
  regerror(bad, raw.get(), why.data(), why.size());
  return fail(Code::kUsage, "{}", why.data());
}

bool Regexp::finds(const std::string& text) const {
  return regexec(compiled_.get(), text.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace weft
