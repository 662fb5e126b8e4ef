// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/layers.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "routing/deadlock/layered_pairs.h"
#include "routing/deadlock/layers.h"
#include "routing/reweight/exact_passes.h"
#include "routing/reweight/pair_lanes.h"
#include "routing/reweight/parameter.h"
#include "routing/tables/destinations.h"

namespace weft::reweight {
namespace {

constexpr std::size_t kPorts = 256;
// After each kPassesPerOrder passes, new orders of the layers are computed from their current
// paths.
constexpr unsigned kPassesPerOrder = 4;
// Stops after kIdleOrders orders without a smaller largest load.
constexpr unsigned kIdleOrders = 3;
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

/// The turns of one layer, by pair of consecutive trunks.
class LayerTurns {
 public:
  explicit LayerTurns(const Trunks& trunks) : trunks_(trunks) {
    begin_.push_back(0);
    for (std::uint32_t t = 0; t < trunks.count(); ++t)
      begin_.push_back(begin_.back() + trunks.degree(trunks.head[t]));
    has_.assign(begin_.back(), false);
  }

  void add(std::uint32_t in, std::uint32_t out) {
    has_[begin_[in] + (out - trunks_.begin[trunks_.head[in]])] = true;
  }

  /// By trunk: its place in an order in which all turns ascend; empty if the turns have a cycle.
  /// Each trunk is placed as early as the turns allow; ties are in the order of trunk numbers.
  std::vector<std::uint32_t> places() const {
    std::vector<std::uint32_t> waiting(trunks_.count(), 0);
    for (std::uint32_t t = 0; t < trunks_.count(); ++t)
      each_out(t, [&](std::uint32_t out) { ++waiting[out]; });
    std::vector<std::uint32_t> order;
    for (std::uint32_t t = 0; t < trunks_.count(); ++t)
      if (waiting[t] == 0) order.push_back(t);
    std::vector<std::uint32_t> place(trunks_.count());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      each_out(order[i], [&](std::uint32_t out) {
        if (--waiting[out] == 0) order.push_back(out);
      });
    }
    if (order.size() < trunks_.count()) place.clear();
    return place;
  }

 private:
  template <class Body>
  void each_out(std::uint32_t in, const Body& body) const {
    for (std::uint32_t i = begin_[in]; i < begin_[in + 1]; ++i)
      if (has_[i]) body(trunks_.begin[trunks_.head[in]] + (i - begin_[in]));
  }

  const Trunks& trunks_;
  std::vector<std::uint32_t> begin_;  // by trunk, plus the end
  std::vector<bool> has_;
};

class Layers {
 public:
  Layers(const Fabric& fabric, const Trunks& trunks, Forest& forest, PairLayers& layers,
         unsigned threads)
      : fabric_(fabric), trunks_(trunks), forest_(forest), layers_(layers), threads_(threads) {}

  /// Runs passes on orders of the layers, which are fast, and then, on small fabrics, exact passes,
  /// which find more moves.
  Outcome run(unsigned passes) {
    const auto candidates = shortest_over(trunks_);
    Outcome outcome;
    const bool is_small =
        forest_.groups.size() * std::size_t{fabric_.switch_count()} <= kExactEntriesMax;
    if (!run_on_orders(candidates, is_small ? (passes + 1) / 2 : passes, outcome)) return {};
    if (!is_small) return outcome;
    const Turns turns(fabric_);
    const Outcome exact = run_exact_passes(turns, trunks_, candidates, passes - outcome.passes,
                                           threads_, forest_, layers_);
    if (outcome.passes == 0) outcome.before = exact.before;
    outcome.passes += exact.passes;
    outcome.after = exact.after;
    if (exact.passes > 0) distribute_anew(candidates);
    return outcome;
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
  /// Runs passes on orders of the layers, and adds their outcome to `sum`. Returns false if the
  /// layers have cycles.
  bool run_on_orders(const Candidates& candidates, unsigned passes, Outcome& sum) {
    unsigned idle = 0;
    while (sum.passes < passes && idle < kIdleOrders) {
      auto places = this->places();
      if (!places) return false;
      PairLanes lanes(forest_.arcs, std::move(*places));
      const Outcome one = run_passes(
          forest_, candidates, std::min(kPassesPerOrder, passes - sum.passes), threads_, &lanes);
      if (one.passes == 0) break;
      if (sum.passes == 0) sum.before = one.before;
      sum.passes += one.passes;
      sum.after = one.after;
      distribute(lanes);
      idle = one.after.largest < one.before.largest ? 0 : idle + 1;
    }
    return true;
  }

  /// Distributes the pairs over the layers on which their paths close no cycle.
  void distribute_anew(const Candidates& candidates) {
    auto places = this->places();
    CHECK(places);
    PairLanes lanes(forest_.arcs, std::move(*places));
    HopDag dag;
    for (std::size_t g = 0; g < forest_.groups.size(); ++g) {
      candidates(forest_.groups[g].destination, dag);
      lanes.set_row(forest_.groups[g].destination.value(),
                    lanes.masks(dag, std::as_const(forest_).tree(g)));
    }
    distribute(lanes);
  }

  bool exchange(std::uint32_t a, std::uint32_t b) const {
    return forest_.arcs.hosts[a] > 0 || forest_.arcs.hosts[b] > 0;
  }

  /// Places of trunks by layer; empty if some layer has a cycle.
  std::optional<std::vector<std::vector<std::uint32_t>>> places() const {
    std::vector<LayerTurns> turns(layers_.count, LayerTurns(trunks_));
    const std::size_t switches = fabric_.switch_count();
    for (std::size_t g = 0; g < forest_.groups.size(); ++g) {
      const std::uint32_t to = forest_.groups[g].destination.value();
      const auto tree = std::as_const(forest_).tree(g);
      for (std::uint32_t s = 0; s < switches; ++s) {
        if (s == to || tree[s] == kNoStep || !exchange(s, to)) continue;
        LayerTurns& layer =
            turns[layers_.of_pair[std::max<std::size_t>(to, s) * switches + std::min(to, s)]];
        std::uint32_t in = arc_of(forest_.arcs, tree, s);
        while (trunks_.head[in] != to) {
          const std::uint32_t out = arc_of(forest_.arcs, tree, trunks_.head[in]);
          layer.add(in, out);
          in = out;
        }
      }
    }
    std::vector<std::vector<std::uint32_t>> result;
    for (const LayerTurns& layer : turns) {
      result.push_back(layer.places());
      if (result.back().empty() && trunks_.count() > 0) return std::nullopt;
    }
    return result;
  }

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
  const Trunks& trunks_;
  Forest& forest_;
  PairLayers& layers_;
  const unsigned threads_;
};

}  // namespace

Outcome reweigh_layers(const Fabric& fabric, unsigned reweight, unsigned threads,
                       PairLayers& layers) {
  const unsigned passes = passes_for(reweight, fabric.switch_count(), fabric.switch_count());
  if (passes == 0) return {};
  const Trunks trunks(fabric);
  auto forest = build_forest(fabric, trunks, layers.lfts);
  if (!forest) return {};
  if (reweight == kReweightFewMoves) forest->least_gains = {kFewMoves};
  PairLayers changed{{}, layers.count, layers.of_pair};
  Layers work(fabric, trunks, *forest, changed, threads);
  const Outcome outcome = work.run(passes);
  if (!(outcome.after < outcome.before)) return outcome;
  changed.lfts = tables_of_trunks(fabric, trunks, work.next(), threads);
  layers = std::move(changed);
  return outcome;
}

}  // namespace weft::reweight
