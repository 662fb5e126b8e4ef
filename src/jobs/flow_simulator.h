// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulates the messages of a schedule as flows. A message waits for its predecessors, then for its
// start-up time and the latency of its static path. Then its bytes are sent at the max-min fair
// rate among all flows, and the message ends with its last byte. The cost of an event depends on
// the flows that it changes, not on the size of the network.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "jobs/channel_usage.h"
#include "jobs/paths.h"
#include "jobs/schedule.h"

namespace weft::jobs {

/// At `time` channels fail, or routes change to those of another network with the same hosts and
/// channels, or both. Flows on failed channels stop until routes avoid these channels. Background
/// streams keep their paths.
struct NetworkChange {
  Picoseconds time = 0;
  std::vector<std::uint32_t> failed;
  const RoutedNetwork* network = nullptr;
};

struct SimulationInput {
  const RoutedNetwork& network;
  const Schedule& schedule;
  PathOptions paths{};
  std::vector<NetworkChange> changes{};     // sorted by time
  std::optional<std::uint32_t> only_job{};  // the job to simulate alone, without background
  bool with_usage = false;
};

struct Interval {
  Picoseconds start = kNever;
  Picoseconds end = 0;
};

struct JobRun {
  Interval time;
  std::uint64_t messages = 0;  // number of messages that have bytes
  double bytes = 0;            // bytes sent
};

struct SimulationResult {
  std::vector<JobRun> jobs;      // by job; jobs that were left out have no messages
  std::vector<Interval> phases;  // by phase
  Picoseconds end = 0;
  std::uint64_t rate_changes = 0;  // number of rates set for messages
  /// Channels of the network, then channels inside servers, then a channel for each stream.
  std::optional<ChannelUsage> usage;
};

/// Fails with kUnroutable if a message has no route, or never ends because a channel of its path
/// has failed; with kBadInput if a message takes kOpTimeMax or longer, or the jobs take longer than
/// the maximum time of a simulation. Background streams without a route are left out.
Result<SimulationResult> simulate_flows(const SimulationInput& input);

}  // namespace weft::jobs
