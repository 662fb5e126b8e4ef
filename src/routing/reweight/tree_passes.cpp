// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/tree_passes.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "routing/reweight/tree_moves.h"

namespace weft::reweight {
namespace {

// Largest number of groups of a block. The groups of a block change at the same time, each computed
// as if the other groups were unchanged. This number is small so that the sum of the changes does
// not overload other channels.
constexpr std::size_t kGroupsPerBlockMax = 8;
// Forests with few groups have smaller blocks, so that a pass has at least this many blocks, or one
// block for each group.
constexpr std::size_t kBlocksLeast = 16;

}  // namespace

/// One group's new trees, computed from the state before its block.
struct TreePasses::Change {
  bool any = false;
  std::vector<std::uint8_t> steps;                            // steps of the group's trees
  std::vector<std::pair<std::uint32_t, std::uint64_t>> load;  // arcs and growth, modulo 2^64
  std::vector<PairLanes::Mask> row;  // by switch: lanes of its path; only with lanes
};

struct TreePasses::Scratch {
  Scratch(const ArcCosts& all, const Arcs& arcs, const TurnLoads& turns)
      : moves(arcs, turns), tree_lanes(moves.senders()), costs(all) {}
  std::size_t group = 0;
  HopDag dag;
  TreeMoves moves;
  TreeLanes tree_lanes;
  ArcCosts costs;
  Change change;
};

TreePasses::TreePasses(Forest& forest, const CandidateStore& candidates,
                       std::vector<std::uint64_t> load, unsigned threads)
    : forest_(forest),
      store_(candidates),
      costs_(forest.arcs, forest.doublings, std::move(load)),
      threads_(
          threads_worth(forest.steps.size() / forest.groups.size() * kGroupsPerBlockMax, threads)),
      turn_loads_(forest.arcs) {
  const std::size_t groups = forest.groups.size();
  block_ = std::clamp<std::size_t>(groups / kBlocksLeast, 1, kGroupsPerBlockMax);
  for (std::size_t i = 0; i < block_; ++i)
    scratch_.push_back(std::make_unique<Scratch>(costs_, forest.arcs, turn_loads_));
  HopDag dag;
  for (const Forest::Group& group : forest.groups) count_turns(group, false, dag);
}

TreePasses::~TreePasses() = default;

bool TreePasses::run(unsigned least_gain, PairLanes* lanes) {
  const std::size_t groups = forest_.groups.size();
  const std::size_t blocks = (groups + block_ - 1) / block_;
  bool any = false;
  // A block has groups with distant numbers, since destinations with near numbers use the same
  // channels.
  for (std::size_t b = 0; b < blocks; ++b) {
    std::size_t members = 0;
    for (std::size_t g = b; g < groups; g += blocks) scratch_[members++]->group = g;
    costs_.measure();
    parallel_for(members, threads_,
                 [&](std::size_t i) { reroute(least_gain, lanes, *scratch_[i]); });
    for (std::size_t i = 0; i < members; ++i) any = merge(lanes, *scratch_[i]) || any;
  }
  return any;
}

void TreePasses::reroute(unsigned least_gain, const PairLanes* lanes, Scratch& scratch) const {
  const Forest::Group& group = forest_.groups[scratch.group];
  const HopDag& dag = store_.of(scratch.group, scratch.dag);
  scratch.costs = costs_;
  Change& change = scratch.change;
  change.any = false;
  const auto before = std::as_const(forest_).trees(group);
  change.steps.assign(before.begin(), before.end());
  for (std::uint32_t t = group.begin; t < group.end; ++t) {
    if (!forest_.may_change(t)) continue;
    const Tree tree = forest_.part_of(change.steps, t - group.begin);
    const bool moved = scratch.moves.improve(
        dag, forest_.weights[t], least_gain, tree, scratch.costs,
        [&] {
          if (lanes != nullptr) scratch.tree_lanes.begin(*lanes, group.destination.value(), tree);
        },
        [&](std::uint32_t sw, std::uint32_t arc) {
          return (lanes == nullptr || scratch.tree_lanes.may_move(sw, arc)) &&
                 keeps_neighbors(group, change.steps, t, sw, arc);
        },
        [&](std::uint32_t sw) {
          if (lanes != nullptr) scratch.tree_lanes.moved(sw);
        });
    change.any = change.any || moved;
  }
  change.load.clear();
  if (!change.any) return;
  for (std::uint32_t a = 0; a < forest_.arcs.count(); ++a)
    if (const std::uint64_t now = scratch.costs.load(a); now != costs_.load(a))
      change.load.emplace_back(a, now - costs_.load(a));
  if (lanes != nullptr)
    change.row.assign(scratch.tree_lanes.row().begin(), scratch.tree_lanes.row().end());
}

/// Whether the paths to the LIDs of the tree's port still leave the switch over as many neighbors
/// if this tree uses the arc. `steps` are the steps of the group's trees.
bool TreePasses::keeps_neighbors(const Forest::Group& group, std::span<std::uint8_t> steps,
                                 std::uint32_t t, std::uint32_t sw, std::uint32_t arc) const {
  const auto next = [&](std::uint32_t tree) {
    const auto of_tree = forest_.part_of(steps, tree - group.begin);
    return of_tree[sw] == kNoStep ? kNoSwitch.value()
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
/// `subtract`.
void TreePasses::count_turns(const Forest::Group& group, bool subtract, HopDag& scratch) {
  const auto index = static_cast<std::size_t>(&group - forest_.groups.data());
  const HopDag& dag = store_.of(index, scratch);
  for (std::uint32_t t = group.begin; t < group.end; ++t) {
    if (!forest_.may_change(t)) continue;
    const auto tree = std::as_const(forest_).tree(t);
    if (subtract)
      turn_loads_.subtract(dag, tree, forest_.weights[t]);
    else
      turn_loads_.add(dag, tree, forest_.weights[t]);
  }
}

/// Applies a change. With lanes, drops a change that leaves a pair without a common lane after
/// earlier changes of its block. Returns true if the change was applied.
bool TreePasses::merge(PairLanes* lanes, Scratch& scratch) {
  const Change& change = scratch.change;
  if (!change.any) return false;
  const Forest::Group& group = forest_.groups[scratch.group];
  if (lanes != nullptr) {
    if (!lanes->fits(group.destination.value(), change.row)) return false;
    lanes->set_row(group.destination.value(), change.row);
  }
  count_turns(group, true, scratch.dag);
  std::ranges::copy(change.steps, forest_.tree(group.begin).begin());
  count_turns(group, false, scratch.dag);
  for (const auto& [arc, growth] : change.load) {
    costs_.add(arc, growth);
    costs_.renew(arc);
  }
  return true;
}

}  // namespace weft::reweight
