// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compares LayerGraphs with a plain model. A move changes the next hop of a switch, and may move
// paths over this switch to other layers; the model searches the paths of a layer for a cycle.

#include "routing/reweight/layer_graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "support/fabric_of.h"

namespace weft::reweight {
namespace {

using SwitchPair = std::pair<std::uint32_t, std::uint32_t>;  // from and to

/// Trees toward the switches, and the layer of each path in use.
struct PlainLayers {
  const Trunks* trunks;
  std::map<std::uint32_t, std::vector<std::uint8_t>> steps;  // by destination, then by switch
  std::map<SwitchPair, unsigned> layer_of;
  /// By switch: the switches with this next hop in the current tree.
  std::vector<std::vector<std::uint32_t>> previous;

  std::vector<std::uint32_t> path(std::uint32_t from, std::uint32_t to) const {
    std::vector<std::uint32_t> taken;
    const auto tree = steps.find(to);
    if (tree == steps.end()) return taken;
    for (std::uint32_t at = from; at != to; at = trunks->head[taken.back()])
      taken.push_back(trunks->begin[at] + tree->second[at]);
    return taken;
  }

  bool has_cycle(unsigned layer) const {
    const std::uint32_t count = trunks->count();
    std::vector<bool> edges(std::size_t{count} * count, false);
    for (const auto& [ends, layer_of_path] : layer_of) {
      if (layer_of_path != layer) continue;
      const auto taken = path(ends.first, ends.second);
      for (std::size_t i = 0; i + 1 < taken.size(); ++i)
        edges[std::size_t{taken[i]} * count + taken[i + 1]] = true;
    }
    // Removes trunks without a predecessor, until no more can be removed; a cycle would remain.
    std::vector<bool> gone(count, false);
    for (bool removed = true; removed;) {
      removed = false;
      for (std::uint32_t t = 0; t < count; ++t) {
        bool is_skipped = gone[t];  // or a predecessor remains
        for (std::uint32_t from = 0; from < count && !is_skipped; ++from)
          is_skipped = !gone[from] && edges[std::size_t{from} * count + t];
        if (is_skipped) continue;
        gone[t] = removed = true;
      }
    }
    return std::ranges::find(gone, false) != gone.end();
  }

  void collect(std::uint32_t sw, std::vector<std::uint32_t>& sources) const {
    sources.push_back(sw);
    for (const std::uint32_t s : previous[sw]) collect(s, sources);
  }

  /// Assigns the paths of the pair, in both directions, to the layer. Returns false if the paths
  /// close a cycle.
  bool place(std::uint32_t a, std::uint32_t b, unsigned layer) {
    layer_of[{a, b}] = layer_of[{b, a}] = layer;
    return !has_cycle(layer);
  }

  bool move(std::uint32_t to, std::uint32_t sw, std::uint32_t trunk, unsigned layers) {
    const PlainLayers before = *this;
    std::vector<std::uint32_t> sources;
    collect(sw, sources);
    std::erase_if(sources, [&](std::uint32_t s) { return !layer_of.contains({s, to}); });
    for (const std::uint32_t s : sources) layer_of.erase({s, to});
    steps[to][sw] = static_cast<std::uint8_t>(trunk - trunks->begin[sw]);
    for (const std::uint32_t s : sources) {
      const unsigned own = before.layer_of.at({s, to});
      bool fits = place(s, to, own);
      for (unsigned layer = 0; layer < layers && !fits; ++layer)
        fits = layer != own && place(s, to, layer);
      if (fits) continue;
      *this = before;
      return false;
    }
    return true;
  }
};

/// A random fabric with random trees of shortest paths. Pairs in random order are assigned to the
/// first layer in which they close no cycle. Some switches have no hosts, and some of these
/// switches have no tree, as switches without LIDs in a part of a routing chain.
class RandomLayers {
 public:
  explicit RandomLayers(Rng& rng)
      : fabric_(fabric_of("random:n=" + std::to_string(7 + rng.below(5)) +
                          ",degree=4,hosts=1,seed=" + std::to_string(rng.below(1000)))),
        trunks_(fabric_),
        turns_(fabric_) {
    forest_.arcs = trunks_as_arcs(fabric_, trunks_);
    plain_.trunks = &trunks_;
    const Candidates candidates = shortest_over(trunks_);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      if (rng.below(4) == 0) forest_.arcs.hosts[s] = 0;
      if (forest_.arcs.hosts[s] == 0 && rng.below(2) == 0) continue;
      add_tree(s, candidates, rng);
    }
    assign_layers(rng);
    graphs_ = std::make_unique<LayerGraphs>(turns_, trunks_, forest_, layers_);
  }

  bool fill() { return graphs_->fill(); }

  void begin(std::size_t group) {
    group_ = group;
    graphs_->begin(group, dags_[group]);
    plain_.previous.assign(fabric_.switch_count(), {});
    for (const HopDag::Member& member : dags_[group].members())
      plain_.previous[head(member.sw)].push_back(member.sw);
  }

