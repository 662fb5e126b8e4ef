// Dealing pairs of switches out over the layers that may have them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft {

/// About as many pairs for each layer. `choices` is by pair of switches, row by row, of which the
/// part below the diagonal counts: the layers that may have it, a bit for each; 0 where it is all
/// the same. Returns the layer by pair, symmetric.
std::vector<std::uint8_t> deal_layers(std::uint32_t switches, unsigned layers,
                                      std::span<const std::uint16_t> choices);

}  // namespace weft
