// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The messages of collectives, and their times and bandwidths without contention. Each add function
// adds the ops of one collective of a group of ranks. A rank participates once the ops of its front
// have ended; its last ops become its new front.
// `bytes` is the size of the larger buffer of a rank (the whole vector of an all-gather), as
// nccl-tests count; a part of it need not be a whole number of bytes. Sources of the algorithms:
// Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH,
// 2005; Sanders, Speck and Traeff, Two-tree algorithms for full bandwidth broadcast, reduction and
// scan, 2009; NCCL.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "jobs/ranks.h"

namespace weft::jobs {

struct CollectiveSpec {
  Work work = Work::kAllReduce;
  Algorithm algorithm = Algorithm::kRing;
  double bytes = 0;
  std::uint32_t channels = 1;
  double chunk = 0;  // bytes of a chunk of trees; 0: default
  double zipf = 0;
  std::uint64_t seed = 0;
};

CollectiveSpec collective_of(const JobSpec& job);

/// Adds the ops of the algorithm of `spec`; none for a group of fewer than two ranks. `fronts`: by
/// rank of the job.
void add_collective(Ranks& ranks, const Group& group, const CollectiveSpec& spec,
                    std::vector<Front>& fronts);

/// Time of a collective inside one server, if nothing else uses the channels of its ranks: each
/// rank sends and receives at `local_rate`, and parts of an all-to-all are equal. At most
/// kOpTimeMax.
Picoseconds local_time(const JobSpec& job, std::uint32_t ranks, const CollectiveSpec& spec);

/// Bus bandwidth divided by algorithm bandwidth (nccl-tests).
double bus_factor(Work work, std::uint32_t ranks);

/// The share of each of n destinations in the bytes of an all-to-all: equal shares, or shares by
/// Zipf's law with the exponent `zipf`, in an order that the seed determines. The sum is 1.
std::vector<double> destination_parts(std::uint32_t n, double zipf, std::uint64_t seed);

// Each function adds the ops of one algorithm.
void add_ring(Ranks& ranks, const Group& group, const CollectiveSpec& spec, std::uint32_t steps,
              std::vector<Front>& fronts);
void add_trees(Ranks& ranks, const Group& group, const CollectiveSpec& spec,
               std::vector<Front>& fronts);
void add_recursive(Ranks& ranks, const Group& group, const CollectiveSpec& spec,
                   std::vector<Front>& fronts);
void add_all_to_all(Ranks& ranks, const Group& group, const CollectiveSpec& spec,
                    std::vector<Front>& fronts);
void add_rooted(Ranks& ranks, const Group& group, const CollectiveSpec& spec,
                std::vector<Front>& fronts);
void add_barrier(Ranks& ranks, const Group& group, std::vector<Front>& fronts);

}  // namespace weft::jobs
