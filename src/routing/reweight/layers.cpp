// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/layers.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "routing/deadlock/layered_pairs.h"
#include "routing/deadlock/layers.h"
#include "routing/reweight/exact_passes.h"
#include "routing/reweight/forest_bound.h"
#include "routing/reweight/lane_turns.h"
#include "routing/reweight/pair_lanes.h"
#include "routing/reweight/parameter.h"
#include "routing/reweight/tree_passes.h"
#include "routing/tables/destinations.h"

namespace weft::reweight {
namespace {

constexpr std::size_t kPorts = 256;
constexpr std::size_t kTreesPerTask = 16;
// Stops after kIdleOrders passes on orders, or kIdlePasses exact passes, without a smaller largest
// load.
constexpr unsigned kIdleOrders = 3;
constexpr unsigned kIdlePasses = 3;
// Passes end when the largest load is at most this part of its bound, in percent.
constexpr unsigned kNearBound = 102;
// Passes on orders before exact passes. A further pass on orders gains less than an exact pass.
constexpr unsigned kOrdersFirst = 4;
// Limit of destinations times switches, above which exact passes would take seconds.
constexpr std::size_t kExactEntriesMax = 100'000;

std::vector<std::uint32_t> trunks_by_port(const Fabric& fabric, const Trunks& trunks) {
  std::vector<std::uint32_t> result(fabric.switch_count() * kPorts, LayeredPairs::kNoTrunk);
  for (std::uint32_t t = 0; t < trunks.count(); ++t)
    for (const std::uint32_t c : trunks.channels_of(t))
      result[trunks.tail[t] * kPorts + fabric.channel(ChannelId(c)).from_port.value()] = t;
  return result;
}

/// The trees of the tables, one toward each switch with LIDs; empty if LIDs behind one switch
/// use different trunks.
std::optional<Forest> build_forest(const Fabric& fabric, const Trunks& trunks, const Lfts& lfts) {
  Forest forest;
  forest.doublings = kFlatDoublings;
  forest.arcs = trunks_as_arcs(fabric, trunks);
  const auto trunk_at = trunks_by_port(fabric, trunks);
  for (const Destination& destination : destinations(fabric)) {
    const auto tree = static_cast<std::uint32_t>(forest.groups.size());
    forest.groups.push_back({destination.sw, tree, tree + 1});
    std::uint32_t hosts = 0;
    std::vector<std::uint8_t> steps(fabric.switch_count(), kNoStep);
    bool first = true;
    for (const EndportId id : destination.endports) {
      const Endport& endport = fabric.endport(id);
      if (!fabric.is_switch(endport.node)) hosts += lid_count(endport);
      for (unsigned offset = 0; offset < lid_count(endport); ++offset, first = false)
        for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
          if (SwitchId(s) == destination.sw) continue;
          const std::uint32_t trunk =
              trunk_at[s * kPorts + lfts.port(SwitchId(s), lid_at(endport, offset)).value()];
          const auto step = trunk == LayeredPairs::kNoTrunk
                                ? kNoStep
                                : static_cast<std::uint8_t>(trunk - trunks.begin[s]);
          if (first) steps[s] = step;
          if (steps[s] != step) return std::nullopt;
        }
    }
    forest.weights.push_back(hosts);
    forest.steps.insert(forest.steps.end(), steps.begin(), steps.end());
  }
  return forest;
}

class LayerPasses {
 public:
  LayerPasses(const Fabric& fabric, const Trunks& trunks, Forest& forest, PairLayers& layers,
              unsigned reweight, unsigned threads)
      : fabric_(fabric),
        reweight_(reweight),
        trunks_(trunks),
        forest_(forest),
        layers_(layers),
        threads_(threads),
        candidates_(forest, shortest_over(trunks), threads),
        bound_(forest, candidates_, threads),
        turns_(forest.arcs) {}

