// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/quality/load_bound.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "fabric/aggregation.h"

namespace weft {
namespace {

__extension__ using Wide = unsigned __int128;

// Limits of the channels visited by all steps, and of the steps.
constexpr std::uint64_t kVisitsMost = 40'000'000;
constexpr unsigned kStepsMost = 24;
constexpr unsigned kStepsMostAny = 32;  // for paths of any length, where steps are smaller
// Time of a visit by Dijkstra's algorithm relative to a visit by breadth-first search,
// approximately.
constexpr std::uint64_t kHeapFactor = 4;
constexpr unsigned kFlowBits = 8;  // flows are divided among next hops in units of 2^-8
constexpr double kFirstStep = 4;
constexpr double kFirstStepAny = 0.5;
constexpr double kStepFactor = 0.9;
// Part that the flows of earlier steps have in the flows from which the next lengths follow. The
// flows of one step use one of many sets of equally short paths.
constexpr double kEarlierFlows = 0.75;
// The search ends if no bound can be higher than the found one by more than this part.
constexpr double kGap = 0.001;
// After kStepsSure steps and this number of visits, the search ends at a bound below this part of
// the best one. Before, bounds often fall and rise again.
constexpr unsigned kStepsSure = 10;
constexpr std::uint64_t kVisitsFree = 500'000;
constexpr double kFarBelow = 0.95;
// Doublings of a length between load 0 and the largest load, for the starts that follow from loads.
constexpr std::array kLoadDoublings{10, 40};
constexpr std::uint32_t kUnreached = 0xFFFFFFFF;
constexpr std::size_t kDestinationsPerTask = 4;
// Limit of the memory for the paths of the fewest hops.
constexpr std::size_t kBytesKept = std::size_t{128} << 20;

/// The sum of the distances of all pairs, and the flows over each channel with all flows on
/// shortest paths.
struct Evaluation {
  Wide distance = 0;
  std::uint64_t pairs = 0;
  std::vector<std::uint64_t> flows;  // by channel, in units of 2^-kFlowBits
};

/// Distances to one switch after the other, over paths of any number of hops.
class DistancesByLength {
 public:
  DistancesByLength(const Fabric& fabric, std::span<const std::uint32_t> lengths)
      : fabric_(fabric), lengths_(lengths) {}

  void measure(SwitchId destination) {
    using Entry = std::pair<std::uint64_t, std::uint32_t>;
    length_.assign(fabric_.switch_count(), ~std::uint64_t{0});
    place_.assign(fabric_.switch_count(), kUnreached);
    order_.clear();
    length_[destination.value()] = 0;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    queue.emplace(0, destination.value());
    while (!queue.empty()) {
      const auto [length, at] = queue.top();
      queue.pop();
      if (length > length_[at]) continue;
      place_[at] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(at);
      for (const Channel& channel : fabric_.channels_from(SwitchId(at))) {
        const std::uint64_t through = length + lengths_[channel.reverse.value()];
        if (through >= length_[channel.to.value()]) continue;
        length_[channel.to.value()] = through;
        queue.emplace(through, channel.to.value());
      }
    }
  }

  /// Reachable switches, nearest first.
  std::span<const std::uint32_t> order() const { return order_; }
  std::uint64_t length(std::uint32_t sw) const { return length_[sw]; }

  /// Calls body(channel, switch) for the first channel of each shortest path from the switch at
  /// this position of order(), by ascending channel.
  template <class Body>
  void each_next_hop(std::size_t position, const Body& body) const {
    const std::uint32_t sw = order_[position];
    std::uint32_t id = fabric_.first_channel(SwitchId(sw)).value();
    for (const Channel& channel : fabric_.channels_from(SwitchId(sw))) {
      const std::uint32_t to = channel.to.value();
      if (place_[to] < position && length_[to] + lengths_[id] == length_[sw]) body(id, to);
      ++id;
    }
  }

 private:
  const Fabric& fabric_;
  std::span<const std::uint32_t> lengths_;
  std::vector<std::uint64_t> length_;
  std::vector<std::uint32_t> place_;  // by switch, in order_
  std::vector<std::uint32_t> order_;
};

/// All paths of the fewest hops toward one switch. They do not depend on the lengths.
struct HopPaths {
  struct NextHop {
    std::uint32_t channel;
    std::uint32_t to;
  };

