// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// From the description of jobs to the schedule of their messages on a network.
#pragma once

#include <cstdint>
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
/// job.
Result<BuiltWorkload> build_workload(const RoutedNetwork& network, const Workload& workload,
                                     std::uint64_t seed);

}  // namespace weft::jobs
