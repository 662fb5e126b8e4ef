// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/forest_bound.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/parallel.h"

namespace weft::reweight {
namespace {

using Wide = Measure::Wide;

// The lengths are (load / largest load)^(2^k), in units of 1 / kLengthUnit; equal if k is 0.
constexpr std::array kSquarings{6u, 0u, 4u, 8u, 2u};
constexpr std::uint64_t kLengthUnit = std::uint64_t{1} << 31;
constexpr std::size_t kGroupsPerSum = 4;
// In percent of the bound and of the largest load.
constexpr std::uint64_t kCrowded = 102;
constexpr std::uint64_t kCrowdedOfLargest = 80;
// Trees have at least one switch without hosts for this many switches.
constexpr std::size_t kLeastWithoutHosts = 32;

std::vector<std::uint64_t> powers(std::span<const std::uint64_t> load, unsigned squarings) {
  if (squarings == 0) return std::vector<std::uint64_t>(load.size(), kLengthUnit);
  const std::uint64_t top = std::max<std::uint64_t>(1, std::ranges::max(load));
  std::vector<std::uint64_t> lengths;
  lengths.reserve(load.size());
  for (const std::uint64_t one : load) {
    auto power = static_cast<std::uint64_t>(Wide{one} * kLengthUnit / top);
    for (unsigned i = 0; i < squarings; ++i) power = power * power / kLengthUnit;
    lengths.push_back(power);
  }
  return lengths;
}

/// By switch: the least length of a path over candidates to the destination.
class Distances {
 public:
  explicit Distances(const Arcs& arcs) : arcs_(arcs), distance_(arcs.switches()) {}

  /// Sum over all hosts of the distance to the destination.
  Wide sum(const HopDag& dag, std::span<const std::uint64_t> lengths) {
    Wide sum = 0;
    distance_[dag.destination().value()] = 0;
    for (const HopDag::Group& group : dag.groups())
      for (std::uint32_t m = group.begin; m < group.end; ++m) {
        const HopDag::Member& member = dag.members()[m];
        const auto channels = dag.channels(group, member);
        std::uint64_t least = ~std::uint64_t{0};
        for (const std::uint32_t arc : channels)
          least = std::min(least, lengths.data()[arc] + distance_.data()[arcs_.head.data()[arc]]);
        distance_[member.sw] = least;
        sum += Wide{least} * arcs_.hosts[member.sw];
      }
    return sum;
  }

 private:
  const Arcs& arcs_;
  std::vector<std::uint64_t> distance_;
};

}  // namespace

ForestBound::ForestBound(const Forest& forest, const CandidateStore& candidates, unsigned threads)
    : forest_(forest),
      store_(candidates),
      threads_(threads_worth(std::uint64_t{forest.groups.size()} * forest.arcs.count(), threads)) {
  for (const Forest::Group& group : forest.groups) {
    weight_.push_back(0);
    for (std::uint32_t t = group.begin; t < group.end; ++t)
      if (forest.may_change(t)) weight_.back() += forest.weights[t];
  }
  value_ = of_single_switches();
}

bool ForestBound::is_near(std::span<const std::uint64_t> load, unsigned percent) {
  const std::uint64_t largest = std::ranges::max(load);
  const auto near = [&] { return Wide{largest} * 100 <= Wide{value_} * percent; };
  if (near()) return true;
  if (squarings_) {
    improve(load, *squarings_);
    return near();
  }
  for (const unsigned squarings : kSquarings) {
    improve(load, squarings);
    if (near()) return true;
  }
  return false;
}

/// Lengths that follow from the loads also exclude arcs that are never candidates.
void ForestBound::improve(std::span<const std::uint64_t> load, unsigned squarings) {
  const std::uint64_t found = of_lengths(powers(load, squarings));
  if (!squarings_ || found > value_) squarings_ = squarings;
  value_ = std::max(value_, found);
}

std::uint64_t ForestBound::of_lengths(std::span<const std::uint64_t> lengths) const {
  const Arcs& arcs = forest_.arcs;
  Wide whole = 0;
  std::vector<std::uint64_t> timed;
  timed.reserve(lengths.size());
  for (std::uint32_t a = 0; a < arcs.count(); ++a) {
    whole += lengths[a];
    timed.push_back(static_cast<std::uint64_t>(Wide{lengths[a]} * arcs.time[a] / kFlowTime));
  }
  if (whole == 0) return 0;
  std::vector<Wide> sums(forest_.groups.size());
  parallel_blocks(sums.size(), kGroupsPerSum, threads_, [&](std::size_t begin, std::size_t end) {
    HopDag scratch;
    Distances distances(arcs);
    for (std::size_t g = begin; g < end; ++g)
      if (weight_[g] > 0) sums[g] = distances.sum(store_.of(g, scratch), timed) * weight_[g];
  });
  Wide sum = 0;
  for (const Wide one : sums) sum += one;
  return static_cast<std::uint64_t>(sum * kFlowTime / whole);
}

/// The flows that leave or enter a switch with hosts use the arcs of this switch.
std::uint64_t ForestBound::of_single_switches() const {
  const Arcs& arcs = forest_.arcs;
  std::vector<std::uint64_t> out(arcs.switches());
  std::vector<std::uint64_t> in(arcs.switches());
  HopDag scratch;
  for (std::size_t g = 0; g < forest_.groups.size(); ++g) {
    const HopDag& dag = store_.of(g, scratch);
    std::uint64_t hosts = 0;
    for (const HopDag::Member& member : dag.members()) {
      hosts += arcs.hosts[member.sw];
      out[member.sw] += arcs.hosts[member.sw] * weight_[g];
    }
    in[dag.destination().value()] += hosts * weight_[g];
  }
  std::vector<std::uint64_t> capacity_out(arcs.switches());
  std::vector<std::uint64_t> capacity_in(arcs.switches());
  for (std::uint32_t s = 0; s < arcs.switches(); ++s)
    for (std::uint32_t a = arcs.first[s]; a < arcs.first[s + 1]; ++a) {
      const std::uint64_t capacity = (kFlowTime * kFlowTime + arcs.time[a] - 1) / arcs.time[a];
      capacity_out[s] += capacity;
      capacity_in[arcs.head[a]] += capacity;
    }
  const auto least = [](std::uint64_t flows, std::uint64_t capacity) {
    return flows == 0 ? 0
                      : static_cast<std::uint64_t>(Wide{flows} * kFlowTime * kFlowTime / capacity);
  };
  std::uint64_t bound = 0;
  for (std::uint32_t s = 0; s < arcs.switches(); ++s)
    bound = std::max({bound, least(out[s], capacity_out[s]), least(in[s], capacity_in[s])});
  return bound;
}

std::uint64_t crowded_load(const Arcs& arcs, std::uint64_t bound,
                           std::span<const std::uint64_t> load) {
  const auto without = static_cast<std::size_t>(std::ranges::count(arcs.hosts, 0u));
  if (without * kLeastWithoutHosts < arcs.switches()) return 0;
  return std::max(bound / 100 * kCrowded, std::ranges::max(load) / 100 * kCrowdedOfLargest);
}

}  // namespace weft::reweight
