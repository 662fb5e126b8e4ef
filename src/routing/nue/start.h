// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Starting point of the search for an order: of many escape trees the one with the fewest detours
// under up*/down*. Trees differ by more than the search can improve later, and evaluating one is
// cheap: all destinations at once, a bit for each.
#pragma once

#include <cstdint>
#include <span>

#include "base/rng.h"
#include "routing/nue/arcs.h"
#include "routing/nue/escape.h"

namespace weft::nue {

/// Pairs of a source and a target without a shortest path if up arcs, toward the front of the
/// sequence, may not follow down arcs. A source counts by its weight.
std::uint64_t detours(const Arcs& arcs, const Escape& escape, std::span<const std::uint32_t> weight,
                      std::span<const std::uint32_t> targets);

struct Start {
  Escape escape;
  std::uint64_t detours = 0;
};

/// Breadth first from the first of `roots`; if that has detours, the best of it and of some trees
/// grown densest first from one root after another. Equal for any number of threads.
Start best_start(const Arcs& arcs, std::span<const std::uint32_t> weight,
                 std::span<const std::uint32_t> targets, std::span<const std::uint32_t> roots,
                 unsigned threads, const Rng& rng);

}  // namespace weft::nue
