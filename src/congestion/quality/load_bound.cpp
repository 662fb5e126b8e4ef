// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/quality/load_bound.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"

namespace weft {
namespace {

__extension__ using Wide = unsigned __int128;

// Channels visited by all steps, and the most steps.
constexpr std::uint64_t kVisitsMost = 40'000'000;
constexpr unsigned kStepsMost = 16;
// A visit by Dijkstra's algorithm takes about so many times that of a breadth-first search.
constexpr std::uint64_t kHeapFactor = 4;
constexpr unsigned kFlowBits = 8;  // flows are divided among equal paths in these fractions
constexpr double kFirstStep = 0.5;
constexpr double kLastStep = 0.02;
constexpr int kLoadDoublings = 10;  // lengths that follow from loads double so often up to the top
constexpr std::uint32_t kUnreached = 0xFFFFFFFF;
constexpr std::size_t kDestinationsPerTask = 4;

/// The sum of the distances of all pairs, with the flows over each channel if these go by shortest
/// paths.
struct Evaluation {
  Wide distance = 0;
  std::uint64_t pairs = 0;
  std::vector<std::uint64_t> flows;  // by channel, in units of 2^-kFlowBits
};

/// Distances to one switch after the other.
class Distances {
 public:
  Distances(const Fabric& fabric, std::span<const std::uint32_t> lengths, BoundPaths paths)
      : fabric_(fabric), lengths_(lengths), paths_(paths) {}

  void measure(SwitchId destination) {
    hops_.assign(fabric_.switch_count(), kUnreached);
    length_.assign(fabric_.switch_count(), ~std::uint64_t{0});
    place_.assign(fabric_.switch_count(), kUnreached);
    order_.clear();
    hops_[destination.value()] = 0;
    length_[destination.value()] = 0;
    if (paths_ == BoundPaths::kFewestHops) {
      by_hops(destination.value());
    } else {
      by_length(destination.value());
    }
    for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  }

  /// Reachable switches, nearest first.
  std::span<const std::uint32_t> order() const { return order_; }
  std::uint64_t length(std::uint32_t sw) const { return length_[sw]; }

  /// Is the channel the first of a shortest path from `sw`?
  bool leads(std::uint32_t sw, std::uint32_t channel, std::uint32_t to) const {
    return place_[to] < place_[sw] && (paths_ == BoundPaths::kAny || hops_[to] < hops_[sw]) &&
           length_[to] + lengths_[channel] == length_[sw];
  }

 private:
  void by_hops(std::uint32_t destination) {
    order_.push_back(destination);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::uint32_t at = order_[i];
      for (const Channel& channel : fabric_.channels_from(SwitchId(at))) {
        const std::uint32_t to = channel.to.value();
        if (hops_[to] == kUnreached) {
          hops_[to] = hops_[at] + 1;
          order_.push_back(to);
        }
        if (hops_[to] == hops_[at] + 1)
          length_[to] = std::min(length_[to], length_[at] + lengths_[channel.reverse.value()]);
      }
    }
  }

  void by_length(std::uint32_t destination) {
    using Entry = std::pair<std::uint64_t, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    queue.emplace(0, destination);
    while (!queue.empty()) {
      const auto [length, at] = queue.top();
      queue.pop();
      if (length > length_[at]) continue;
      order_.push_back(at);
      for (const Channel& channel : fabric_.channels_from(SwitchId(at))) {
        const std::uint64_t through = length + lengths_[channel.reverse.value()];
        if (through >= length_[channel.to.value()]) continue;
        length_[channel.to.value()] = through;
        queue.emplace(through, channel.to.value());
      }
    }
  }

  const Fabric& fabric_;
  std::span<const std::uint32_t> lengths_;
  const BoundPaths paths_;
  std::vector<std::uint32_t> hops_;
  std::vector<std::uint64_t> length_;
  std::vector<std::uint32_t> place_;  // by switch, in order_
  std::vector<std::uint32_t> order_;
};

/// Hosts by switch.
struct Ends {
  std::vector<std::uint64_t> senders;
  std::vector<std::uint64_t> receivers;
};

Ends ends_of(const Fabric& fabric) {
  Ends ends;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const auto hosts = fabric.endports_at(SwitchId(s));
    ends.senders.push_back(hosts.size());
    ends.receivers.push_back(static_cast<std::uint64_t>(std::ranges::count_if(
        hosts, [&](EndportId id) { return fabric.endport(id).addressed(); })));
  }
  return ends;
}

