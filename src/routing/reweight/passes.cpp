// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/passes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/parallel.h"

namespace weft::reweight {
namespace {

// Number of groups that change at the same time, each computed as if the other groups were
// unchanged. This number is small so that the sum of the changes does not overload other channels.
constexpr std::size_t kBlock = 8;
constexpr std::size_t kBlocksLeast = 16;
// Stops after kPatience passes in which the largest load decreased by less than the part 1 /
// kLeastGain. With lanes, which forbid many moves, stops after kPatience + 1 such passes.
constexpr unsigned kPatience = 2;
constexpr std::uint64_t kLeastGain = 256;

/// One group's new trees, computed from the state before its block.
struct Change {
  bool any = false;
  std::vector<std::uint8_t> steps;                            // steps of the group's trees
  std::vector<std::pair<std::uint32_t, std::uint64_t>> load;  // arcs and growth, modulo 2^64
  std::vector<PairLanes::Mask> row;  // by switch: lanes of its path; only with lanes
};

class Passes {
 public:
  Passes(Forest& forest, const CandidateStore& store, std::vector<std::uint64_t> load,
         unsigned threads, PairLanes* lanes)
      : forest_(forest),
        store_(store),
        load_(std::move(load)),
        threads_(threads),
        lanes_(lanes),
        turn_loads_(forest.arcs),
        scratch_(kBlock) {
    const std::size_t groups = forest.groups.size();
    block_ = std::clamp<std::size_t>(groups / kBlocksLeast, 1, kBlock);
    for (auto& scratch : scratch_) scratch.emplace(forest.arcs, turn_loads_, lanes);
    HopDag dag;
    for (const Forest::Group& group : forest.groups) count_turns(group, false, dag);
  }

  std::span<const std::uint64_t> load() const { return load_; }

  /// Runs one pass over all groups. Returns false if no next hop changed.
  bool run(unsigned least_gain) {
    const std::size_t groups = forest_.groups.size();
    const std::size_t blocks = (groups + block_ - 1) / block_;
    bool any = false;
    // A block has groups with distant numbers, since destinations with near numbers use the same
    // channels.
    for (std::size_t b = 0; b < blocks; ++b) {
      std::size_t members = 0;
      for (std::size_t g = b; g < groups; g += blocks) scratch_[members++]->group = g;
      const Potential potential(std::max<std::uint64_t>(1, std::ranges::max(load_)));
      parallel_for(members, threads_,
                   [&](std::size_t i) { reroute(potential, least_gain, *scratch_[i]); });
      for (std::size_t i = 0; i < members; ++i) any = merge(*scratch_[i]) || any;
    }
    return any;
  }

 private:
  struct Scratch {
    Scratch(const Arcs& arcs, const TurnLoads& turns, const PairLanes* lanes) : moves(arcs, turns) {
      if (lanes != nullptr) tree_lanes.emplace(*lanes);
    }
    std::size_t group = 0;
    HopDag dag;
    TreeMoves moves;
    std::optional<TreeLanes> tree_lanes;
    std::vector<std::uint64_t> load;
    Change change;
  };

  void reroute(const Potential& potential, unsigned least_gain, Scratch& scratch) const {
    const Forest::Group& group = forest_.groups[scratch.group];
    const HopDag& dag = store_.of(scratch.group, scratch.dag);
    scratch.load = load_;
    Change& change = scratch.change;
    change.any = false;
    const auto before = std::as_const(forest_).trees(group);
    change.steps.assign(before.begin(), before.end());
    for (std::uint32_t t = group.begin; t < group.end; ++t) {
      if (!forest_.may_change(t)) continue;
      const Tree tree = forest_.part_of(change.steps, t - group.begin);
      if (scratch.tree_lanes) scratch.tree_lanes->begin(dag, tree);
      const bool moved = scratch.moves.improve(
          dag, potential, forest_.weights[t], least_gain, tree, scratch.load,
          [&](std::uint32_t sw, std::uint32_t arc) {
            return (!scratch.tree_lanes || scratch.tree_lanes->may_move(sw, arc)) &&
                   keeps_neighbors(group, change.steps, t, sw, arc);
          },
          [&](std::uint32_t sw) {
            if (scratch.tree_lanes) scratch.tree_lanes->moved(sw);
          });
      change.any = change.any || moved;
    }
    change.load.clear();
    if (!change.any) return;
    for (std::uint32_t a = 0; a < load_.size(); ++a)
      if (scratch.load[a] != load_[a]) change.load.emplace_back(a, scratch.load[a] - load_[a]);
    if (scratch.tree_lanes)
      change.row.assign(scratch.tree_lanes->row().begin(), scratch.tree_lanes->row().end());
  }

