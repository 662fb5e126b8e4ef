// A channel dependency graph that is kept free of cycles while paths come and go: what the lanes of
// dfsssp and lash are. It maintains a topological order of the channels; a turn that agrees with
// the order costs nothing, one that does not searches only between the places of its two ends.
// Source: Pearce and Kelly, A dynamic topological sort algorithm for directed acyclic graphs, ACM
// Journal of Experimental Algorithmics 11, 2006.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/shared/turns.h"

namespace weft {

class AcyclicTurns {
 public:
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

  /// Once searches have visited `search_limit` channels in all, the order stays as it is and turns
  /// that do not agree with it are refused without a search.
  explicit AcyclicTurns(const Turns& turns, std::uint64_t search_limit = kNoLimit);
  /// Begins with turns that make no cycle; none of them is to be removed. `order`: held.order().
  /// Cost: O(channels + turns).
  AcyclicTurns(const Turns& turns, const TurnSet& held, std::span<const std::uint32_t> order);
  AcyclicTurns(const Turns& turns, const TurnSet& held) : AcyclicTurns(turns, held, held.order()) {}

  /// Begins with an order of the channels, given by the place of each.
  AcyclicTurns(const Turns& turns, std::vector<std::uint32_t> place,
               std::uint64_t search_limit = kNoLimit);

  /// All turns of a path given by its channels. False where that would close a cycle; the graph is
  /// then as it was.
  bool add_path(std::span<const std::uint32_t> channels);
  /// A path that was added before. A turn stays for as long as other paths make it.
  void remove_path(std::span<const std::uint32_t> channels);

  /// The same for a single turn.
  bool add(std::uint32_t in, std::uint32_t out);
  void remove(std::uint32_t in, std::uint32_t out);
  bool has(std::uint32_t in, std::uint32_t out) const { return out_.has(in, out); }

  /// How often the order was searched, and how often in vain.
  std::uint64_t searches() const { return searches_; }
  std::uint64_t refusals() const { return refusals_; }

  /// How far from the front of the maintained order a channel is.
  std::uint32_t place(std::uint32_t channel) const { return place_[channel]; }

 private:
  bool make_room(std::uint32_t in, std::uint32_t out);
  bool search_forward(std::uint32_t from, std::uint32_t target);
  void search_backward(std::uint32_t from, std::uint32_t lowest);
  void reorder();

  const Turns* turns_;
  std::uint64_t visits_left_;
  std::uint64_t searches_ = 0;
  std::uint64_t refusals_ = 0;
  std::vector<std::uint32_t> count_;   // paths by turn
  TurnSet out_;                        // turns by the channel that is held
  TurnSet in_;                         // the same by the channel that is wanted: by its reverse,
                                       // to the reverse of the one that is held
  std::vector<std::uint32_t> place_;   // by channel
  std::vector<std::uint8_t> seen_;     // by channel; all 0 between calls
  std::vector<std::uint32_t> ahead_;   // reached from the new turn's end
  std::vector<std::uint32_t> behind_;  // from which its start is reached
  std::vector<std::uint32_t> stack_;
  // By place, which is in the upper half; the channel in the lower.
  std::vector<std::uint64_t> sorted_behind_;
  std::vector<std::uint64_t> sorted_ahead_;
  std::vector<std::uint64_t> places_;
};

}  // namespace weft
