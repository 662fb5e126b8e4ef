// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The first order of the search: the escape tree, of many, with the fewest detours under up*/down*.
// Trees differ by more detours than the search can remove later. Evaluating a tree is cheap: one
// pass computes all destinations, with a bit for each.
#pragma once

#include <cstdint>
#include <span>

#include "base/rng.h"
#include "routing/nue/arcs.h"
#include "routing/nue/escape.h"

namespace weft::nue {

/// Pairs of a source and a target without a shortest path under up*/down*; up is toward the front
/// of the sequence. A source counts by its weight.
std::uint64_t detours(const Arcs& arcs, const Escape& escape, std::span<const std::uint32_t> weight,
                      std::span<const std::uint32_t> targets);

struct Start {
  Escape escape;
  std::uint64_t detours = 0;
};

/// The tree of breadth_first() from the first of `roots`; if up*/down* on it has detours, the best
/// of it and of trees by densest_first() from the next roots. Equal for any number of threads.
Start best_start(const Arcs& arcs, std::span<const std::uint32_t> weight,
                 std::span<const std::uint32_t> targets, std::span<const std::uint32_t> roots,
                 unsigned threads, const Rng& rng);

}  // namespace weft::nue
