// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Evaluates an order of arcs by the paths to some destinations that the order allows: counts pairs
// with a detour, loads, and the turns that paths use or that are missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/nue/arcs.h"
#include "routing/nue/demand.h"
#include "routing/nue/order.h"

namespace weft::nue {

/// What a trial counts in addition to pairs: nothing; the turns of all shortest paths; loads; or
/// loads and the turns that paths use or that are missing.
enum class Measure { kNothing, kShortest, kLoads, kUsed };

struct Trial {
  std::uint64_t pairs = 0;          // pairs of endports in demand
  std::uint64_t detoured = 0;       // pairs with a detour; 0 with Measure::kShortest
  bool full = true;                 // the order allows every shortest path; kNothing only
  TurnWeights turn_weights;         // empty if not counted
  std::vector<std::uint64_t> load;  // by arc, for Measure::kLoads and Measure::kUsed
};

class Trials {
 public:
  /// `weight` is by switch, the send and receive weight of its endports. Only pairs in demand
  /// count.
  Trials(const Arcs& arcs, std::span<const std::uint32_t> weight,
         std::vector<std::uint32_t> destinations, unsigned threads, const Demand& demand = {});

  /// Evaluates every `stride`-th destination. The result is equal for any number of threads.
  Trial run(const Ranking& ranking, Measure measure, std::size_t stride = 1) const;

  /// A measure of uneven loads and detours: the sum of the squares of channel loads, increased in
  /// proportion to the pairs with a detour. The trial must have counted loads.
  double cost(const Trial& trial) const;

  std::span<const std::uint32_t> weight() const { return weight_; }
  std::span<const std::uint32_t> destinations() const { return destinations_; }
  unsigned threads() const { return threads_; }

 private:
  void evaluate(const Ranking& ranking, Measure measure,
                std::span<const std::uint32_t> destinations, Trial& trial) const;
  Trial sum(std::span<const Trial> parts, Measure measure) const;

  const Arcs& arcs_;
  std::span<const std::uint32_t> weight_;
  std::vector<std::uint32_t> destinations_;
  unsigned threads_;
  Demand demand_;
};

}  // namespace weft::nue
