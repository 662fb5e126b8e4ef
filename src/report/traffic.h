// Simulated traffic as pictures need it: the bandwidth of each run, delays, and where flows meet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "congestion/metrics.h"
#include "congestion/simulate.h"
#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// What to simulate: the same for all runs of a report, so that engines meet the same traffic.
struct TrafficSpec {
  PatternSpec pattern;
  std::uint32_t ranks = 0;  // hosts that take part; 0: all
  std::uint64_t runs = 1000;
  std::uint64_t seed = 0;
};

struct Traffic {
  std::string pattern;             // "bisect, 1000 runs on 1024 hosts"
  std::string beside;              // SECOND of FIRST+SECOND
  std::vector<double> bandwidths;  // mean part of the bandwidth that flows get, by run
  std::vector<double> delays;  // by run; of patterns that are two, the first's: see FIRST+SECOND
  std::vector<std::uint64_t> flows;  // by ChannelId, over all runs
  std::uint64_t dropped = 0;         // connections without a route
};

/// "bisect", "neighbor:4", or FIRST+SECOND: how the first fares beside the second (ptrnvsptrn).
/// Fails with kUsage on an unknown pattern.
Result<PatternSpec> parse_traffic(const std::string& text);

/// Fails as make_study() does.
Result<Traffic> simulate_traffic(const Fabric& fabric, const Lfts& lfts, const TrafficSpec& spec,
                                 unsigned threads);

}  // namespace weft
