// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The layer of each destination switch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/nue/arcs.h"

namespace weft::nue {

/// The layer of each switch, below `layers`, so that layers have about equal weights. Uses METIS,
/// which assigns neighbors to one layer, if METIS is built in and succeeds, and there are enough
/// destinations; else assign_layers_seeded().
std::vector<std::uint32_t> assign_layers(const Arcs& arcs, std::span<const std::uint32_t> weight,
                                         unsigned layers, std::uint64_t seed);

/// The layer of each switch, below `layers`. The switches, greatest weight first and in random
/// order among equal weights, are assigned to the layer with the least weight so far; switches of
/// weight 0 to one layer after the other.
std::vector<std::uint32_t> assign_layers_seeded(std::span<const std::uint32_t> weight,
                                                unsigned layers, std::uint64_t seed);

/// True if METIS is built in.
bool has_metis();

}  // namespace weft::nue
