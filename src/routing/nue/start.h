// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The first order of the search: of many escape trees, the tree with the fewest detours under
// up*/down*. Trees differ by more detours than the search can remove later. Evaluating a tree is
// cheap: one pass computes the paths to all destinations, with a bit for each destination.
#pragma once

#include <cstdint>
#include <span>

#include "base/rng.h"
#include "routing/nue/arcs.h"
#include "routing/nue/escape.h"

namespace weft::nue {

/// Number of pairs of a source and a target without a shortest path under up*/down*. Up is toward
/// the front of the sequence of `escape`. A source counts by its weight.
std::uint64_t detours(const Arcs& arcs, const Escape& escape, std::span<const std::uint32_t> weight,
                      std::span<const std::uint32_t> targets);

struct Start {
  Escape escape;
  std::uint64_t detours = 0;
};

/// The tree of breadth_first() from the first of `roots`. If up*/down* on this tree has detours:
/// the tree with the fewest detours among this tree and the trees of densest_first() from the first
/// roots. The result is equal for any number of threads.
Start best_start(const Arcs& arcs, std::span<const std::uint32_t> weight,
                 std::span<const std::uint32_t> targets, std::span<const std::uint32_t> roots,
                 unsigned threads, const Rng& rng);

}  // namespace weft::nue
