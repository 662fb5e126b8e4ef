// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Measures the congestion simulator in routes per second, with the pattern bisect, which has half
// as many messages as hosts. For comparison: the time of a route if each hop searches for the
// destination's name in the comments of a graph, as in ORCS. Also measures the bounds of the
// bandwidth of permutations. The network is a three-level fat tree routed by ftree.
#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <string_view>

#include "base/check.h"
#include "congestion/permutation_bound.h"
#include "congestion/simulate.h"
#include "routing/ftree/ftree.h"
#include "subnets.h"

namespace weft {
namespace {

const RoutedNetwork& routed_tree(std::int64_t hosts) {
  static const std::map<std::int64_t, std::string> kSpecs{
      {16, "fattree3:k=4"}, {1024, "fattree3:k=16"}, {11664, "fattree3:k=36"}};
  static std::map<std::int64_t, RoutedNetwork> known;
  const auto [at, fresh] = known.try_emplace(hosts);
  if (!fresh) return at->second;
  const Fabric fabric = subnet_of(kSpecs.at(hosts));
  const auto routes = route_ftree(fabric, {});
  CHECK(routes.has_value());
  auto network = network_of(fabric, routes->lfts);
  CHECK(network.has_value());
  return at->second = std::move(*network);
}

Study study_of(const RoutedNetwork& network, const std::string& pattern) {
  StudySpec spec;
  spec.pattern.name = pattern;
  auto study = make_study(network, spec);
  CHECK(study.has_value());
  return std::move(*study);
}

/// Measures complete runs: mapping, walks, weights and sums.
void bm_runs(benchmark::State& state) {
  const RoutedNetwork& network = routed_tree(state.range(0));
  const Study study = study_of(network, "bisect");
  const auto threads = static_cast<unsigned>(state.range(1));
  const auto runs = static_cast<std::uint64_t>(state.range(2));
  std::uint64_t routes = 0;
  std::uint64_t uncongested = 0;
  for (auto _ : state) {
    const Tally tally = run_simulation(network, study, 0, runs, {.threads = threads});
    routes += tally.connections;
    uncongested = tally.weights.at(1).connections;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(routes));
  state.counters["digest"] = static_cast<double>(uncongested);  // equal for any number of threads
}

/// The graph of ORCS: the ordered edges of each node, each with its comment.
class CommentedGraph {
 public:
  explicit CommentedGraph(const RoutedNetwork& network)
      : network_(network), edges_(network.node_count()) {}

  /// Makes the comments of the nodes of one route; the comments of all nodes of the largest tree
  /// need gigabytes.
  void prepare(std::uint32_t from, std::uint32_t to) {
    std::vector<std::uint32_t> route;
    CHECK(network_.walk(from, to, 0, route).end == NetWalkEnd::kArrived);
    for (const std::uint32_t channel : route) add_comments(network_.channel(channel).from);
  }

  std::size_t walk(std::uint32_t from, std::uint32_t to) const {
    const std::string& goal = network_.node(network_.node_of_host(to)).name;
    std::size_t hops = 0;
    for (std::uint32_t at = network_.node_of_host(from); network_.node(at).name != goal; ++hops)
      at = next(at, goal);
    return hops;
  }

 private:
  struct Edge {
    std::uint32_t head;
    std::string comment;
  };

  void add_comments(std::uint32_t node) {
    if (!edges_[node].empty()) return;
    for (const NetChannel& channel : network_.channels_from(node))
      edges_[node].push_back({channel.to, {}});
    if (network_.is_host(node)) {
      edges_[node][0].comment = "*";
      return;
    }
    for (std::uint32_t host = 0; host < network_.host_count(); ++host) {
      const std::uint32_t channel = network_.next(node, host);
      std::string& comment = edges_[node][channel - network_.first_channel(node)].comment;
      if (!comment.empty()) comment += ", ";
      comment += network_.node(network_.node_of_host(host)).name;
    }
  }

  std::uint32_t next(std::uint32_t node, std::string_view goal) const {
    for (const Edge& edge : edges_[node])
      if (edge.comment == "*" || lists(edge.comment, goal)) return edge.head;
    CHECK(false);
    return node;
  }

  static bool lists(std::string_view comment, std::string_view goal) {
    constexpr std::string_view kBetween = ", \t\n";
    while (true) {
      comment.remove_prefix(std::min(comment.size(), comment.find_first_not_of(kBetween)));
      if (comment.empty()) return false;
      const std::string_view word = comment.substr(0, comment.find_first_of(kBetween));
      if (word == goal) return true;
      comment.remove_prefix(word.size());
    }
  }

  const RoutedNetwork& network_;
  std::vector<std::vector<Edge>> edges_;
};

void bm_walk_by_names(benchmark::State& state) {
  const RoutedNetwork& network = routed_tree(state.range(0));
  CommentedGraph graph(network);
  Rng rng(1);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (int i = 0; i < 64; ++i) {
    pairs.emplace_back(rng.below(network.host_count()), rng.below(network.host_count()));
    graph.prepare(pairs.back().first, pairs.back().second);
  }
  std::size_t i = 0;
  for (auto _ : state) {
    const auto& [from, to] = pairs[i++ % pairs.size()];
    benchmark::DoNotOptimize(graph.walk(from, to));
  }
  state.SetItemsProcessed(state.iterations());
}

void bm_permutation_bounds(benchmark::State& state) {
  const RoutedNetwork& network = routed_tree(state.range(0));
  const Study study = study_of(network, "null");
  for (auto _ : state)
    benchmark::DoNotOptimize(permutation_bounds(network, study.hosts, 1).back().flows);
}

BENCHMARK(bm_runs)
    ->ArgNames({"hosts", "threads", "runs"})
    ->Args({16, 1, 1000})
    ->Args({1024, 1, 1000})
    ->Args({11664, 1, 1000})
    ->Args({11664, 2, 1000})
    ->Args({11664, 8, 1000})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(bm_walk_by_names)->ArgName("hosts")->Arg(16)->Arg(1024)->Arg(11664);
BENCHMARK(bm_permutation_bounds)
    ->ArgName("hosts")
    ->Arg(16)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weft
