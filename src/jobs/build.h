// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// From the description of jobs to the schedule of their messages on a network.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "congestion/routed_network.h"
#include "jobs/job.h"
#include "jobs/placement.h"
#include "jobs/schedule.h"

namespace weft::jobs {

struct BuiltJob {
  std::vector<RankPlace> places;  // by rank
};

struct BuiltWorkload {
  Schedule schedule;
  std::vector<BuiltJob> jobs;
};

/// Jobs are placed in order, each on hosts that earlier ones left. Fails with kBadInput naming the
/// job. `servers`: those of the network for each job, if they are known.
Result<BuiltWorkload> build_workload(const RoutedNetwork& network, const Workload& workload,
                                     std::uint64_t seed, std::span<const Servers> servers = {});

/// The number of ranks of a job, 0: of all free hosts. Reads the trace of a job that has one. Fails
/// with kBadInput.
Result<std::uint32_t> ranks_of_job(const JobSpec& job);

}  // namespace weft::jobs
