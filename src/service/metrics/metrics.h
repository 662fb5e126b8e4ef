// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The document of /metrics in the text format of Prometheus. It depends only on published state, so
// that a scrape sends no MADs and does not involve the thread of the subnet manager.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sa/meter.h"
#include "service/replication/replication.h"
#include "service/sm_board.h"

namespace weft {

struct MetricsView {
  SmBoard::Posted posted;
  std::shared_ptr<const sa::Meter> sa;            // may be null
  PortCountsTable counters;                       // may be null
  std::string version;                            // version of the program
  std::uint64_t events = 0;                       // number of events since the start
  std::shared_ptr<const HistoryMeter> history{};  // may be null
  std::shared_ptr<const AlarmBook> alarms{};      // may be null
  std::vector<std::shared_ptr<const DeliveryMeter>> alarm_receivers{};
  /// Cached snapshot_metrics(posted.snapshot); null: the text is computed.
  std::shared_ptr<const std::string> of_snapshot{};
  std::optional<replication::ReplicationStatus> replication{};  // empty: not configured
  std::shared_ptr<const CongestionMeter> congestion{};          // may be null
};

std::string metrics_text(const MetricsView& view);
/// The metric families that depend only on the snapshot, so that the text can be cached.
std::string snapshot_metrics(const Snapshot& snapshot);

/// The reason why the manager is not ready; empty if it is ready. A master is ready when verified
/// routes are active, and a standby when it has found the master.
std::string reason_not_ready(const SmBoard::Posted& posted);

}  // namespace weft
