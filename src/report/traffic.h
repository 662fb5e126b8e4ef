// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulated traffic for pictures: bandwidth of each run, delays, and flows per channel.
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

/// The traffic to simulate. It is the same for all runs of a report, so that engines are compared.
struct TrafficSpec {
  PatternSpec pattern;
  std::uint32_t ranks = 0;  // participating hosts; 0: all
  std::uint64_t runs = 1000;
  std::uint64_t seed = 0;
};

struct Traffic {
  std::string pattern;               // "bisect, 1000 runs on 1024 hosts"
  std::string beside;                // SECOND of FIRST+SECOND
  std::vector<double> bandwidths;    // by run: mean share of the bandwidth that a flow receives
  std::vector<double> delays;        // by run, only for FIRST+SECOND: the largest delay of FIRST
  std::vector<std::uint64_t> flows;  // by ChannelId, over all runs
  std::uint64_t dropped = 0;         // connections without a route
};

/// Parses "bisect", "neighbor:4", or FIRST+SECOND: results of FIRST with concurrent SECOND
/// (ptrnvsptrn). Fails with kUsage on an unknown pattern.
Result<PatternSpec> parse_traffic(const std::string& text);

/// Simulates the traffic. Fails as network_of() and make_study() do.
Result<Traffic> simulate_traffic(const Fabric& fabric, const Lfts& lfts, const TrafficSpec& spec,
                                 unsigned threads);

}  // namespace weft