/// Adds the flows to one destination, divided evenly among equal paths.
void add_flows(const Fabric& fabric, const Distances& distances, const Ends& ends,
               std::uint64_t receivers, std::vector<std::uint64_t>& passing,
               std::vector<std::uint64_t>& flows) {
  const auto order = distances.order();
  for (const std::uint32_t s : order) passing[s] = (ends.senders[s] * receivers) << kFlowBits;
  for (std::size_t i = order.size(); i-- > 1;) {
    const std::uint32_t s = order[i];
    if (passing[s] == 0) continue;
    const std::uint32_t first = fabric.first_channel(SwitchId(s)).value();
    const auto channels = fabric.channels_from(SwitchId(s));
    std::uint64_t next_hops = 0;
    for (std::uint32_t c = 0; c < channels.size(); ++c)
      next_hops += distances.leads(s, first + c, channels[c].to.value()) ? 1 : 0;
    std::uint64_t rest = passing[s] % next_hops;
    for (std::uint32_t c = 0; c < channels.size(); ++c) {
      if (!distances.leads(s, first + c, channels[c].to.value())) continue;
      const std::uint64_t part = passing[s] / next_hops + std::exchange(rest, 0);
      flows[first + c] += part;
      passing[channels[c].to.value()] += part;
    }
  }
}

