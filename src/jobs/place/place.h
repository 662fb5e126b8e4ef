// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Selects hosts for a job, and the order of its ranks on them, so that the simulated time of the
// job is short. Few free servers are tried in every order; otherwise the search simulates packed
// and grown candidates, improves the best by an estimate of contention (contention.h), and then
// exchanges servers and parts of the order by simulation.
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
  const Workload& workload;  // job 0 is to be placed; each other job lists its hosts
  std::string free;          // a hostlist, or file:PATH
  PathOptions paths{};
  std::uint64_t seed = 0;
  std::uint64_t simulations = 0;  // at most; 0: by the messages of the job, 24 to 1000
  unsigned threads = 0;
  const std::atomic<bool>* stop = nullptr;  // ends the search with the best so far
  /// Simulations done and their largest number.
  std::function<void(std::uint64_t, std::uint64_t)> progress{};
};

struct Placement {
  std::vector<std::uint32_t> hosts;  // in the order of ranks, each once
  Picoseconds time = 0;              // of the job, with the other jobs and the background
  std::uint64_t ring_hops = 0;       // channels from each host to the next, and back to the first
};

struct PlaceResult {
  std::uint32_t ranks = 0;
  std::uint32_t free_hosts = 0;
  Placement best;                   // the least time, then the fewest ring_hops
  std::optional<Placement> second;  // the best of those with other hosts
  std::optional<Placement> packed;  // none if a message of it has no route
  Picoseconds crossbar = 0;         // of the best, on an ideal crossbar
  std::uint64_t simulations = 0;
  bool is_exhaustive = false;  // every order of every selection was simulated
  bool is_partial = false;     // stopped
};

/// The result depends on the request without `threads`. Fails with kBadInput naming the job or the
/// host: too few free hosts, hosts that are unknown, listed twice or in use by another job, jobs
/// without their hosts; with kUnroutable if no placement has all routes.
Result<PlaceResult> place_job(const PlaceRequest& request);

}  // namespace weft::jobs