  /// Runs passes on orders of the layers, which are fast, and then, on small fabrics, exact passes,
  /// which find more moves.
  Outcome run(unsigned passes) {
    auto load = loads(forest_, candidates_, true, threads_);
    if (!load || load->empty() || forest_.groups.empty()) return {};
    outcome_.before = outcome_.after = measure(*load);
    best_ = {forest_.steps, layers_.of_pair};
    const bool is_small =
        forest_.groups.size() * std::size_t{fabric_.switch_count()} <= kExactEntriesMax;
    if (is_near_bound(*load)) return {};
    std::optional<TreePasses> trees;
    trees.emplace(forest_, candidates_, *load, threads_);
    if (!run_on_orders(*trees, is_small ? std::min((passes + 1) / 2, kOrdersFirst) : passes))
      return {};
    if (is_small && outcome_.after == outcome_.before) {
      forest_.steps = best_.steps;
      layers_.of_pair = best_.of_pair;
      trees.emplace(forest_, candidates_, std::move(*load), threads_);
    }
    if (is_small) run_exactly(*trees, passes);
    forest_.steps = std::move(best_.steps);
    layers_.of_pair = std::move(best_.of_pair);
    if (is_small) distribute_anew();
    return outcome_;
  }

  std::vector<std::uint32_t> next() const {
    const std::size_t switches = fabric_.switch_count();
    std::vector<std::uint32_t> next(switches * switches, LayeredPairs::kNoTrunk);
    for (std::size_t g = 0; g < forest_.groups.size(); ++g)
      for (std::uint32_t s = 0; s < switches; ++s)
        if (forest_.tree(g)[s] != kNoStep)
          next[forest_.groups[g].destination.value() * switches + s] =
              arc_of(forest_.arcs, forest_.tree(g), s);
    return next;
  }

 private:
  struct State {
    std::vector<std::uint8_t> steps;
    std::vector<std::uint8_t> of_pair;
  };

  /// Whether further passes would take more time than their small gain justifies.
  bool is_near_bound(std::span<const std::uint64_t> load) {
    return is_nearly_even(load) || bound_.is_near(load, kNearBound);
  }

  void mark_crowded(ArcCosts& costs) const {
    if (reweight_ == kReweightAuto)
      costs.set_crowded(crowded_load(forest_.arcs, bound_.value(), costs.load()));
  }

  /// Runs passes, each on a new order of each layer. If the first pass gains nothing, other orders
  /// rarely gain more, as on tori with paths in dimension order. Returns false if the layers have
  /// cycles.
  bool run_on_orders(TreePasses& trees, unsigned passes) {
    const Measure start = outcome_.after;
    for (unsigned idle = 0;
         outcome_.passes < passes && idle < kIdleOrders && !is_near_bound(trees.costs().load());) {
      auto lanes = ordered_lanes();
      if (!lanes) return false;
      ++outcome_.passes;
      mark_crowded(trees.costs());
      if (!trees.run(0, &*lanes)) break;
      distribute(*lanes);
      idle = keep_if_better(trees) ? 0 : idle + 1;
      if (outcome_.after == start) break;
    }
    return true;
  }

  void run_exactly(TreePasses& trees, unsigned passes) {
    const Turns turns(fabric_);
    LayerGraphs graphs(turns, trunks_, forest_, layers_);
    const auto places = this->places();
    if (!places || !graphs.fill(*places)) return;
    ExactPasses exact(forest_, candidates_, trees.costs(), trees.turn_loads(), graphs);
    for (unsigned idle = 0;
         outcome_.passes < passes && idle < kIdlePasses && !is_near_bound(trees.costs().load());
         ++outcome_.passes) {
      mark_crowded(trees.costs());
      if (!exact.run()) break;
      idle = keep_if_better(trees) ? 0 : idle + 1;
    }
  }

  /// Distributes the pairs again, because exact passes fill the layers unevenly. If some layer
  /// has a cycle, all pairs stay on their layers.
  void distribute_anew() {
    if (const auto lanes = ordered_lanes()) distribute(*lanes);
  }

  /// Returns true if the largest load is smaller than ever before.
  bool keep_if_better(TreePasses& trees) {
    const Measure now = measure(trees.costs().load());
    if (!(now < outcome_.after)) return false;
    const bool smaller = now.largest < outcome_.after.largest;
    outcome_.after = now;
    best_ = {forest_.steps, layers_.of_pair};
    return smaller;
  }

