// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/mutated.h"

#include <string_view>

namespace weft {

std::string damaged_copy(std::string text, Rng& rng) {
  static constexpr std::string_view kPieces[] = {
      "0x", "-1", "ffffffffffffffffffff", "\n", ":", "#", " ", "256", "\xff", "guid ", "65536"};
  for (std::uint64_t n = 1 + rng.below(4); n-- > 0 && !text.empty();) {
    const std::size_t at = rng.below(text.size());
    switch (rng.below(4)) {
      case 0:
        text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text.erase(at, 1 + rng.below(8));
        break;
      case 2:
        text.insert(at, kPieces[rng.below(std::size(kPieces))]);
        break;
      default:
        text.insert(at, text.substr(rng.below(text.size()), 20));
    }
  }
  return text;
}

}  // namespace weft
