// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace weft {
namespace {

constexpr std::size_t kWordMax = 64;  // a longer word is not a misspelt name
constexpr std::size_t kPartMin = 3;

char folded(char c) {
  return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string folded(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) { return folded(c); });
  return result;
}

/// Whether `word` is a part of `candidate`, delimited by "_" or by an end of it.
bool is_part(std::string_view word, std::string_view candidate) {
  return word.size() >= kPartMin &&
         fmt::format("_{}_", folded(candidate)).find(fmt::format("_{}_", folded(word))) !=
             std::string::npos;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_above(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_above.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool equal = folded(a[i - 1]) == folded(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (equal ? 0u : 1u)});
      const bool swapped = i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                           folded(a[i - 2]) == folded(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kWordMax) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > kWordMax) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance || distance >= candidate.size()) continue;
    best = candidate;
    best_distance = distance;
  }
  if (!best.empty()) return best;
  for (const std::string_view candidate : candidates)
    if (is_part(word, candidate) && (best.empty() || candidate.size() < best.size()))
      best = candidate;
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view meant = nearest(word, candidates);
  return meant.empty() ? std::string() : fmt::format(": did you mean '{}'", meant);
}

}  // namespace weft
