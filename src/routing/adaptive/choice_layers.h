// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One deadlock-free layer (a virtual lane) for each pair of switches. At every switch, packets may
// use any of the next hops of ChoiceDags. The turns of all these paths, in both directions of the
// pair, form no cycle on the layer (Dally and Seitz, 1987); both directions use one layer, since a
// reply has the SL of its request. If the next hops have several tables, a pair uses the table of
// its layer. Pairs are processed by decreasing distance, because the remainders of their paths are
// paths of other pairs. Cost: O(pairs * layers * turns toward one destination), on one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "routing/adaptive/choice_dags.h"
#include "routing/deadlock/acyclic_turns.h"
#include "routing/deadlock/turns.h"
#include "routing/shapes/trunks.h"

namespace weft {

/// One path for each pair of switches, and its layer.
struct BasePaths {
  static constexpr std::uint32_t kNoTrunk = 0xFFFFFFFF;

  std::vector<std::uint32_t> trunk;  // row by destination: first trunk of the path
  /// Layers without cycles, by pair of switches, symmetric; empty: unknown.
  std::vector<std::uint8_t> layer;
};

class ChoiceLayers {
 public:
  /// `hosts`: by switch, the number of CA and router ports; switches without hosts send no packets
  /// to each other. All arguments must outlive this object.
  ChoiceLayers(const Turns& turns, const Trunks& trunks, std::span<const std::uint32_t> hosts,
               ChoiceDags& dags, unsigned layers_max);

  /// Assigns layers without the removal of a next hop. Returns false if this requires more layers;
  /// of_pair() is then invalid.
  bool settle_all();
  /// Assigns layers, and removes few of the next hops that would close a cycle, but none of the
  /// base paths. The turns of a base path are reserved on its layer until the pair has a layer.
  /// Returns false if a pair fits on no layer; this is impossible if the layers of the base paths
  /// are known.
  bool settle_with(const BasePaths& base);

  /// Layers in use, at least 1.
  unsigned count() const;
  /// Layer by pair of switches, symmetric.
  const std::vector<std::uint8_t>& of_pair() const { return of_pair_; }

 private:
  struct Pair {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
  };
  static constexpr std::uint8_t kRefusedMax = 4;
  /// The changes of a trial, for undo().
  struct Trial {
    unsigned layer = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> turns;    // pairs of trunks
    std::vector<std::size_t> reached;                              // indices set in reached_
    std::vector<std::pair<std::uint32_t, std::uint32_t>> dropped;  // destination and trunk
  };

  std::vector<Pair> farthest_first() const;
  void reset(unsigned layers);
  void settle(Pair pair, unsigned layer);
  std::optional<unsigned> best_layer(Pair pair, const BasePaths& base);
  bool try_all(Pair pair, unsigned layer);
  bool add_all(std::uint32_t from, std::uint32_t to);
  bool try_some(Pair pair, unsigned layer, const BasePaths& base);
  bool drop_cycles(std::uint32_t from, std::uint32_t to, const BasePaths& base);
  bool add_base(std::uint32_t sw, std::uint32_t to, const BasePaths& base);
  bool add_next_hop(std::uint32_t trunk, std::uint32_t to);
  void restore_unreached(std::uint32_t from, std::uint32_t to, std::size_t first_dropped);
  bool put(std::uint32_t in, std::uint32_t out);
  void drop(std::uint32_t to, std::uint32_t trunk);
  void undo_turns(std::size_t first);
  void undo();
  void begin_trial(unsigned layer);
  bool add_base_paths(const BasePaths& base);
  std::vector<std::uint32_t> base_path(std::uint32_t from, std::uint32_t to,
                                       const BasePaths& base) const;
  std::vector<std::uint32_t> reachable(std::uint32_t from, std::uint32_t to) const;

  std::size_t place(std::uint32_t from, std::uint32_t to) const {
    return std::size_t{to} * dags_.switches() + from;
  }
  bool is_reached(std::uint32_t from, std::uint32_t to) const {
    return (reached_[place(from, to)] >> trial_.layer & 1) != 0;
  }
  std::uint32_t lead(std::uint32_t trunk) const { return trunks_.channels_of(trunk).front(); }

  const Turns& turns_;
  const Trunks& trunks_;
  const std::span<const std::uint32_t> hosts_;
  ChoiceDags& dags_;
  const unsigned layers_max_;
  std::vector<AcyclicTurns> graphs_;  // by layer; a trunk is represented by its first channel
  std::vector<TurnSet> held_;         // by layer: turns of pairs that have a layer
  /// By layer and turn: how often the turn would have closed a cycle. The cycle may have contained
  /// turns of a trial that was undone, so the turn is tried again. The limit is kRefusedMax,
  /// because searches for cycles take most of the time.
  std::vector<std::vector<std::uint8_t>> refused_;
  std::vector<std::uint16_t> reached_;  // row by destination: layers with all turns of the paths
  std::vector<std::uint8_t> of_pair_;
  Trial trial_;
  std::vector<std::uint8_t> usable_;  // by switch, in drop_cycles()
};

}  // namespace weft
