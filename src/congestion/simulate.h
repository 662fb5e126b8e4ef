// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulation of congestion: a pattern's messages follow their routes, and the most loaded channel
// of a path determines the time of the message. Model and metrics: Schneider, Hoefler and
// Lumsdaine, "ORCS: An Oblivious Routing Congestion Simulator", 2009; docs/reference/simulation.md
// has every rule.
//
// A run is one random mapping of ranks to hosts; it depends on the study's seed and the run's
// number only, so runs may be split over threads and processes in any way.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "congestion/pattern.h"
#include "congestion/routed_network.h"
#include "congestion/selection.h"
#include "congestion/tally.h"

namespace weft {

/// Selects one of the 2^LMC paths of a message.
enum class PathChoice {
  kBase,      // the path of the base LID
  kBySource,  // path: the number of the source host modulo the number of paths
  kRandom,    // a random path for each message
  kAll,  // all paths, with an equal part of the message each; the slowest part determines the time
};

/// How AR-capable nodes select a port; static nodes and static networks always use kStatic.
enum class PortPolicy {
  kStatic,  // the channel of the table
  kGreedy,  // for each message the channel that is least loaded when the message is placed
  kSplit,   // ideal: each message is split evenly over the group
};

/// Measures besides the weights and sums of each run.
struct Measures {
  bool delays = false;    // dep_max_delay
  bool channels = false;  // get_cable_cong
  bool fair = false;      // max-min fair rates
};

/// The parameters of a simulation, as requested.
struct StudySpec {
  PatternSpec pattern;
  std::uint32_t ranks = 0;  // participating hosts; 0: all. Ports of a server are one host
  SubsetSpec subset;
  bool shuffle = true;                 // a new mapping before each run; else rank i is host i
  std::optional<std::uint64_t> level;  // this level only
  PathChoice paths = PathChoice::kBase;
  PortPolicy port_policy = PortPolicy::kStatic;
  bool link_rates = false;  // channel rates of the network instead of equal rates
  Measures measures;
  std::uint64_t seed = 0;
};

/// A StudySpec resolved for a network, ready to run.
struct Study {
  StudySpec spec;
  Pattern pattern;
  std::vector<std::uint32_t> hosts;  // by rank, before shuffling; the first port of each
  /// By rank, before shuffling: the ports of a server with several ports. Each port sends the
  /// message to the port of the receiver with the same RoutedNetwork::place(), if there is one.
  /// Empty: a port per rank.
  std::vector<std::vector<std::uint32_t>> ports{};
  std::vector<std::string> notes;  // adjustments
};

/// Patterns made for the ports of a network (traces with names, worst permutations) have a rank for
/// each port of a server. Fails with kUsage on a size, level or option that the network or the
/// pattern does not allow, and as choose_hosts(), make_pattern() and channel_costs().
Result<Study> make_study(const RoutedNetwork& network, const StudySpec& spec);

struct SimulationOptions {
  unsigned threads = 0;
  /// When this flag is true, runs in progress are finished and no further runs are started.
  const std::atomic<bool>* stop = nullptr;
  /// Called from time to time with the number of runs done, from any thread, one call at a time.
  std::function<void(std::uint64_t)> progress{};
  /// Called after each level of each run, one call at a time.
  std::function<void(std::uint64_t run, std::uint64_t level)> level_done{};
};

/// Simulates the runs with numbers in [begin, end). The result does not depend on the number of
/// threads. The tallies of the parts of a range, merged, equal the tally of the range. A connection
/// without a route is dropped and counted.
Tally run_simulation(const RoutedNetwork& network, const Study& study, std::uint64_t begin,
                     std::uint64_t end, const SimulationOptions& options = {});

}  // namespace weft