  std::vector<std::uint32_t> order;  // reachable switches, fewest hops first
  std::vector<std::uint32_t> begin;  // by position in `order`: the first next hop; then the end
  std::vector<NextHop> next_hops;    // by ascending channel
};

void find_hop_paths(const Fabric& fabric, SwitchId destination, HopPaths& paths) {
  std::vector<std::uint32_t> hops(fabric.switch_count(), kUnreached);
  paths.order.assign(1, destination.value());
  paths.begin.assign(1, 0);
  paths.next_hops.clear();
  hops[destination.value()] = 0;
  for (std::size_t i = 0; i < paths.order.size(); ++i) {
    const std::uint32_t at = paths.order[i];
    std::uint32_t id = fabric.first_channel(SwitchId(at)).value();
    for (const Channel& channel : fabric.channels_from(SwitchId(at))) {
      const std::uint32_t to = channel.to.value();
      if (hops[to] == kUnreached) {
        hops[to] = hops[at] + 1;
        paths.order.push_back(to);
      }
      if (hops[to] < hops[at]) paths.next_hops.push_back({id, to});
      ++id;
    }
    paths.begin.push_back(static_cast<std::uint32_t>(paths.next_hops.size()));
  }
}

/// Distances to one switch after the other, over paths of the fewest hops.
class DistancesByHops {
 public:
  /// `stored`: by switch; empty: the paths are searched for each destination.
  DistancesByHops(const Fabric& fabric, std::span<const std::uint32_t> lengths,
                  std::span<const HopPaths> stored)
      : fabric_(fabric), lengths_(lengths), stored_(stored), length_(fabric.switch_count(), 0) {}

  void measure(SwitchId destination) {
    if (stored_.empty()) find_hop_paths(fabric_, destination, own_);
    paths_ = stored_.empty() ? &own_ : &stored_[destination.value()];
    length_[destination.value()] = 0;
    for (std::size_t i = 1; i < order().size(); ++i) {
      std::uint64_t least = ~std::uint64_t{0};
      for (const auto& [channel, to] : next_hops(i))
        least = std::min(least, length_.data()[to] + lengths_.data()[channel]);
      length_.data()[order()[i]] = least;
    }
  }

  std::span<const std::uint32_t> order() const { return paths_->order; }
  std::uint64_t length(std::uint32_t sw) const { return length_[sw]; }

  template <class Body>
  void each_next_hop(std::size_t position, const Body& body) const {
    const std::uint64_t own = length_[order()[position]];
    for (const auto& [channel, to] : next_hops(position))
      if (length_.data()[to] + lengths_.data()[channel] == own) body(channel, to);
  }

 private:
  std::span<const HopPaths::NextHop> next_hops(std::size_t position) const {
    return std::span(paths_->next_hops)
        .subspan(paths_->begin[position], paths_->begin[position + 1] - paths_->begin[position]);
  }

