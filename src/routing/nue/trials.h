// What an order of arcs is worth, seen by growing the ways to some destinations over it: pairs that
// take a detour, loads, and which turns were used and lacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/nue/arcs.h"
#include "routing/nue/demand.h"
#include "routing/nue/order.h"

namespace weft::nue {

/// What a trial counts beside pairs: nothing; the turns of all shortest paths; loads; loads, and
/// the turns that are used and lacked.
enum class Want { kNothing, kShortest, kLoads, kUsed };

struct Trial {
  std::uint64_t pairs = 0;          // of endports
  std::uint64_t detoured = 0;       // of these have a path longer than the shortest
  bool full = true;                 // every shortest path may be used
  TurnWeights wanted;               // where any were counted
  std::vector<std::uint64_t> load;  // by arc, for Want::kLoads and Want::kUsed
};

class Trials {
 public:
  /// `weight` is by switch, what endports there send and are sent. Only pairs in demand count.
  Trials(const Arcs& arcs, std::span<const std::uint32_t> weight,
         std::vector<std::uint32_t> destinations, unsigned threads, const Demand& demand = {});

  /// Of every `stride`-th destination. Equal for any number of threads.
  Trial run(const Ranking& ranking, Want want, std::size_t stride = 1) const;

  /// Where loads were counted. Uneven loads and detours: the sum of the squares of what channels
  /// carry, and more in proportion to the pairs that take a detour.
  double cost(const Trial& trial) const;

  std::span<const std::uint32_t> weight() const { return weight_; }
  std::span<const std::uint32_t> destinations() const { return destinations_; }
  unsigned threads() const { return threads_; }

 private:
  void look(const Ranking& ranking, Want want, std::span<const std::uint32_t> destinations,
            Trial& trial) const;
  Trial sum(std::span<const Trial> parts, Want want) const;

  const Arcs& arcs_;
  std::span<const std::uint32_t> weight_;
  std::vector<std::uint32_t> destinations_;
  unsigned threads_;
  Demand demand_;
};

}  // namespace weft::nue