  /// Tries other next hops of a random switch one after the other. The last accepted next hop
  /// stays. Returns the number of refused next hops.
  unsigned try_random_moves(Rng& rng) {
    const HopDag& dag = dags_[group_];
    const auto& group = dag.groups()[rng.below(dag.groups().size())];
    const auto& member = dag.members()[group.begin + rng.below(group.end - group.begin)];
    const std::uint32_t before = head(member.sw);
    unsigned refused = 0;
    for (const std::uint32_t trunk : dag.channels(group, member)) {
      if (trunks_.head[trunk] == head(member.sw)) continue;
      const bool moved = plain_.move(destination(), member.sw, trunk, layers_.count);
      EXPECT_EQ(graphs_->move(member.sw, trunk), moved);
      refused += moved ? 0 : 1;
      expect_equal();
    }
    if (head(member.sw) == before) return refused;
    graphs_->moved(member.sw);
    std::erase(plain_.previous[before], member.sw);
    plain_.previous[head(member.sw)].push_back(member.sw);
    return refused;
  }

  std::size_t groups() const { return forest_.groups.size(); }

 private:
  std::uint32_t destination() const { return forest_.groups[group_].destination.value(); }
  std::uint32_t head(std::uint32_t sw) const {
    return trunks_.head[trunks_.begin[sw] + plain_.steps.at(destination())[sw]];
  }

  void add_tree(std::uint32_t to, const Candidates& candidates, Rng& rng) {
    HopDag dag;
    candidates(SwitchId(to), dag);
    std::vector<std::uint8_t> steps(fabric_.switch_count(), kNoStep);
    for (const HopDag::Group& group : dag.groups())
      for (std::uint32_t m = group.begin; m < group.end; ++m) {
        const auto channels = dag.channels(group, dag.members()[m]);
        const std::uint32_t sw = dag.members()[m].sw;
        steps[sw] =
            static_cast<std::uint8_t>(channels[rng.below(channels.size())] - trunks_.begin[sw]);
      }
    const auto tree = static_cast<std::uint32_t>(forest_.groups.size());
    forest_.groups.push_back({SwitchId(to), tree, tree + 1});
    forest_.weights.push_back(1);
    forest_.steps.insert(forest_.steps.end(), steps.begin(), steps.end());
    plain_.steps[to] = std::move(steps);
    dags_.push_back(dag.finished());
  }

  void assign_layers(Rng& rng) {
    const std::uint32_t switches = fabric_.switch_count();
    std::vector<SwitchPair> pairs;
    for (std::uint32_t b = 0; b < switches; ++b)
      for (std::uint32_t a = 0; a < b; ++a)
        if (forest_.arcs.hosts[a] > 0 || forest_.arcs.hosts[b] > 0) pairs.emplace_back(a, b);
    rng.shuffle(std::span(pairs));
    layers_.of_pair.assign(std::size_t{switches} * switches, 0);
    for (const auto& [a, b] : pairs) {
      unsigned layer = 0;
      while (!plain_.place(a, b, layer)) ++layer;
      layers_.of_pair[std::size_t{b} * switches + a] = static_cast<std::uint8_t>(layer);
      layers_.count = std::max(layers_.count, layer + 1);
    }
  }

  void expect_equal() const {
    for (std::size_t g = 0; g < forest_.groups.size(); ++g)
      EXPECT_TRUE(std::ranges::equal(forest_.tree(g),
                                     plain_.steps.at(forest_.groups[g].destination.value())));
    for (const auto& [ends, layer] : plain_.layer_of) {
      const auto [a, b] = std::minmax(ends.first, ends.second);
      EXPECT_EQ(layers_.of_pair[std::size_t{b} * fabric_.switch_count() + a], layer);
    }
    for (unsigned layer = 0; layer < layers_.count; ++layer) EXPECT_FALSE(plain_.has_cycle(layer));
  }

  Fabric fabric_;
  Trunks trunks_;
  Turns turns_;
  Forest forest_;
  PairLayers layers_;
  PlainLayers plain_{};
  std::vector<HopDag> dags_;  // by group
  std::unique_ptr<LayerGraphs> graphs_;
  std::size_t group_ = 0;
};

TEST(LayerGraphs, MovePathsAsASearchForCyclesPermits) {
  Rng rng(29);
  unsigned refused = 0;
  for (unsigned sample = 0; sample < 12; ++sample) {
    RandomLayers layers(rng);
    ASSERT_TRUE(layers.fill()) << sample;
    for (unsigned round = 0; round < 25; ++round) {
      layers.begin(rng.below(layers.groups()));
      for (unsigned i = 0; i < 3; ++i) refused += layers.try_random_moves(rng);
      ASSERT_FALSE(testing::Test::HasFailure()) << "sample " << sample << ", round " << round;
    }
  }
  EXPECT_GT(refused, 10u);
}

}  // namespace
}  // namespace weft::reweight
