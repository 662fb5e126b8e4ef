// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Collectives in which each message is sent directly from its source to its destination.
#include <algorithm>
#include <cmath>

#include "jobs/collectives/collectives.h"

namespace weft::jobs {

std::vector<double> destination_parts(std::uint32_t n, double zipf, std::uint64_t seed) {
  std::vector<double> parts(n, 1.0 / n);
  if (zipf == 0) return parts;
  const auto order = Rng(seed).permutation(n);
  double sum = 0;
  for (std::uint32_t i = 0; i < n; ++i) sum += std::pow(i + 1, -zipf);
  for (std::uint32_t i = 0; i < n; ++i) parts[order[i]] = std::pow(i + 1, -zipf) / sum;
  return parts;
}

void add_all_to_all(Ranks& ranks, const Group& group, const CollectiveSpec& spec,
                    std::vector<Front>& fronts) {
  const auto n = static_cast<std::uint32_t>(group.size());
  const auto parts = destination_parts(n, spec.zipf, spec.seed);
  const bool is_pairwise = spec.algorithm == Algorithm::kPairwise;
  std::vector<Front> next(n);
  std::vector<std::vector<OpId>> all(is_pairwise ? 0 : n);
  for (std::uint32_t shift = 1; shift < n; ++shift) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t to = (i + shift) % n;
      const OpId op = ranks.send(ranks.connect(group[i], group[to]), spec.bytes * parts[to],
                                 fronts[group[i]], fronts[group[to]]);
      if (is_pairwise) {
        next[i][0] = op;
        next[to][1] = op;
      } else {
        all[i].push_back(op);
        all[to].push_back(op);
      }
    }
    if (!is_pairwise) continue;
    for (std::uint32_t i = 0; i < n; ++i) fronts[group[i]] = next[i];
  }
  if (is_pairwise) return;
  for (std::uint32_t i = 0; i < n; ++i) fronts[group[i]] = {ranks.builder().join(all[i]), kNoOp};
}

void add_rooted(Ranks& ranks, const Group& group, const CollectiveSpec& spec,
                std::vector<Front>& fronts) {
  const auto n = static_cast<std::uint32_t>(group.size());
  std::vector<OpId> all;
  for (std::uint32_t i = 1; i < n; ++i) {
    const bool gathers = spec.work == Work::kGather;
    const std::uint32_t from = gathers ? group[i] : group[0];
    const std::uint32_t to = gathers ? group[0] : group[i];
    all.push_back(ranks.send(ranks.connection(from, to), spec.bytes / n, fronts[from], fronts[to]));
  }
  for (std::uint32_t i = 1; i < n; ++i) fronts[group[i]] = {all[i - 1], kNoOp};
  fronts[group[0]] = {ranks.builder().join(all), kNoOp};
}

void add_barrier(Ranks& ranks, const Group& group, std::vector<Front>& fronts) {
  const auto n = static_cast<std::uint32_t>(group.size());
  std::vector<Front> next(n);
  for (std::uint32_t distance = 1; distance < n; distance *= 2) {
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t to = (i + distance) % n;
      const OpId op =
          ranks.send(ranks.connection(group[i], group[to]), 0, fronts[group[i]], fronts[group[to]]);
      next[i][0] = op;
      next[to][1] = op;
    }
    for (std::uint32_t i = 0; i < n; ++i) fronts[group[i]] = next[i];
  }
}

}  // namespace weft::jobs
