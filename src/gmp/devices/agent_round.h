// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The order of the requests of a round: each device has at most one request waiting or outstanding.
// The first request to a device is the query whether the device supports the feature. A device that
// does not answer the query is queried again by the first round after a pause; if no device of the
// same kind has answered before, no device of this kind is queried during the pause.
//   round.begin(snapshot, now);   round.queue_query(round.add(endport));
//   while (const auto device = round.next()) ...;   round.on_outcome(device, answered);
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sm/devices/answering_kinds.h"
#include "sm/pauses.h"
#include "sm/sweep_report.h"

namespace weft {

class AgentRound {
 public:
  /// Begins a round without devices. `snapshot` may be null; then no device may be added.
  void begin(std::shared_ptr<const Snapshot> snapshot, TimeNs now);
  /// Adds the device with this endport, without a request. Returns its index: 0, 1, ...
  std::uint32_t add(EndportId at);

  const Snapshot* snapshot() const { return snapshot_.get(); }
  EndportId at(std::uint32_t device) const { return devices_[device].at; }
  Guid port(std::uint32_t device) const { return devices_[device].port; }
  /// Whether a port is not in the pause after a query without an answer.
  bool is_query_due(Guid port) const { return silent_.is_due(port, now_); }

  void queue_query(std::uint32_t device) { queue(device, true); }
  void queue_request(std::uint32_t device) { queue(device, false); }
  /// The device that gets a request now, which is outstanding until on_outcome(). None if no
  /// request may be sent now.
  std::optional<std::uint32_t> next();
  /// To be called once for each request of next().
  void on_outcome(std::uint32_t device, bool is_answered);
  /// True if no request is outstanding or waiting.
  bool is_done() const { return outstanding_ == 0 && waiting_.empty(); }

  /// Logs a problem of a device with a feature, unless it equals the last logged problem.
  void log_once(std::uint32_t device, std::string_view feature, const std::string& why);
  /// To be called when the device has no problem with the feature.
  void forget_logged(std::uint32_t device, std::string_view feature);

 private:
  struct Device {
    EndportId at{};
    Guid port{};
    bool is_query = false;  // the request that is waiting or outstanding is the query
  };
  void queue(std::uint32_t device, bool is_query);
  const NodeInfo& node_of(std::uint32_t device) const;

  std::shared_ptr<const Snapshot> snapshot_;
  TimeNs now_{0};  // start of the round
  std::vector<Device> devices_;
  std::deque<std::uint32_t> waiting_;  // indexes into devices_
  std::size_t outstanding_ = 0;
  AnsweringKinds kinds_;
  DevicePauses silent_;                                         // ports without an answer
  std::map<std::pair<Guid, std::string>, std::string> logged_;  // by port and feature
};

}  // namespace weft