  /// Whether the paths to the LIDs of the tree's port still leave the switch over as many neighbors
  /// if this tree uses the arc. `steps` are the steps of the group's trees.
  bool keeps_neighbors(const Forest::Group& group, std::span<std::uint8_t> steps, std::uint32_t t,
                       std::uint32_t sw, std::uint32_t arc) const {
    const auto next = [&](std::uint32_t tree) {
      const auto of_tree = forest_.part_of(steps, tree - group.begin);
      return of_tree[sw] == kNoStep ? kNoStep
                                    : forest_.arcs.head[arc_of(forest_.arcs, of_tree, sw)];
    };
    const std::uint32_t own = next(t);
    const std::uint32_t to = forest_.arcs.head[arc];
    if (to == own) return true;
    const std::uint32_t first = forest_.first_sibling(t);
    bool is_new = true;
    for (std::uint32_t other = first; other < group.end && forest_.first_sibling(other) == first;
         ++other) {
      if (other == t) continue;
      if (next(other) == own) return true;
      is_new = is_new && next(other) != to;
    }
    return is_new;
  }

  /// Adds the flows of the group's trees that may change to turn_loads_, or subtracts them if
  /// `taken_away`.
  void count_turns(const Forest::Group& group, bool taken_away, HopDag& scratch) {
    const auto index = static_cast<std::size_t>(&group - forest_.groups.data());
    const HopDag& dag = store_.of(index, scratch);
    for (std::uint32_t t = group.begin; t < group.end; ++t) {
      if (!forest_.may_change(t)) continue;
      const auto tree = std::as_const(forest_).tree(t);
      if (taken_away)
        turn_loads_.subtract(dag, tree, forest_.weights[t]);
      else
        turn_loads_.add(dag, tree, forest_.weights[t]);
    }
  }

  /// Applies a change. With lanes, drops a change that leaves a pair without a common lane after
  /// earlier changes of its block. Returns true if the change was applied.
  bool merge(Scratch& scratch) {
    const Change& change = scratch.change;
    if (!change.any) return false;
    const Forest::Group& group = forest_.groups[scratch.group];
    if (lanes_ != nullptr) {
      if (!lanes_->fits(group.destination.value(), change.row)) return false;
      lanes_->set_row(group.destination.value(), change.row);
    }
    count_turns(group, true, scratch.dag);
    std::ranges::copy(change.steps, forest_.tree(group.begin).begin());
    count_turns(group, false, scratch.dag);
    for (const auto& [arc, growth] : change.load) load_[arc] += growth;
    return true;
  }

  Forest& forest_;
  const CandidateStore& store_;
  std::vector<std::uint64_t> load_;  // by arc
  const unsigned threads_;
  PairLanes* lanes_;
  TurnLoads turn_loads_;
  std::size_t block_ = 1;
  std::vector<std::optional<Scratch>> scratch_;
};

/// Fills the lanes of all pairs from the trees, one for each group.
void fill(PairLanes& lanes, const Forest& forest, const CandidateStore& store) {
  HopDag scratch;
  for (std::size_t g = 0; g < forest.groups.size(); ++g) {
    const HopDag& dag = store.of(g, scratch);
    lanes.set_row(forest.groups[g].destination.value(), lanes.masks(dag, forest.tree(g)));
  }
}

}  // namespace

Outcome run_passes(Forest& forest, const Candidates& candidates, unsigned passes, unsigned threads,
                   PairLanes* lanes) {
  Outcome outcome;
  if (passes == 0 || forest.groups.empty()) return outcome;
  const CandidateStore store(forest, candidates, threads);
  auto load = loads(forest, store, lanes != nullptr, threads);
  if (!load || load->empty()) return outcome;
  if (lanes != nullptr) fill(*lanes, forest, store);
  outcome.before = outcome.after = measure(*load);
  Passes state(forest, store, std::move(*load),
               threads_worth(forest.steps.size() / forest.groups.size() * kBlock, threads), lanes);
  std::vector<std::uint8_t> best = forest.steps;
  const unsigned patience = kPatience + (lanes != nullptr ? 1 : 0);
  for (const unsigned least_gain : forest.least_gains) {
    unsigned idle = 0;
    while (outcome.passes < passes && idle < patience && !is_even(state.load())) {
      ++outcome.passes;
      if (!state.run(least_gain)) break;
      const Measure now = measure(state.load());
      ++idle;
      if (now < outcome.after) {
        if (outcome.after.largest - now.largest > now.largest / kLeastGain) idle = 0;
        outcome.after = now;
        best = forest.steps;
      }
    }
  }
  forest.steps = std::move(best);
  if (lanes != nullptr) fill(*lanes, forest, store);
  return outcome;
}

}  // namespace weft::reweight
