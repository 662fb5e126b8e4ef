// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulates the messages of a schedule as flows. A message waits for its predecessors, then for the
// start-up and the latency of its path, then its bytes flow at the max-min fair rate of all flows,
// and the message ends with the last of them. The cost of an event depends on the flows that it
// changes, not on the size of the network.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "jobs/channel_usage.h"
#include "jobs/paths.h"
#include "jobs/schedule.h"

namespace weft::jobs {

/// At `time` channels fail, and/or routes change to another network with the same hosts and
/// channels. Flows on failed channels stop until their routes avoid them.
struct NetworkChange {
  Picoseconds time = 0;
  std::vector<std::uint32_t> failed;
  const RoutedNetwork* network = nullptr;
};

struct SimulationInput {
  const RoutedNetwork& network;
  const Schedule& schedule;
  PathOptions paths{};
  std::vector<NetworkChange> changes{};     // by time
  std::optional<std::uint32_t> only_job{};  // without the other jobs and the background
  bool with_usage = false;
};

struct Interval {
  Picoseconds start = kNever;
  Picoseconds end = 0;
};

struct JobRun {
  Interval time;
  std::uint64_t messages = 0;  // with bytes
  double bytes = 0;            // sent
};

struct SimulationResult {
  std::vector<JobRun> jobs;      // by job; those that were left out have no messages
  std::vector<Interval> phases;  // by phase
  Picoseconds end = 0;
  std::uint64_t rate_changes = 0;
  std::optional<ChannelUsage> usage;  // of the network's channels, then those inside servers
};

/// Fails with kUnroutable if a message has no route, or never ends because its channels failed.
Result<SimulationResult> simulate_flows(const SimulationInput& input);

}  // namespace weft::jobs