  const Fabric& fabric_;
  std::span<const std::uint32_t> lengths_;
  std::span<const HopPaths> stored_;
  HopPaths own_;
  const HopPaths* paths_ = nullptr;
  std::vector<std::uint64_t> length_;  // by switch
};

/// Hosts by switch.
struct Ends {
  std::vector<std::uint64_t> senders;
  std::vector<std::uint64_t> receivers;
};

Ends ends_of(const Fabric& fabric) {
  Ends ends;
  for (const std::uint32_t ports : traffic_ports_by_switch(fabric)) ends.senders.push_back(ports);
  ends.receivers.assign(fabric.switch_count(), 0);
  for (const EndportId host : traffic_hosts(fabric))
    ++ends.receivers[fabric.endport(host).sw.value()];
  return ends;
}

/// Adds the flows to one destination. Each switch divides flows evenly among its next hops on
/// shortest paths.
template <class Distances>
void add_flows(const Distances& distances, const Ends& ends, std::uint64_t receivers,
               std::vector<std::uint64_t>& passing, std::vector<std::uint64_t>& flows) {
  const auto order = distances.order();
  for (const std::uint32_t s : order) passing[s] = (ends.senders[s] * receivers) << kFlowBits;
  for (std::size_t i = order.size(); i-- > 1;) {
    const std::uint64_t sum = passing[order[i]];
    if (sum == 0) continue;
    std::uint64_t next_hops = 0;
    distances.each_next_hop(i, [&](std::uint32_t, std::uint32_t) { ++next_hops; });
    const std::uint64_t part = next_hops == 1 ? sum : sum / next_hops;
    std::uint64_t rest = sum - part * next_hops;
    distances.each_next_hop(i, [&](std::uint32_t channel, std::uint32_t to) {
      const std::uint64_t here = part + std::exchange(rest, 0);
      flows.data()[channel] += here;
      passing.data()[to] += here;
    });
  }
}

/// Distances and flows for several lengths of the channels.
class Evaluator {
 public:
  /// `several`: whether there are several calls.
  Evaluator(const Fabric& fabric, BoundPaths paths, bool several, unsigned threads)
      : fabric_(fabric), paths_(paths), ends_(ends_of(fabric)) {
    for (std::uint32_t d = 0; d < fabric.switch_count(); ++d)
      if (ends_.receivers[d] > 0) destinations_.push_back(d);
    threads_ = threads_worth(visits(), threads);
    // Each cable has a next hop in at most one direction.
    if (!several || paths != BoundPaths::kFewestHops ||
        visits() / 2 * sizeof(HopPaths::NextHop) > kBytesKept)
      return;
    stored_.resize(fabric.switch_count());
    parallel_for(destinations_.size(), threads_, [&](std::size_t i) {
      find_hop_paths(fabric, SwitchId(destinations_[i]), stored_[destinations_[i]]);
    });
  }

  /// Number of channels that each call of evaluate() visits.
  std::uint64_t visits() const {
    return std::uint64_t{destinations_.size()} * fabric_.channel_count();
  }

  Evaluation evaluate(std::span<const std::uint32_t> lengths, bool with_flows) const {
    if (paths_ == BoundPaths::kAny)
      return evaluate_with([&] { return DistancesByLength(fabric_, lengths); }, with_flows);
    return evaluate_with([&] { return DistancesByHops(fabric_, lengths, stored_); }, with_flows);
  }

 private:
  template <class MakeDistances>
  Evaluation evaluate_with(const MakeDistances& make_distances, bool with_flows) const {
    std::vector<Evaluation> parts((destinations_.size() + kDestinationsPerTask - 1) /
                                  kDestinationsPerTask);
    std::vector<std::atomic<std::uint64_t>> flows(with_flows ? fabric_.channel_count() : 0);
    parallel_blocks(destinations_.size(), kDestinationsPerTask, threads_,
                    [&](std::size_t begin, std::size_t end) {
                      auto distances = make_distances();
                      std::vector<std::uint64_t> passing(fabric_.switch_count());
                      std::vector<std::uint64_t> own(flows.size());
                      Evaluation& part = parts[begin / kDestinationsPerTask];
                      for (std::size_t i = begin; i < end; ++i) {
                        const std::uint64_t receivers = ends_.receivers[destinations_[i]];
                        distances.measure(SwitchId(destinations_[i]));
                        std::uint64_t senders = 0;
                        for (const std::uint32_t s : distances.order()) {
                          senders += ends_.senders[s];
                          part.distance += Wide{distances.length(s)} * ends_.senders[s] * receivers;
                        }
                        part.pairs += receivers * (senders - 1);
                        if (with_flows) add_flows(distances, ends_, receivers, passing, own);
                      }
                      for (std::size_t c = 0; c < own.size(); ++c)
                        if (own[c] != 0) flows[c].fetch_add(own[c], std::memory_order_relaxed);
                    });
    Evaluation sum;
    for (const Evaluation& part : parts) {
      sum.distance += part.distance;
      sum.pairs += part.pairs;
    }
    for (const auto& value : flows) sum.flows.push_back(value.load());
    return sum;
  }

  const Fabric& fabric_;
  const BoundPaths paths_;
  const Ends ends_;
  std::vector<std::uint32_t> destinations_;  // switches with receivers
  unsigned threads_ = 1;
  std::vector<HopPaths> stored_;  // by switch; empty: not stored
};

/// Sums of lengths over all channels, each weighted by the channel's rate relative to the fastest.
class Capacity {
 public:
  /// `rates`: by channel; empty: all are equal.
  explicit Capacity(std::span<const std::uint32_t> rates)
      : rates_(rates), fastest_(rates.empty() ? 1 : std::ranges::max(rates)) {}

