// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/trials.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "routing/nue/distances.h"
#include "routing/nue/layer_paths.h"

namespace weft::nue {
namespace {

constexpr std::uint64_t kTrialFlowUnit = 4096;  // flow of a pair of endports, divisible into shares
constexpr std::uint64_t kArcSteps = 4;          // steps of an arc for each destination
constexpr double kDetourCost = 2;
constexpr std::uint64_t kLackWorth = 2;  // value of a missing turn relative to a used turn

bool counts_turns(Measure measure) {
  return measure == Measure::kShortest || measure == Measure::kUsed;
}

/// Divides flows up to 2^52 exactly by the number of next hops, by multiplication with reciprocals.
class Shares {
 public:
  explicit Shares(std::uint32_t most) : reciprocal_(most + std::size_t{1}) {
    for (std::uint32_t i = 1; i <= most; ++i) reciprocal_[i] = (std::uint64_t{1} << kShift) / i + 1;
  }
  std::uint64_t of(std::uint64_t flow, std::uint32_t count) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{flow} * reciprocal_.data()[count] >> kShift);
  }

 private:
  static constexpr unsigned kShift = 62;
  std::vector<std::uint64_t> reciprocal_;  // by number of next hops
};

/// Sums the weights of the turns that the paths to the destinations use, and of missing turns.
/// Reads its arrays without bounds checks, because it visits every arc for every destination.
class TurnCounter {
 public:
  /// `sent`, by source, may change between destinations.
  TurnCounter(const Arcs& arcs, std::span<const std::uint32_t> weight,
              std::span<const std::uint32_t> sent, Trial& trial)
      : arcs_(arcs),
        weight_(weight),
        sent_(sent),
        turns_(trial.turn_weights),
        load_(trial.load),
        shares_(arcs.degree_max()),
        flow_(arcs.switches),
        next_(arcs.switches) {}

  /// Adds the turns of all shortest paths.
  void add_shortest(const Distances& distances) {
    const auto near = distances.nearest_first;
    begin(near.front(), near);
    arcs_used_.resize(arcs_.count() + std::size_t{1});
    std::uint32_t* const used = arcs_used_.data();
    const std::uint32_t* const begin = arcs_.begin.data();
    const std::uint32_t* const head = arcs_.head.data();
    const std::uint32_t* const hops = distances.hops.data();
    NextArcs* const next = next_.data();
    std::uint32_t count = 0;
    for (const std::uint32_t sw : near) {
      const std::uint32_t first = count;
      const std::uint32_t here = hops[sw];
      const std::uint32_t end = begin[sw + 1];
      for (std::uint32_t a = begin[sw]; a < end; ++a) {
        used[count] = a;
        count += hops[head[a]] < here ? 1 : 0;
      }
      next[sw] = {used + first, count - first};
    }
    for (std::size_t i = near.size(); i-- > 1;) pass_on(near.data()[i]);
  }

  /// Adds the turns of the paths found, and the missing turns that would shorten detours.
  void add(const LayerPaths& paths, const Distances& distances) {
    begin(paths.destination(), distances.nearest_first);
    const std::uint32_t* const used = paths.arcs().data();
    const auto members = paths.members();
    for (const LayerPaths::Member& member : members)
      next_.data()[member.sw] = {used + member.begin, member.end - member.begin};
    const std::uint32_t* const hops = distances.hops.data();
    for (std::size_t i = members.size(); i-- > 0;) {
      const LayerPaths::Member& member = members.data()[i];
      pass_on(member.sw);
      if (!turns_.empty() && paths.hops(member.sw) > hops[member.sw])
        lack(paths, member.sw, hops[member.sw]);
    }
  }

 private:
  struct NextArcs {
    const std::uint32_t* first = nullptr;
    std::uint32_t count = 0;
  };

  void begin(std::uint32_t destination, std::span<const std::uint32_t> switches) {
    const std::uint64_t each = weight_[destination] * kTrialFlowUnit;
    const std::uint32_t* const sent = sent_.data();
    std::uint64_t* const flow = flow_.data();
    for (const std::uint32_t sw : switches) flow[sw] = sent[sw] * each;
    next_[destination] = {};
  }
  void pass_on(std::uint32_t sw) {
    // Local copies, so that stores to memory do not force the compiler to reload the pointers.
    const std::uint32_t* const head = arcs_.head.data();
    std::uint64_t* const flow = flow_.data();
    std::uint64_t* const load = load_.data();
    if (flow[sw] == 0) return;
    const bool counts_turns = !turns_.empty();
    const auto [arcs, count] = next_.data()[sw];
    const std::uint64_t share = shares_.of(flow[sw], count);
    for (std::uint32_t i = 0; i < count; ++i) {
      flow[head[arcs[i]]] += share;
      load[arcs[i]] += share;
      if (counts_turns) measure(arcs[i], share);
    }
  }
  void measure(std::uint32_t arc, std::uint64_t flow) {
    const std::uint32_t middle = arcs_.head.data()[arc];
    const auto [next, count] = next_.data()[middle];
    if (count == 0) return;
    const std::size_t row = arcs_.first_turn.data()[arc] - arcs_.begin.data()[middle];
    std::uint64_t* const turns = turns_.data();
    const std::uint64_t share = shares_.of(flow, count);
    for (std::uint32_t i = 0; i < count; ++i) turns[row + next[i]] += share;
  }
  void lack(const LayerPaths& paths, std::uint32_t sw, std::uint32_t shortest) {
    const std::uint32_t* const head = arcs_.head.data();
    const std::uint32_t begin = arcs_.begin[sw];
    const std::uint32_t end = arcs_.begin[sw + 1];
    std::uint32_t options = 0;
    const auto shorter = [&](std::uint32_t arc) { return paths.hops(head[arc]) + 1 == shortest; };
    for (std::uint32_t a = begin; a < end; ++a) options += shorter(a) ? 1 : 0;
    if (options == 0) return;
    const std::uint64_t share = shares_.of(flow_[sw] * kLackWorth, options);
    for (std::uint32_t a = begin; a < end; ++a)
      if (shorter(a)) measure(a, share);
  }

