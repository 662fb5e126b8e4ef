// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paths and layers of all pairs of switches, with both directions of a pair on one layer. Paths are
// selected pair by pair, nearest first, so that they agree with an order of the switches
// (switch_orders.h), and then balanced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/deadlock/acyclic_turns.h"
#include "routing/deadlock/layered_pairs.h"
#include "routing/deadlock/pair_distances.h"
#include "routing/deadlock/switch_orders.h"
#include "routing/deadlock/turns.h"
#include "routing/shapes/trunks.h"

namespace weft::layering {

using Mask = SwitchOrders::Mask;

/// A path between two switches, or a candidate for such a path.
struct Path {
  std::uint32_t trunk = LayeredPairs::kNoTrunk;  // first trunk of the path
  std::uint32_t cables_hash = 0;                 // hash of the cables; equal for the reverse path
  Mask agree = 0;                                // orders that agree with all turns of the path
};

/// The data of a trunk that the search reads. The members are adjacent, so that a read needs few
/// cache lines.
struct TrunkUse {
  std::uint64_t load = 0;
  std::uint64_t time = 0;  // time to send one flow
  std::uint32_t head = 0;
  std::uint32_t cables_hash = 0;  // of a path with only this trunk
  Mask up = 0;                    // SwitchOrders::up
};

struct Candidate {
  Path path;
  std::uint64_t cost = 0;
};

struct BothDirections {
  std::uint64_t cost = 0;
  std::uint32_t there = 0;
  std::uint32_t back = 0;
};

/// All arguments must outlive this object.
class Layering {
 public:
  /// Each layer has an order, except the last `free` layers, where each added path is checked for
  /// cycles.
  Layering(const Fabric& fabric, const Turns& turns, const Trunks& trunks,
           const Distances& distances, const SwitchOrders& orders, unsigned layers, unsigned free,
           bool prefers_first_orders);

  /// Selects all paths. Returns false if a pair fits on no layer.
  bool run();
  /// Moves paths from heavily loaded trunks to other trunks. Pairs that agree with an order still
  /// agree with an order; the paths of other pairs do not change.
  void balance();
  LayeredPairs take(unsigned threads);

 private:
  std::size_t at(std::uint32_t from, std::uint32_t to) const {
    return std::size_t{to} * switches_ + from;
  }
  /// A path of one trunk, which has no turn.
  Path single_trunk(std::uint32_t trunk) const {
    return {trunk, uses_.data()[trunk].cables_hash, static_cast<Mask>((1u << first_free_) - 1)};
  }
  /// Orders that agree with a turn: as SwitchOrders::agree().
  Mask agree(std::uint32_t in, std::uint32_t out) const {
    return static_cast<Mask>(uses_.data()[in].up | ~uses_.data()[out].up);
  }
  void prefetch(std::uint32_t from, std::uint32_t to) const;
  void find_candidates(std::uint32_t from, std::uint32_t to, std::uint64_t flows,
                       std::vector<Candidate>& candidates) const;
  bool choose(Pair pair);
  bool choose_in_order(Pair pair);
  bool choose_on_free_layer(Pair pair);
  void choose_freely(Pair pair);
  void balance_toward(std::uint32_t to);
  bool keeps_orders(std::uint32_t from, std::uint32_t to, const Path& path) const;
  void move(std::uint32_t from, std::uint32_t to, const Path& path);
  void settle(Pair pair, const Path& there, const Path& back);
  void trace(std::uint32_t trunk, std::uint32_t to, std::vector<std::uint32_t>& channels) const;
  void add_flows(std::uint32_t from, std::uint32_t to, std::uint64_t flows);
  std::vector<std::uint32_t> extend(unsigned layer) const;
  bool ascends(std::uint32_t from, std::uint32_t to, std::span<const std::uint32_t> place) const;
  std::vector<Mask> choices(unsigned threads) const;
  std::uint32_t lead(std::uint32_t trunk) const { return trunks_.channels_of(trunk).front(); }
  bool has_no_hosts(Pair pair) const { return hosts_[pair.a] == 0 && hosts_[pair.b] == 0; }

  const Trunks& trunks_;
  const Distances& distances_;
  const SwitchOrders& orders_;
  const std::uint32_t switches_;
  const unsigned layers_;
  const unsigned first_free_;
  const bool prefers_first_orders_;   // prefer paths of the first orders to cheaper paths
  std::vector<Path> path_;            // row by destination
  std::vector<TrunkUse> uses_;        // by trunk
  std::vector<std::uint32_t> hosts_;  // by switch
  std::vector<AcyclicTurns> free_;    // turns of the layers from first_free_ on
  // The current tree: by switch, the switches with this switch as next hop, and the flows through
  // this switch.
  std::vector<std::vector<std::uint32_t>> behind_;
  std::vector<std::uint64_t> flows_;
  std::vector<std::uint32_t> near_first_;
  // The current pair.
  std::vector<Candidate> there_;
  std::vector<Candidate> back_;
  std::vector<BothDirections> both_;
  std::vector<std::uint32_t> channels_there_;
  std::vector<std::uint32_t> channels_back_;
};

}  // namespace weft::layering
