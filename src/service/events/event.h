// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Events of the fabric and of the subnet manager, derived from differences between published
// snapshots, from the occurrences that the manager reports, and from rises of error counters.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gmp/error_rises.h"
#include "ib/ids.h"
#include "service/events/event_plugin.h"
#include "sm/occurrence.h"
#include "sm/subnet_manager.h"
#include "sm/sweep_report.h"

namespace weft {

/// event_plugin.h lists the members that each kind uses.
struct Event {
  weft_event_kind kind = WEFT_EVENT_ERROR;
  std::uint64_t sweep = 0;
  Guid node;
  std::string name;  // name of the node
  PortNum port;
  Guid peer;
  std::string peer_name;
  PortNum peer_port;
  Lid lid;
  Lid lid_before;
  std::uint64_t count = 0;
  std::uint64_t count_before = 0;
  std::string text;
  bool operator==(const Event&) const = default;
};

/// Name of the kind in the event log, such as "link_gone".
std::string_view name(weft_event_kind kind);

/// Differences between two snapshots: nodes, links and LIDs, each ordered by GUID, then routes.
/// `before` may be null: everything is reported as new.
std::vector<Event> compare(const Snapshot* before, const Snapshot& after);

/// The events that report the occurrence. This is one event, except for the end of a sweep: the
/// errors and warnings of the sweep follow the event of the end.
std::vector<Event> events_of(const Occurrence& occurrence, const SweepReport& report,
                             std::uint64_t sweep);

/// The event for a counter that rose between two sweeps of the performance manager.
Event event_of(const ErrorRise& rise);

/// Collects the events of a manager. Call collect() after each step of the manager.
class EventSource {
 public:
  /// Events since the last call. Cheap if there are none, as in most calls.
  std::vector<Event> collect(SubnetManager& sm);

 private:
  std::shared_ptr<const Snapshot> last_;
  std::size_t lost_ = 0;
};

}  // namespace weft
