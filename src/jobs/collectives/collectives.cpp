// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/collectives/collectives.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace weft::jobs {

CollectiveSpec collective_of(const JobSpec& job) {
  return {job.work,
          job.algorithm,
          static_cast<double>(job.bytes),
          job.channels,
          static_cast<double>(job.chunk),
          job.zipf,
          job.seed.value_or(0)};
}

void add_collective(Ranks& ranks, const Group& group, const CollectiveSpec& spec,
                    std::vector<Front>& fronts) {
  if (group.size() < 2) return;
  const auto n = static_cast<std::uint32_t>(group.size());
  switch (spec.algorithm) {
    case Algorithm::kRing:
      add_ring(ranks, group, spec, spec.work == Work::kAllReduce ? 2 * (n - 1) : n - 1, fronts);
      break;
    case Algorithm::kTree:
    case Algorithm::kDoubleTree:
      add_trees(ranks, group, spec, fronts);
      break;
    case Algorithm::kHalvingDoubling:
    case Algorithm::kRecursiveDoubling:
    case Algorithm::kRecursiveHalving:
      add_recursive(ranks, group, spec, fronts);
      break;
    case Algorithm::kPairwise:
      add_all_to_all(ranks, group, spec, fronts);
      break;
    case Algorithm::kLinear:
      if (spec.work == Work::kAllToAll)
        add_all_to_all(ranks, group, spec, fronts);
      else
        add_rooted(ranks, group, spec, fronts);
      break;
    case Algorithm::kDissemination:
      add_barrier(ranks, group, fronts);
      break;
    case Algorithm::kNone:
      break;
  }
}

Picoseconds local_time(const JobSpec& job, std::uint32_t ranks, const CollectiveSpec& spec) {
  if (ranks < 2) return 0;
  const double rate = job.local_rate / kPicosecondsPerSecond;
  const auto time = [&](double steps, double bytes) {
    const double transfer = rate > 0 ? bytes / rate : 0;
    return std::llround(std::min(static_cast<double>(kOpTimeMax),
                                 steps * static_cast<double>(job.start_up) + transfer));
  };
  const double rounds = std::bit_width(ranks - 1);
  const double n = ranks;
  const double share = spec.bytes * (n - 1) / n;
  switch (spec.work) {
    case Work::kAllReduce:
      if (spec.algorithm == Algorithm::kRecursiveDoubling) return time(rounds, rounds * spec.bytes);
      return time(spec.algorithm == Algorithm::kRing ? 2 * (n - 1) : 2 * rounds, 2 * share);
    case Work::kAllToAll:
      return time(spec.algorithm == Algorithm::kLinear ? 1 : n - 1, share);
    case Work::kBarrier:
      return time(rounds, 0);
    default:
      return time(spec.algorithm == Algorithm::kRing ? n - 1 : rounds, share);
  }
}

double bus_factor(Work work, std::uint32_t ranks) {
  const double n = ranks;
  switch (work) {
    case Work::kAllReduce:
      return 2 * (n - 1) / n;
    case Work::kAllGather:
    case Work::kReduceScatter:
    case Work::kAllToAll:
    case Work::kGather:
    case Work::kScatter:
      return (n - 1) / n;
    default:
      return 1;
  }
}

}  // namespace weft::jobs
