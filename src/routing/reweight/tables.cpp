// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/tables.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "fabric/aggregation.h"
#include "routing/reweight/parameter.h"
#include "routing/shapes/shortest_dag.h"

namespace weft::reweight {
namespace {

/// A forest and the LID of each tree.
struct LidForest {
  Forest forest;
  std::vector<Lid> lids;
};

/// Node weights as flows from each host. Their sums over all hosts must fit 64 bits.
class NodeWeights {
 public:
  explicit NodeWeights(std::span<const std::uint32_t> weights)
      : weights_(weights), most_(weights.empty() ? 1 : std::max(1u, std::ranges::max(weights))) {}
  std::uint32_t of(EndportId id) const {
    if (weights_.empty()) return 1;
    const std::uint64_t weight = weights_[id.value()];
    return static_cast<std::uint32_t>(most_ <= kMost ? weight
                                                     : (weight * kMost + most_ / 2) / most_);
  }

 private:
  static constexpr std::uint32_t kMost = 10'000;

  std::span<const std::uint32_t> weights_;
  std::uint32_t most_;
};

/// Forest with groups by destination, without the steps of its trees.
LidForest build_lid_forest(const Fabric& fabric, std::span<const Destination> order,
                           const WeightedOptions& options, LidsMoved moved) {
  LidForest built;
  Forest& forest = built.forest;
  const NodeWeights scale(options.node_weights);
  forest.arcs = channels_as_arcs(fabric, options.ignored);
  for (const Destination& destination : order) {
    Forest::Group group{destination.sw, static_cast<std::uint32_t>(built.lids.size()), 0};
    for (const EndportId id : destination.endports) {
      const Endport& endport = fabric.endport(id);
      if (fabric.is_switch(endport.node) || std::ranges::binary_search(options.ignored, id) ||
          is_aggregation_node(fabric.node(endport.node)))
        continue;
      const bool scattered =
          options.scatter_ports != 0 && !std::ranges::binary_search(options.not_scattered, id);
      const auto first = static_cast<std::uint32_t>(built.lids.size());
      const unsigned lids = std::min(lid_count(endport), moved == LidsMoved::kFirst ? 1 : ~0u);
      for (unsigned offset = 0; offset < lids; ++offset) {
        built.lids.push_back(lid_at(endport, offset));
        forest.fixed.push_back(scattered);
        forest.first_of_port.push_back(first);
        forest.weights.push_back(scale.of(id));
      }
    }
    group.end = static_cast<std::uint32_t>(built.lids.size());
    if (group.end > group.begin) forest.groups.push_back(group);
  }
  return built;
}

void read_steps(const Fabric& fabric, const Lfts& lfts, unsigned threads, LidForest& built) {
  const std::size_t switches = fabric.switch_count();
  built.forest.steps.assign(built.lids.size() * switches, kNoStep);
  parallel_for(switches, threads_worth(built.forest.steps.size(), threads), [&](std::size_t s) {
    const SwitchId sw(static_cast<std::uint32_t>(s));
    const std::uint32_t first = fabric.first_channel(sw).value();
    for (std::size_t t = 0; t < built.lids.size(); ++t) {
      const ChannelId channel = fabric.channel_at(sw, lfts.port(sw, built.lids[t]));
      if (channel != kNoChannel)
        built.forest.steps[t * switches + s] = static_cast<std::uint8_t>(channel.value() - first);
    }
  });
}

void write_steps(const Fabric& fabric, const LidForest& built, unsigned threads, Lfts& lfts) {
  const std::size_t switches = fabric.switch_count();
  parallel_for(switches, threads_worth(built.forest.steps.size(), threads), [&](std::size_t s) {
    const SwitchId sw(static_cast<std::uint32_t>(s));
    const std::uint32_t first = fabric.first_channel(sw).value();
    for (std::size_t t = 0; t < built.lids.size(); ++t) {
      const std::uint8_t step = built.forest.steps[t * switches + s];
      if (built.forest.may_change(t) && step != kNoStep)
        lfts.set(sw, built.lids[t], fabric.channel(ChannelId(first + step)).from_port);
    }
  });
}

}  // namespace

Outcome reweigh_tables(const Fabric& fabric, std::span<const Destination> order,
                       const Candidates& candidates, const WeightedOptions& options,
                       unsigned reweight, Lfts& lfts, Begin begin, LidsMoved moved) {
  if (reweight == 0 || options.balance == Balance::kLocal) return {};
  LidForest built = build_lid_forest(fabric, order, options, moved);
  const unsigned passes = passes_for(reweight, built.lids.size(), fabric.switch_count());
  if (passes == 0) return {};
  const bool few = options.previous != nullptr || begin == Begin::kPattern;
  built.forest.least_gains =
      few ? std::vector<unsigned>{kFewMoves} : std::vector<unsigned>{kFewMoves, 0};
  read_steps(fabric, lfts, options.threads, built);
  const CandidateStore store(built.forest, candidates, options.threads);
  const Outcome outcome = run_passes(built.forest, store, reweight, passes, options.threads);
  if (outcome.after < outcome.before) write_steps(fabric, built, options.threads, lfts);
  return outcome;
}

Measure measure_tables(const Fabric& fabric, const Lfts& lfts, unsigned threads) {
  LidForest built = build_lid_forest(fabric, destinations(fabric), {}, LidsMoved::kAll);
  read_steps(fabric, lfts, threads, built);
  const auto heads = channel_heads(fabric);
  const CandidateStore store(
      built.forest, [&](SwitchId to, HopDag& dag) { make_shortest_dag(fabric, heads, to, dag); },
      threads);
  const auto load = loads(built.forest, store, false, threads);
  return load ? measure(*load) : Measure{};
}

}  // namespace weft::reweight