  const Arcs& arcs_;
  std::span<const std::uint32_t> weight_;
  std::span<const std::uint32_t> sent_;
  TurnWeights& turns_;
  std::vector<std::uint64_t>& load_;
  Shares shares_;
  std::vector<std::uint64_t> flow_;
  std::vector<std::uint32_t> arcs_used_;
  std::vector<NextArcs> next_;  // by switch
};

}  // namespace

Trials::Trials(const Arcs& arcs, std::span<const std::uint32_t> weight,
               std::vector<std::uint32_t> destinations, unsigned threads, const Demand& demand)
    : arcs_(arcs),
      weight_(weight),
      destinations_(std::move(destinations)),
      threads_(threads == 0 ? hardware_threads() : threads),
      demand_(demand) {}

Trial Trials::run(const Ranking& ranking, Measure measure, std::size_t stride) const {
  std::vector<std::uint32_t> some;
  for (std::size_t i = 0; i < destinations_.size(); i += stride) some.push_back(destinations_[i]);
  const unsigned threads = threads_worth(some.size() * arcs_.count() * kArcSteps, threads_);
  const std::size_t block = some.size() / threads + 1;
  std::vector<Trial> parts(some.size() / block + 1);
  parallel_blocks(some.size(), block, threads, [&](std::size_t begin, std::size_t end) {
    evaluate(ranking, measure, std::span(some).subspan(begin, end - begin), parts[begin / block]);
  });
  return sum(parts, measure);
}

void Trials::evaluate(const Ranking& ranking, Measure measure,
                      std::span<const std::uint32_t> destinations, Trial& trial) const {
  if (counts_turns(measure)) trial.turn_weights.assign(arcs_.turn_count(), 0);
  if (measure != Measure::kNothing) trial.load.assign(arcs_.count(), 0);
  LayerPaths paths(arcs_);
  std::vector<std::uint32_t> sent(weight_.begin(), weight_.end());  // by source
  TurnCounter turns(arcs_, weight_, sent, trial);
  DistanceSearch search(arcs_);
  std::uint64_t sources = std::accumulate(sent.begin(), sent.end(), std::uint64_t{0});
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    const std::uint32_t destination = destinations[i];
    const std::size_t nth = i % DistanceSearch::kAtOnce;
    if (nth == 0)
      search.run(
          destinations.subspan(i, std::min(DistanceSearch::kAtOnce, destinations.size() - i)));
    if (!demand_.is_all()) {
      for (std::uint32_t s = 0; s < arcs_.switches; ++s)
        sent[s] = demand_.has(arcs_.switches, destination, s) ? weight_[s] : 0;
      sources = std::accumulate(sent.begin(), sent.end(), std::uint64_t{0});
    }
    trial.pairs += sources * weight_[destination];
    const Distances distances = search.of(nth);
    if (measure == Measure::kShortest) {
      turns.add_shortest(distances);
      continue;
    }
    paths.grow(ranking, destination);
    trial.detoured += paths.detoured(distances.hops, sent) * weight_[destination];
    if (measure == Measure::kNothing)
      trial.full = trial.full && paths.arcs().size() == distances.shortest_arcs(arcs_);
    else
      turns.add(paths, distances);
  }
}

Trial Trials::sum(std::span<const Trial> parts, Measure measure) const {
  Trial result;
  if (counts_turns(measure)) result.turn_weights.assign(arcs_.turn_count(), 0);
  if (measure != Measure::kNothing) result.load.assign(arcs_.count(), 0);
  const auto add = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
  };
  for (const Trial& part : parts) {
    result.pairs += part.pairs;
    result.detoured += part.detoured;
    result.full = result.full && part.full;
    add(result.turn_weights, part.turn_weights);
    add(result.load, part.load);
  }
  return result;
}

double Trials::cost(const Trial& trial) const {
  double squares = 0;
  for (std::uint32_t a = 0; a < arcs_.count(); ++a) {
    const auto load = static_cast<double>(trial.load[a]);
    squares += load * load / static_cast<double>(arcs_.channels_of(a).size());
  }
  const auto pairs = static_cast<double>(std::max<std::uint64_t>(1, trial.pairs));
  return squares * (1 + kDetourCost * static_cast<double>(trial.detoured) / pairs);
}

}  // namespace weft::nue
