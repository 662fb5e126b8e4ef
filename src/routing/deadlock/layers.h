// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Distribution of pairs of switches over the layers that can take them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft {

/// About equally many pairs for each layer. `choices` is by pair of switches, row by row, only the
/// part below the diagonal is read: the possible layers of the pair, one bit each; 0: any layer.
/// Returns the layer by pair, symmetric.
std::vector<std::uint8_t> distribute_layers(std::uint32_t switches, unsigned layers,
                                            std::span<const std::uint16_t> choices);

}  // namespace weft
