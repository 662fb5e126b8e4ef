// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Builds the schedule of messages on a network from the description of jobs and of background
// traffic.
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

/// Places jobs in order, each on hosts that earlier jobs do not use, and adds the streams of
/// background traffic. Fails with kBadInput, naming the job or the JSON object of the background
/// traffic, or as the readers of traces and listed_names() do. `servers`: the servers of the
/// network for each job; empty: they are derived for each job.
Result<BuiltWorkload> build_workload(const RoutedNetwork& network, const Workload& workload,
                                     std::uint64_t seed, std::span<const Servers> servers = {});

/// The number of ranks of a job; 0: one for each free or listed host, or ranks_per_host for each.
/// Reads the trace of a job that has one. Fails with kBadInput, or as the readers of traces do.
Result<std::uint32_t> ranks_of_job(const JobSpec& job);

}  // namespace weft::jobs
