// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Selects hosts for a job, and the order of its ranks on them, so that the simulated time of the
// job is short. If the free servers have equal numbers of free hosts and few orders are possible,
// all orders of servers are simulated; the hosts of a server keep the order of rails. Otherwise the
// search sorts candidate orders (candidates.h) by an estimate of contention (contention.h),
// improves the best orders by the estimate, and simulates the results. Then it exchanges servers
// and parts of the order, with a simulation of each change.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "congestion/routed_network.h"
#include "jobs/job.h"
#include "jobs/paths.h"

namespace weft::jobs {

struct PlaceRequest {
  const RoutedNetwork& network;
  const Workload& workload;  // job 0 is to be placed; all other jobs list their hosts
  std::string free;          // free hosts as a hostlist, or file:PATH
  PathOptions paths{};
  std::uint64_t seed = 0;
  std::uint64_t simulations = 0;  // limit; 0: 24 to 1000, fewer for schedules with more ops
  unsigned threads = 0;
  const std::atomic<bool>* stop = nullptr;  // true: the search ends with the best so far
  /// Called with the number of simulations done and the limit, which is 1 in the first call.
  std::function<void(std::uint64_t, std::uint64_t)> progress{};
};

struct Placement {
  std::vector<std::uint32_t> hosts;  // in the order of ranks, each once
  Picoseconds time = 0;              // time of the job, with the other jobs and the background
  std::uint64_t ring_hops = 0;       // channels between consecutive hosts, as a ring
};

struct PlaceResult {
  std::uint32_t ranks = 0;
  std::uint32_t free_hosts = 0;
  Placement best;                   // the least time; among equals, the fewest ring_hops
  std::optional<Placement> second;  // the best placement with other hosts
  std::optional<Placement> packed;  // no value if one of its messages has no route
  Picoseconds crossbar = 0;         // time of the best placement on an ideal crossbar
  std::uint64_t simulations = 0;
  bool is_exhaustive = false;  // all orders of all selections of servers were simulated
  bool is_partial = false;     // the search was stopped
};

/// Selects the hosts of job 0. The result does not depend on `threads`. Fails with kBadInput,
/// naming the job or the host, if there are too few free hosts, if hosts are unknown, listed twice
/// or used by another job, if a running job does not list its hosts, if the placed job has a
/// placement, or if the workload has failures or background traffic on idle hosts only; with
/// kUnroutable if no simulated placement has routes for all messages. Also fails as listed_names(),
/// build_workload() and simulate_flows() do.
Result<PlaceResult> place_job(const PlaceRequest& request);

}  // namespace weft::jobs
