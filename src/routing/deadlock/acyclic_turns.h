// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A channel dependency graph that is kept acyclic while paths are added and removed: one lane of an
// engine such as dfsssp or lash. The channels have a topological order. A turn that agrees with the
// order needs no search. For another turn, only the channels between its two ends in the order are
// searched. Source: Pearce and Kelly, A dynamic topological sort algorithm for directed acyclic
// graphs, ACM Journal of Experimental Algorithmics 11, 2006.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/deadlock/turns.h"

namespace weft {

class AcyclicTurns {
 public:
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

  /// After searches have visited `search_limit` channels in total, the order is fixed, and turns
  /// that contradict the order are rejected without a search.
  explicit AcyclicTurns(const Turns& turns, std::uint64_t search_limit = kNoLimit);
  /// Begins with acyclic turns, none of which may be removed. `order`: held.order().
  /// Cost: O(channels + turns).
  AcyclicTurns(const Turns& turns, const TurnSet& held, std::span<const std::uint32_t> order);
  AcyclicTurns(const Turns& turns, const TurnSet& held) : AcyclicTurns(turns, held, held.order()) {}

  /// Begins with an order of the channels. `place`: position by channel.
  AcyclicTurns(const Turns& turns, std::vector<std::uint32_t> place,
               std::uint64_t search_limit = kNoLimit);

  /// Adds all turns of a path, which is given by its channels. Returns false, without added turns,
  /// if a turn would close a cycle or contradicts the order after it is fixed.
  bool add_path(std::span<const std::uint32_t> channels);
  /// Removes a path that was added before. A turn stays while other paths use it.
  void remove_path(std::span<const std::uint32_t> channels);

  /// Like add_path() and remove_path(), for a single turn.
  bool add(std::uint32_t in, std::uint32_t out);
  void remove(std::uint32_t in, std::uint32_t out);
  bool has(std::uint32_t in, std::uint32_t out) const { return out_.has(in, out); }
  /// Whether there is a turn to `out`.
  bool has_any_to(std::uint32_t out) const { return in_.has_any(turns_->reverse(out)); }

  /// Number of searches for a cycle, and of searches that found one.
  std::uint64_t searches() const { return searches_; }
  std::uint64_t refusals() const { return refusals_; }

  /// Position of a channel in the maintained order.
  std::uint32_t place(std::uint32_t channel) const { return place_[channel]; }

 private:
  bool restore_order(std::uint32_t in, std::uint32_t out);
  bool search_forward(std::uint32_t from, std::uint32_t target);
  void search_backward(std::uint32_t from, std::uint32_t lowest);
  void reorder();

  const Turns* turns_;
  std::uint64_t visits_left_;
  std::uint64_t searches_ = 0;
  std::uint64_t refusals_ = 0;
  std::vector<std::uint32_t> count_;   // number of paths by turn
  TurnSet out_;                        // turns by the held channel
  TurnSet in_;                         // the same turns in reverse: from the reverse of the
                                       // requested channel to the reverse of the held channel
  std::vector<std::uint32_t> place_;   // by channel
  std::vector<std::uint8_t> seen_;     // by channel; all 0 between calls
  std::vector<std::uint32_t> ahead_;   // channels that follow the end of the new turn
  std::vector<std::uint32_t> behind_;  // channels that precede the start of the new turn
  std::vector<std::uint32_t> stack_;
  // An element has the position of a channel in the upper half and the channel in the lower half.
  std::vector<std::uint64_t> sorted_behind_;
  std::vector<std::uint64_t> sorted_ahead_;
  std::vector<std::uint64_t> places_;
};

}  // namespace weft
