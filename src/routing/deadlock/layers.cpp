// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/layers.h"

#include <bit>
#include <utility>

namespace weft {

std::vector<std::uint8_t> distribute_layers(std::uint32_t switches, unsigned layers,
                                            std::span<const std::uint16_t> choices) {
  const auto at = [&](std::uint32_t row, std::uint32_t column) {
    return std::size_t{row} * switches + column;
  };
  std::vector<std::uint64_t> count(layers, 0);
  std::vector<std::uint8_t> assigned(choices.size(), 0);
  const auto assign_layer = [&](std::uint32_t a, std::uint32_t b, std::uint16_t choice) {
    auto best = static_cast<unsigned>(std::countr_zero(choice));
    for (unsigned layer = best + 1; layer < layers; ++layer)
      if ((choice >> layer & 1) != 0 && count[layer] < count[best]) best = layer;
    ++count[best];
    assigned[at(a, b)] = assigned[at(b, a)] = static_cast<std::uint8_t>(best);
  };
  // Pairs with the fewest possible layers come first.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> later(layers + std::size_t{1});
  for (std::uint32_t b = 0; b < switches; ++b)
    for (std::uint32_t a = 0; a < b; ++a) {
      const std::uint16_t choice = choices[at(b, a)];
      if (std::has_single_bit(choice)) {
        assign_layer(a, b, choice);
      } else if (choice != 0) {
        later[static_cast<unsigned>(std::popcount(choice))].emplace_back(a, b);
      }
    }
  for (const auto& pairs : later)
    for (const auto& [a, b] : pairs) assign_layer(a, b, choices[at(b, a)]);
  return assigned;
}

}  // namespace weft