Evaluation evaluate(const Fabric& fabric, std::span<const std::uint32_t> lengths, BoundPaths paths,
                    bool with_flows, unsigned threads) {
  const Ends ends = ends_of(fabric);
  std::vector<std::uint32_t> destinations;
  for (std::uint32_t d = 0; d < fabric.switch_count(); ++d)
    if (ends.receivers[d] > 0) destinations.push_back(d);
  std::vector<Evaluation> parts((destinations.size() + kDestinationsPerTask - 1) /
                                kDestinationsPerTask);
  std::vector<std::atomic<std::uint64_t>> flows(with_flows ? fabric.channel_count() : 0);
  threads = threads_worth(std::uint64_t{destinations.size()} * fabric.channel_count(), threads);
  parallel_blocks(destinations.size(), kDestinationsPerTask, threads,
                  [&](std::size_t begin, std::size_t end) {
                    Distances distances(fabric, lengths, paths);
                    std::vector<std::uint64_t> passing(fabric.switch_count());
                    std::vector<std::uint64_t> own(flows.size());
                    Evaluation& part = parts[begin / kDestinationsPerTask];
                    for (std::size_t i = begin; i < end; ++i) {
                      const std::uint64_t receivers = ends.receivers[destinations[i]];
                      distances.measure(SwitchId(destinations[i]));
                      std::uint64_t senders = 0;
                      for (const std::uint32_t s : distances.order()) {
                        senders += ends.senders[s];
                        part.distance += Wide{distances.length(s)} * ends.senders[s] * receivers;
                      }
                      part.pairs += receivers * (senders - 1);
                      if (with_flows) add_flows(fabric, distances, ends, receivers, passing, own);
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

std::uint64_t sum_of(std::span<const std::uint32_t> lengths) {
  std::uint64_t sum = 0;
  for (const std::uint32_t length : lengths) sum += length;
  return sum;
}

LoadBound bound_of(const Evaluation& evaluation, std::span<const std::uint32_t> lengths) {
  const std::uint64_t sum = sum_of(lengths);
  if (sum == 0) return {0, evaluation.pairs};
  return {static_cast<std::uint64_t>((evaluation.distance + sum - 1) / sum), evaluation.pairs};
}

double quotient(const Evaluation& evaluation, std::span<const std::uint32_t> lengths) {
  return static_cast<double>(evaluation.distance) / static_cast<double>(sum_of(lengths));
}

/// From 1 to kLengthMost, in proportion.
std::vector<std::uint32_t> lengths_of(std::span<const double> weights) {
  const double most = std::ranges::max(weights);
  std::vector<std::uint32_t> lengths;
  for (const double weight : weights)
    lengths.push_back(std::max(1u, static_cast<std::uint32_t>(weight / most * kLengthMost)));
  return lengths;
}

/// About 2^(kLoadDoublings * load / largest load).
std::vector<double> weights_of(std::span<const std::uint64_t> load) {
  const double top = static_cast<double>(std::max<std::uint64_t>(1, std::ranges::max(load)));
  std::vector<double> weights;
  for (const std::uint64_t one : load) {
    const double exponent = kLoadDoublings * (static_cast<double>(one) / top);
    const int whole = static_cast<int>(exponent);
    weights.push_back(std::ldexp(1 + (exponent - whole), whole));
  }
  return weights;
}

/// Longer in proportion to the flows above the mean of all shortest paths, by at most a factor 8.
std::vector<double> stretched(std::span<const double> weights, std::span<const double> growth,
                              double step) {
  std::vector<double> result;
  for (std::size_t c = 0; c < weights.size(); ++c)
    result.push_back(weights[c] * std::clamp(1 + step * growth[c], 0.125, 8.0));
  return result;
}

/// By channel: the flows relative to the bound, less one.
std::vector<double> growth_of(const Evaluation& evaluation, double bound) {
  std::vector<double> growth;
  for (const std::uint64_t flows : evaluation.flows)
    growth.push_back(static_cast<double>(flows) / (1u << kFlowBits) / bound - 1);
  return growth;
}

}  // namespace

LoadBound bound_of_lengths(const Fabric& fabric, std::span<const std::uint32_t> lengths,
                           BoundPaths paths, unsigned threads) {
  CHECK(lengths.size() == fabric.channel_count());
  return bound_of(evaluate(fabric, lengths, paths, false, threads), lengths);
}

unsigned bound_steps(const Fabric& fabric, BoundPaths paths) {
  std::uint64_t visits = 0;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (!fabric.endports_at(SwitchId(s)).empty()) visits += fabric.channel_count();
  if (paths == BoundPaths::kAny) visits *= kHeapFactor;
  return static_cast<unsigned>(
      std::min<std::uint64_t>(kStepsMost, kVisitsMost / std::max<std::uint64_t>(1, visits)));
}

LoadBound least_load(const Fabric& fabric, std::span<const std::uint64_t> load, BoundPaths paths,
                     unsigned threads) {
  CHECK(load.size() == fabric.channel_count());
  if (load.empty()) return bound_of(evaluate(fabric, {}, paths, false, threads), {});
  const unsigned steps = bound_steps(fabric, paths);
  CHECK(steps > 0);
  std::vector<double> weights(load.size(), 1.0);
  std::vector<double> next = weights;
  std::vector<double> growth;
  LoadBound best;
  double highest = 0;
  double step = kFirstStep;
  for (unsigned i = 0; i < steps && step >= kLastStep; ++i) {
    const auto lengths = lengths_of(next);
    const Evaluation found = evaluate(fabric, lengths, paths, true, threads);
    const LoadBound bound = bound_of(found, lengths);
    best = {std::max(best.paths, bound.paths), bound.pairs};
    if (found.distance == 0) break;  // no host is behind another switch
    const double height = quotient(found, lengths);
    const auto here = growth_of(found, std::max(height, 1e-9));
    if (height > highest) {
      highest = height;
      weights = next;
      growth = here;
      if (i > 1) step *= 1.4;
    } else if (i > 1) {
      // Past a ridge: the mean of both sides' directions leads along it.
      step /= 2;
      for (std::size_t c = 0; c < growth.size(); ++c) growth[c] = (growth[c] + here[c]) / 2;
    }
    next = i == 0 ? weights_of(load) : stretched(weights, growth, step);
  }
  return best;
}

}  // namespace weft