  /// The sum for these lengths, in units of 1 / fastest().
  Wide sum(std::span<const std::uint32_t> lengths) const {
    Wide sum = 0;
    for (std::size_t c = 0; c < lengths.size(); ++c) sum += Wide{lengths[c]} * rate(c);
    return sum;
  }
  std::uint32_t fastest() const { return fastest_; }
  double of(std::size_t channel) const { return static_cast<double>(rate(channel)) / fastest_; }

 private:
  std::uint32_t rate(std::size_t channel) const { return rates_.empty() ? 1 : rates_[channel]; }

  std::span<const std::uint32_t> rates_;
  std::uint32_t fastest_;
};

LoadBound bound_of(const Evaluation& evaluation, std::vector<std::uint32_t> lengths,
                   const Capacity& capacity) {
  const Wide sum = capacity.sum(lengths);
  if (sum == 0) return {0, evaluation.pairs, 0};
  const Wide distance = evaluation.distance * capacity.fastest();
  return {static_cast<std::uint64_t>((distance + sum - 1) / sum), evaluation.pairs,
          static_cast<double>(distance) / static_cast<double>(sum), std::move(lengths)};
}

/// Lengths from 1 to kLengthMost, proportional to the weights.
std::vector<std::uint32_t> lengths_of(std::span<const double> weights) {
  const double most = std::ranges::max(weights);
  std::vector<std::uint32_t> lengths;
  for (const double weight : weights)
    lengths.push_back(std::max(1u, static_cast<std::uint32_t>(weight / most * kLengthMost)));
  return lengths;
}

/// About 2^(doublings * load / largest load), loads relative to the capacity.
std::vector<double> weights_of(std::span<const std::uint64_t> load, const Capacity& capacity,
                               int doublings) {
  std::vector<double> relative;
  for (std::size_t c = 0; c < load.size(); ++c)
    relative.push_back(static_cast<double>(load[c]) / capacity.of(c));
  const double top = std::max(1.0, std::ranges::max(relative));
  std::vector<double> weights;
  for (const double one : relative) {
    const double exponent = doublings * (one / top);
    const int whole = static_cast<int>(exponent);
    weights.push_back(std::ldexp(1 + (exponent - whole), whole));
  }
  return weights;
}

/// Weight 1 for the channels of one switch, 0 for others. That switch has the highest ratio of the
/// paths from its hosts to the capacity of its channels.
std::vector<double> weights_around_switch(const Fabric& fabric, const Capacity& capacity) {
  const auto hosts_at = traffic_ports_by_switch(fabric);
  const double hosts = std::accumulate(hosts_at.begin(), hosts_at.end(), 0.0);
  double most = 0;
  std::uint32_t found = 0;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const auto here = static_cast<double>(hosts_at[s]);
    const std::uint32_t first = fabric.first_channel(SwitchId(s)).value();
    double width = 0;
    for (std::size_t i = 0; i < fabric.channels_from(SwitchId(s)).size(); ++i)
      width += capacity.of(first + i);
    if (width == 0 || here * (hosts - here) / width <= most) continue;
    most = here * (hosts - here) / width;
    found = s;
  }
  std::vector<double> weights(fabric.channel_count(), 0);
  const std::uint32_t first = fabric.first_channel(SwitchId(found)).value();
  for (std::size_t i = 0; i < fabric.channels_from(SwitchId(found)).size(); ++i)
    weights[first + i] = 1;
  return weights;
}

/// Increases the weights of channels with flows above the bound, relative to the capacity, and
/// reduces those of others, in proportion and by at most a factor of 8.
std::vector<double> updated_weights(std::span<const double> weights, const Evaluation& evaluation,
                                    const Capacity& capacity, double bound, double step) {
  std::vector<double> result;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    const double flows = static_cast<double>(evaluation.flows[c]) / (1u << kFlowBits);
    const double growth = flows / capacity.of(c) / bound - 1;
    result.push_back(weights[c] * std::clamp(1 + step * growth, 0.125, 8.0));
  }
  return result;
}

