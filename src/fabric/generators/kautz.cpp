// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Switches are the words of n + 1 letters over an alphabet of b + 1 letters in which no two
// adjacent letters are equal. Each word has an arc to the b words that result if its first letter
// is removed and a letter is appended. Every arc is a cable, so switches with arcs in both
// directions have two cables. Hosts follow the 2 b ports of the arcs. Source: Kautz, "Bounds on
// directed (d, k) graphs", 1968.
#include "fabric/generators/shapes.h"

namespace weft {
namespace {

/// Words in alphabetical order. The number of a word consists of its first letter, then a digit of
/// base b for each other letter: its position among the letters that may follow the letter before
/// it.
class Words {
 public:
  Words(unsigned b, unsigned n) : b_(b), n_(n) {
    for (unsigned i = 0; i < n; ++i) tails_ *= b;
  }

  std::vector<unsigned> word(std::uint32_t index) const {
    std::vector<unsigned> letters{index / tails_};
    std::uint32_t rest = index % tails_;
    for (std::uint32_t place = tails_ / b_; letters.size() <= n_; place /= b_) {
      const std::uint32_t rank = rest / place;
      letters.push_back(rank < letters.back() ? rank : rank + 1);
      rest %= place;
    }
    return letters;
  }

  std::uint32_t index(const std::vector<unsigned>& letters) const {
    std::uint32_t value = letters[0];
    for (std::size_t i = 1; i < letters.size(); ++i)
      value = value * b_ + (letters[i] < letters[i - 1] ? letters[i] : letters[i] - 1);
    return value;
  }

 private:
  unsigned b_, n_;
  std::uint32_t tails_ = 1;  // number of words that begin with the same letter
};

}  // namespace

Result<Drawing> draw_kautz(const Parameters& parameters) {
  const unsigned b = parameters.number("b");
  const unsigned n = parameters.number("n");
  const unsigned hosts = parameters.number("hosts");
  std::vector<unsigned> factors(n + 1, b);
  factors[0] = b + 1;
  const std::uint64_t count = product(factors);
  auto drawing =
      Drawing::start(parameters, {count, product({count, hosts}), 2 * std::uint64_t{b} + hosts});
  if (!drawing) return drawing;
  const Words words(b, n);
  for (std::uint32_t at = 0; at < count; ++at)
    drawing->add_switch(fmt::format("sw-{}", fmt::join(words.word(at), "-")));
  for (std::uint32_t at = 0; at < count; ++at) {
    std::vector<unsigned> next = words.word(at);
    const unsigned last = next.back();
    next.erase(next.begin());
    next.push_back(0);
    for (unsigned letter = 0; letter <= b; ++letter) {
      if (letter == last) continue;
      next.back() = letter;
      drawing->cable(at, words.index(next));
    }
  }
  drawing->add_hosts_everywhere(hosts);
  return drawing;
}

}  // namespace weft
