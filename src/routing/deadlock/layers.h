// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Distribution of pairs of switches over their possible layers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft {

/// Returns the layer by pair of switches, symmetric; the layers have similar numbers of pairs.
/// `choices`: the possible layers of each pair as a mask, row by row; only the part below the
/// diagonal is read. A pair with the mask 0 has layer 0.
std::vector<std::uint8_t> distribute_layers(std::uint32_t switches, unsigned layers,
                                            std::span<const std::uint16_t> choices);

}  // namespace weft
