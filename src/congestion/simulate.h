// Simulation of congestion: a pattern's messages follow their routes, and each is slowed by the
// fullest channel on its way. Model and metrics: Schneider, Hoefler and Lumsdaine, "ORCS: An
// Oblivious Routing Congestion Simulator", 2009; docs/reference/simulation.md has every rule.
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

/// Which of its 2^LMC ways a message takes.
enum class PathChoice {
  kBase,      // that of the base LID
  kBySource,  // number (host of the source) modulo their number
  kRandom,    // one at random for each message
  kAll,       // all of them, an equal part of the message each; the slowest part counts
};

/// What nodes that may choose do; those that may not, and all of other networks, do the first.
enum class Choosing {
  kStatic,  // the channel of the table
  kGreedy,  // for each message the channel that is least loaded when it is placed
  kSplit,   // the ideal: every message evenly over all
};

/// What is counted besides weights and sums of each run.
struct Measures {
  bool delays = false;    // dep_max_delay
  bool channels = false;  // get_cable_cong
  bool fair = false;      // max-min fair rates
};

/// What is to be simulated, as it is asked for.
struct StudySpec {
  PatternSpec pattern;
  std::uint32_t ranks = 0;  // hosts that take part; 0: all
  SubsetSpec subset;
  bool shuffle = true;                 // a new mapping before each run; else rank i is host i
  std::optional<std::uint64_t> level;  // this level only
  PathChoice paths = PathChoice::kBase;
  Choosing choosing = Choosing::kStatic;
  bool link_rates = false;  // channels are as fast as the network says, not all alike
  Measures measures;
  std::uint64_t seed = 0;
};

/// The same on a network, ready to run.
struct Study {
  StudySpec spec;
  Pattern pattern;
  std::vector<std::uint32_t> hosts;  // by rank, before shuffling
  std::vector<std::string> notes;    // what was adjusted
};

/// Fails with kUsage on what the network or the pattern does not have.
Result<Study> make_study(const RoutedNetwork& network, const StudySpec& spec);

struct SimulationOptions {
  unsigned threads = 0;
  /// Runs that have begun when it is set are finished, no others are begun.
  const std::atomic<bool>* stop = nullptr;
  /// Called now and then, from any thread, one at a time, with the number of runs done.
  std::function<void(std::uint64_t)> progress{};
  /// Called after each level of each run, one at a time.
  std::function<void(std::uint64_t run, std::uint64_t level)> level_done{};
};

/// Runs with the numbers in [begin, end). Equal for any number of threads, and for any split of a
/// range whose parts are merged. A route that fails is dropped and counted.
Tally run_simulation(const RoutedNetwork& network, const Study& study, std::uint64_t begin,
                     std::uint64_t end, const SimulationOptions& options = {});

}  // namespace weft
