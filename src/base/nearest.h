// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Suggestions for misspelt words: "did you mean".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft {

/// Least number of insertions, deletions, replacements and swaps of neighboring letters that turn
/// one word into the other. Upper and lower case are equal, as are '-' and '_'. O(a * b) time.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate most similar to a misspelt word; empty if none is similar. A candidate is similar
/// if the edit distance is 1, or at most a third of the word's letters, and less than the length of
/// the candidate. If no candidate is similar in this way, the result is the shortest candidate that
/// has the word, of at least three letters, as a whole part ("engine" in "routing_engine"). Words
/// and candidates of more than 64 letters are not similar by edit distance.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// ": did you mean 'CANDIDATE'"; empty if no candidate is similar.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace weft