  bool exchange(std::uint32_t a, std::uint32_t b) const {
    return forest_.arcs.hosts[a] > 0 || forest_.arcs.hosts[b] > 0;
  }

  /// Places of trunks by layer; empty if some layer has a cycle.
  std::optional<std::vector<std::vector<std::uint32_t>>> places() {
    LaneTurns turns(forest_.arcs, turns_);
    const std::size_t switches = fabric_.switch_count();
    std::vector<PairLanes::Mask> lane(switches);
    HopDag scratch;
    for (std::size_t g = 0; g < forest_.groups.size(); ++g) {
      const std::uint32_t to = forest_.groups[g].destination.value();
      for (std::uint32_t s = 0; s < switches; ++s)
        lane[s] = static_cast<PairLanes::Mask>(
            exchange(s, to)
                ? 1u << layers_.of_pair[std::max<std::size_t>(to, s) * switches + std::min(to, s)]
                : 0);
      turns.add(candidates_.of(g, scratch), std::as_const(forest_).tree(g), lane);
    }
    ++seed_;
    std::vector<std::vector<std::uint32_t>> result(layers_.count);
    parallel_for(layers_.count, threads_worth(turns_.count() * 4, threads_),
                 [&](std::size_t layer) {
                   result[layer] = turns.places(static_cast<unsigned>(layer), seed_);
                 });
    for (const auto& layer : result)
      if (layer.empty()) return std::nullopt;
    return result;
  }

  /// The lanes of all pairs on new orders of the layers; empty if some layer has a cycle.
  std::optional<PairLanes> ordered_lanes() {
    const auto places = this->places();
    if (!places) return std::nullopt;
    std::optional<PairLanes> lanes(std::in_place, forest_.arcs, turns_, *places);
    parallel_blocks(forest_.groups.size(), kTreesPerTask,
                    threads_worth(forest_.steps.size(), threads_),
                    [&](std::size_t begin, std::size_t end) {
                      HopDag scratch;
                      for (std::size_t g = begin; g < end; ++g)
                        lanes->read(candidates_.of(g, scratch), std::as_const(forest_).tree(g));
                    });
    return lanes;
  }

  /// Distributes the pairs over the layers on which their paths close no cycle.
  void distribute(const PairLanes& lanes) {
    const std::uint32_t switches = fabric_.switch_count();
    std::vector<std::uint16_t> choices(std::size_t{switches} * switches, 0);
    for (std::uint32_t b = 0; b < switches; ++b)
      for (std::uint32_t a = 0; a < b; ++a)
        if (exchange(a, b))
          choices[std::size_t{b} * switches + a] =
              static_cast<std::uint16_t>(lanes.of_path(a, b) & lanes.of_path(b, a));
    layers_.of_pair = distribute_layers(switches, layers_.count, choices);
  }

  const Fabric& fabric_;
  const unsigned reweight_;
  const Trunks& trunks_;
  Forest& forest_;
  PairLayers& layers_;
  const unsigned threads_;
  const CandidateStore candidates_;
  ForestBound bound_;
  const ArcTurns turns_;
  std::uint32_t seed_ = 0;
  Outcome outcome_;
  State best_;
};

}  // namespace

Outcome reweigh_layers(const Fabric& fabric, unsigned reweight, unsigned threads,
                       PairLayers& layers) {
  const unsigned passes = passes_for(reweight, fabric.switch_count(), fabric.switch_count());
  if (passes == 0) return {};
  const Trunks trunks(fabric);
  auto forest = build_forest(fabric, trunks, layers.lfts);
  if (!forest) return {};
  PairLayers changed{{}, layers.count, layers.of_pair};
  LayerPasses work(fabric, trunks, *forest, changed, reweight, threads);
  const Outcome outcome = work.run(passes);
  if (!(outcome.after < outcome.before)) return outcome;
  changed.lfts = tables_of_trunks(fabric, trunks, work.next(), threads);
  layers = std::move(changed);
  return outcome;
}

}  // namespace weft::reweight
