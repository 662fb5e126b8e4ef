// Where the search for an order starts: of many escape trees the one that up*/down* detours least
// over. What a tree is worth differs more than the search makes good later, and to know it is
// cheap: all destinations at once, a bit for each.
#pragma once

#include <cstdint>
#include <span>

#include "base/rng.h"
#include "routing/nue/arcs.h"
#include "routing/nue/escape.h"

namespace weft::nue {

/// Pairs of a source and a target that have no shortest path if arcs up, toward the front of the
/// sequence, may not follow arcs down. A source counts by its weight.
std::uint64_t detours(const Arcs& arcs, const Escape& escape, std::span<const std::uint32_t> weight,
                      std::span<const std::uint32_t> targets);

struct Start {
  Escape escape;
  std::uint64_t detours = 0;
};

/// Nearest first from the first of `roots`; where that takes detours, the best of it and of some
/// trees grown densest first from one root after another. Equal for any number of threads.
Start best_start(const Arcs& arcs, std::span<const std::uint32_t> weight,
                 std::span<const std::uint32_t> targets, std::span<const std::uint32_t> roots,
                 unsigned threads, const Rng& rng);

}  // namespace weft::nue
