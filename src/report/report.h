// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Data of a report: one fabric, for each run (set of routes) figures, loads and packed tables, and
// the effect of failures. The routes themselves are not kept, because several large tables may not
// fit into memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "congestion/quality/quality.h"
#include "fabric/fabric.h"
#include "report/packed_tables.h"
#include "report/traffic.h"
#include "report/usage.h"
#include "routes/routes.h"
#include "verify/verify.h"

namespace weft {

/// A job or a phase of a job, in seconds since the start of the first job.
struct TimeSpan {
  std::string name;
  double begin = 0;
  double end = 0;
};

/// Routes of one engine, or tables of another subnet manager.
struct ReportRun {
  std::string name;
  std::string reason;  // reason why there are no routes; all later members are then empty
  unsigned vls = 0;
  unsigned vls_needed = 0;
  std::vector<std::string> notes;
  bool verified = false;
  Verdict verdict;
  Quality quality;
  Usage usage;
  PackedTables tables;
  Sl2Vl sl2vl;
  std::vector<Traffic> traffic;  // one per requested pattern, or none
  std::vector<TimeSpan> jobs;    // in the order of the timeline
  bool has_routes() const { return reason.empty(); }
};

/// Consequences of one failure. The page lists rows in the order of Report::what_if; clicking a row
/// marks its cables in the drawing.
struct WhatIfRow {
  std::string name;                 // name of the cable or switch
  std::vector<ChannelId> channels;  // one channel of each failed cable
  bool routed = true;  // false: no engine routes the remaining fabric; only pairs_cut is valid
  std::uint64_t pairs_cut = 0;   // ordered pairs of hosts with a path over the failed element
  std::uint64_t pairs_lost = 0;  // pairs without any path left
  double ebb_left = 0;           // effective bisection bandwidth after rerouting, 0..1
  std::uint64_t blocks = 0;      // forwarding-table blocks to program
  unsigned vls = 0;              // VLs that the new routes need
  double seconds = 0;            // time to reroute; 0 if not measured
};

struct Report {
  std::string title;
  std::string input;    // the file or spec
  std::string program;  // "weft 0.1.0"
  Fabric fabric;
  std::vector<ReportRun> runs;
  std::string what_if_of;          // routing engine
  std::vector<WhatIfRow> what_if;  // not shown if empty
};

struct RunOptions {
  unsigned threads = 0;
  std::uint64_t seed = 0;  // seed of the random matchings
  std::vector<TrafficSpec> traffic;
};

/// Computes the data of a run, without jobs. `verdict`: no value if the routes were not verified.
/// Fails as simulate_traffic() does.
Result<ReportRun> make_run(const Fabric& fabric, Routes routes, std::optional<Verdict> verdict,
                           const RunOptions& options);

}  // namespace weft
