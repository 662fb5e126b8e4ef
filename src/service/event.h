// What happens on the fabric and to its manager, as plain values; all of them are made here, by
// comparing what sweeps published and from what the manager tells as it goes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gmp/error_rises.h"
#include "ib/ids.h"
#include "service/event_plugin.h"
#include "sm/occurrence.h"
#include "sm/subnet_manager.h"
#include "sm/sweep_report.h"

namespace weft {

/// event_plugin.h says of each kind which members it uses.
struct Event {
  weft_event_kind kind = WEFT_EVENT_ERROR;
  std::uint64_t sweep = 0;
  Guid node;
  std::string name;  // of the node
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

/// "link_gone", the word of the stream.
std::string_view name(weft_event_kind kind);

/// What is different between two fabrics and their routes: nodes, then links, then LIDs, each in
/// order of GUIDs, then routes. Null before: everything appears.
std::vector<Event> compare(const Snapshot* before, const Snapshot& after);

/// One event for each fact, and warnings behind the end of their sweep.
std::vector<Event> events_of(const Occurrence& occurrence, const SweepReport& report,
                             std::uint64_t sweep);

/// By the performance manager, between two sweeps.
Event event_of(const ErrorRise& rise);

/// Follows a manager from step to step.
class EventSource {
 public:
  /// What is new since the last call; most often nothing, at no cost.
  std::vector<Event> collect(SubnetManager& sm);

 private:
  std::shared_ptr<const Snapshot> last_;
  std::size_t lost_ = 0;
};

}  // namespace weft
