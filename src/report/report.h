// What a report tells: one fabric, and each way that it was routed reduced to figures, loads and
// packed tables, so that large tables need not be kept side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "congestion/quality.h"
#include "fabric/fabric.h"
#include "report/packed_tables.h"
#include "report/traffic.h"
#include "report/usage.h"
#include "routes/routes.h"
#include "verify/verify.h"

namespace weft {

/// One engine's routes, or somebody's tables.
struct ReportRun {
  std::string name;
  std::string reason;  // why there are no routes; then all below is empty
  unsigned vls = 0;
  unsigned vls_needed = 0;
  std::vector<std::string> notes;
  bool judged = false;
  Verdict verdict;
  Quality quality;
  Usage usage;
  PackedTables tables;
  Sl2Vl sl2vl;
  std::vector<Traffic> traffic;  // one for each that was asked for, or none
  bool served() const { return reason.empty(); }
};

/// What one failure costs. The page lists rows as they come; a row that is clicked shows its cables
/// in the drawing.
struct WhatIfRow {
  std::string name;                 // of the cable or switch
  std::vector<ChannelId> channels;  // what fails; either direction of each cable
  bool routed = true;               // false: no engine serves what is left; only pairs_cut counts
  std::uint64_t pairs_cut = 0;      // ordered pairs of hosts whose way leads over it
  std::uint64_t pairs_lost = 0;     // that no way is left for
  double ebb_left = 0;              // effective bisection bandwidth after routing anew, 0..1
  std::uint64_t blocks = 0;         // forwarding table blocks to be written
  unsigned vls = 0;                 // lanes that the new routes need
  double seconds = 0;               // to route anew; 0 where nobody wants to know
};

struct Report {
  std::string title;
  std::string input;    // the file or spec
  std::string program;  // "weft 0.1.0"
  Fabric fabric;
  std::vector<ReportRun> runs;
  std::string what_if_of;          // the engine that was asked
  std::vector<WhatIfRow> what_if;  // the page shows nothing where this is empty
};

struct RunOptions {
  unsigned threads = 0;
  std::uint64_t seed = 0;  // of the random matchings
  std::vector<TrafficSpec> traffic;
};

/// Everything about routes that the page shows; with a verdict where they were judged. Fails on
/// traffic that the fabric cannot have.
Result<ReportRun> make_run(const Fabric& fabric, Routes routes, std::optional<Verdict> verdict,
                           const RunOptions& options);

}  // namespace weft
