// /metrics: every figure of the service in Prometheus' text format. A pure function of what is
// posted on the board, so that a scrape asks nobody and costs the fabric nothing.
#pragma once

#include <memory>
#include <string>

#include "sa/meter.h"
#include "service/sm_board.h"

namespace weft {

struct MetricsView {
  SmBoard::Posted posted;
  std::shared_ptr<const sa::Meter> sa;            // may be null
  PortCountsTable counters;                       // likewise
  std::string version;                            // of the program
  std::uint64_t events = 0;                       // that have happened since the start
  std::shared_ptr<const HistoryMeter> history{};  // may be null
  /// snapshot_metrics() of the posted one; null: it is made.
  std::shared_ptr<const std::string> of_snapshot{};
};

std::string metrics_text(const MetricsView& view);
/// The families that follow from the snapshot alone: the same until another one is published.
std::string snapshot_metrics(const Snapshot& snapshot);

/// Why the manager is not ready to serve; empty: it is. Ready is a master whose verified routes are
/// in force, and a standby that knows its master.
std::string not_ready_because(const SmBoard::Posted& posted);

}  // namespace weft