/// The largest load of the flows, relative to the capacity. The flows are on paths of the same kind
/// as the routes, so no bound is higher.
double largest_load(const Evaluation& evaluation, const Capacity& capacity) {
  double most = 0;
  for (std::size_t c = 0; c < evaluation.flows.size(); ++c)
    most = std::max(most, static_cast<double>(evaluation.flows[c]) / capacity.of(c));
  return most / (1u << kFlowBits);
}

/// Replaces the part kEarlierFlows of the flows by flows of earlier steps.
void mix_in(std::span<const std::uint64_t> earlier, std::span<std::uint64_t> flows) {
  for (std::size_t c = 0; c < flows.size(); ++c)
    flows[c] = static_cast<std::uint64_t>(kEarlierFlows * static_cast<double>(earlier[c]) +
                                          (1 - kEarlierFlows) * static_cast<double>(flows[c]));
}

}  // namespace

LoadBound bound_of_lengths(const Fabric& fabric, std::span<const std::uint32_t> lengths,
                           BoundPaths paths, unsigned threads) {
  CHECK(lengths.size() == fabric.channel_count());
  return bound_of(Evaluator(fabric, paths, false, threads).evaluate(lengths, false),
                  {lengths.begin(), lengths.end()}, Capacity({}));
}

unsigned bound_steps(const Fabric& fabric, BoundPaths paths) {
  std::uint64_t visits = 0;
  for (const std::uint32_t hosts : traffic_ports_by_switch(fabric))
    if (hosts > 0) visits += fabric.channel_count();
  const bool any = paths == BoundPaths::kAny;
  if (any) visits *= kHeapFactor;
  return static_cast<unsigned>(std::min<std::uint64_t>(
      any ? kStepsMostAny : kStepsMost, kVisitsMost / std::max<std::uint64_t>(1, visits)));
}

LoadBound least_load(const Fabric& fabric, std::span<const std::uint64_t> load, BoundPaths paths,
                     unsigned threads, std::span<const std::uint32_t> rates) {
  CHECK(load.size() == fabric.channel_count());
  const Capacity capacity(rates);
  const Evaluator evaluator(fabric, paths, !load.empty(), threads);
  if (load.empty()) return bound_of(evaluator.evaluate({}, false), {}, capacity);
  const unsigned steps = bound_steps(fabric, paths);
  CHECK(steps > 0);
  std::vector<std::vector<double>> starts{std::vector<double>(load.size(), 1.0)};
  for (const int doublings : kLoadDoublings)
    starts.push_back(weights_of(load, capacity, doublings));
  starts.push_back(weights_around_switch(fabric, capacity));
  LoadBound best;
  std::vector<double> weights;  // of the best start, then of the last step
  Evaluation evaluation;        // with these weights
  double least_flows = std::numeric_limits<double>::max();
  double step = paths == BoundPaths::kAny ? kFirstStepAny : kFirstStep;
  for (unsigned i = 0; i < steps; ++i) {
    const bool is_start = i < starts.size();
    std::vector<double> next =
        is_start ? std::move(starts[i])
                 : updated_weights(weights, evaluation, capacity, std::max(best.timed, 1e-9), step);
    auto lengths = lengths_of(next);
    Evaluation found = evaluator.evaluate(lengths, true);
    LoadBound bound = bound_of(found, std::move(lengths), capacity);
    if (found.distance == 0) return bound;  // all hosts are at one switch
    const double here = bound.timed;
    const bool is_highest = here > best.timed;
    if (is_highest) best = std::move(bound);
    least_flows = std::min(least_flows, largest_load(found, capacity));
    if (best.timed * (1 + kGap) >= least_flows) break;
    if (is_start && !is_highest) continue;  // continues from the best start
    if (!is_start) {
      const bool is_sure = i >= kStepsSure && evaluator.visits() * i > kVisitsFree;
      if (is_sure && here < kFarBelow * best.timed) break;
      mix_in(evaluation.flows, found.flows);
      step *= kStepFactor;
    }
    weights = std::move(next);
    evaluation = std::move(found);
  }
  return best;
}

}  // namespace weft
