// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/forest.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/parallel.h"

namespace weft::reweight {
namespace {

constexpr std::size_t kBytesKept = std::size_t{128} << 20;
constexpr std::size_t kGroupsPerTask = 4;

/// Computes the flows of all hosts along a tree of any paths. Flows that do not reach the
/// destination are left out.
template <class Body>
void each_flow_anywhere(const Arcs& arcs, std::uint32_t destination,
                        std::span<const std::uint8_t> tree, std::uint64_t weight,
                        const Body& body) {
  std::vector<std::uint32_t> path;
  for (std::uint32_t s = 0; s < arcs.switches(); ++s) {
    if (arcs.hosts[s] == 0) continue;
    path.clear();
    std::uint32_t at = s;
    while (at != destination && tree[at] != kNoStep && path.size() < arcs.switches()) {
      path.push_back(arc_of(arcs, tree, at));
      at = arcs.head[path.back()];
    }
    if (at != destination) continue;
    for (const std::uint32_t arc : path) body(arc, arcs.hosts[s] * weight);
  }
}

Measure::Wide sum_of(std::span<const std::uint64_t> load) {
  Measure::Wide sum = 0;
  for (const std::uint64_t one : load) sum += one;
  return sum;
}

/// Upper bound of the size: each cable is a candidate in at most one direction.
std::size_t bytes_of_candidates(const Forest& forest) {
  const std::size_t one = forest.arcs.switches() * sizeof(HopDag::Member) +
                          forest.arcs.count() / 2 * 2 * sizeof(std::uint32_t);
  return one * forest.groups.size();
}

}  // namespace

Candidates shortest_over(const Trunks& trunks) {
  return [&trunks](SwitchId to, HopDag& dag) {
    std::vector<std::uint16_t> hops(trunks.begin.size() - 1, HopDag::kUnreached);
    std::vector<std::uint32_t> queue{to.value()};
    hops[to.value()] = 0;
    dag.start(to);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::uint32_t at = queue[i];
      for (std::uint32_t t = trunks.begin[at]; t < trunks.begin[at + 1]; ++t) {
        if (hops[trunks.head[t]] != HopDag::kUnreached) continue;
        hops[trunks.head[t]] = static_cast<std::uint16_t>(hops[at] + 1);
        queue.push_back(trunks.head[t]);
      }
      if (at == to.value()) continue;
      dag.add_switch(at, hops[at]);
      dag.add_next_hops(trunks.begin[at], trunks.begin[at + 1], trunks.head,
                        [&](std::uint32_t, std::uint32_t over) { return hops[over] < hops[at]; });
    }
    dag.finish();
  };
}

CandidateStore::CandidateStore(const Forest& forest, Candidates make, unsigned threads)
    : forest_(forest), make_(std::move(make)) {
  if (bytes_of_candidates(forest) > kBytesKept) return;
  kept_.resize(forest.groups.size());
  threads = threads_worth(std::uint64_t{kept_.size()} * forest.arcs.count(), threads);
  parallel_blocks(kept_.size(), kGroupsPerTask, threads, [&](std::size_t begin, std::size_t end) {
    HopDag dag;
    for (std::size_t g = begin; g < end; ++g) {
      make_(forest_.groups[g].destination, dag);
      kept_[g] = dag.finished();
    }
  });
}

const HopDag& CandidateStore::of(std::size_t group, HopDag& scratch) const {
  if (!kept_.empty()) return kept_[group];
  make_(forest_.groups[group].destination, scratch);
  return scratch;
}

std::optional<std::vector<std::uint64_t>> loads(Forest& forest, const CandidateStore& store,
                                                bool all_follow, unsigned threads) {
  std::vector<std::atomic<std::uint64_t>> sum(forest.arcs.count());
  std::atomic<bool> fits = true;
  std::vector<std::uint8_t> strays(forest.weights.size(), 0);
  const auto add = [&](std::uint32_t arc, std::uint64_t flows) {
    sum[arc].fetch_add(flows * forest.arcs.time[arc], std::memory_order_relaxed);
  };
  threads = threads_worth(forest.steps.size(), threads);
  parallel_blocks(
      forest.groups.size(), kGroupsPerTask, threads, [&](std::size_t begin, std::size_t end) {
        HopDag scratch;
        std::vector<std::uint64_t> flows;
        for (std::size_t g = begin; g < end; ++g) {
          const HopDag& dag = store.of(g, scratch);
          for (std::uint32_t t = forest.groups[g].begin; t < forest.groups[g].end; ++t) {
            const auto tree = std::as_const(forest).tree(t);
            strays[t] = follows(forest.arcs, dag, tree) ? 0 : 1;
            if (dag.depth() > Potential::kHopsMost || (strays[t] != 0 && all_follow)) {
              fits = false;
              return;
            }
            if (strays[t] == 0)
              each_flow(forest.arcs, dag, tree, forest.weights[t], flows, add);
            else
              each_flow_anywhere(forest.arcs, dag.destination().value(), tree, forest.weights[t],
                                 add);
          }
        }
      });
  if (!fits) return std::nullopt;
  if (std::ranges::find(strays, 1) != strays.end()) {
    forest.fixed.resize(strays.size(), false);
    for (std::size_t t = 0; t < strays.size(); ++t)
      if (strays[t] != 0) forest.fixed[t] = true;
  }
  std::vector<std::uint64_t> load(sum.size());
  for (std::size_t a = 0; a < sum.size(); ++a) load[a] = sum[a].load();
  return load;
}

Measure measure(std::span<const std::uint64_t> load) {
  Measure result;
  for (const std::uint64_t one : load) {
    result.largest = std::max(result.largest, one);
    const Measure::Wide flows = one >> 12;  // so that the sum fits in 128 bits
    result.squares += flows * flows;
  }
  return result;
}

bool is_even(std::span<const std::uint64_t> load) {
  return std::ranges::max(load) * Measure::Wide{load.size()} <
         sum_of(load) + kFlowTime * load.size();
}

bool is_nearly_even(std::span<const std::uint64_t> load) {
  return is_even(load) ||
         std::ranges::max(load) * Measure::Wide{load.size()} <= sum_of(load) * 109 / 100;
}

}  // namespace weft::reweight
