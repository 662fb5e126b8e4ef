// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A standby polls the master, and announces itself to a master of lower priority.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "sm/context.h"
#include "sm/election/other_managers.h"

namespace weft {

class Standby {
 public:
  explicit Standby(SmContext& sm) : sm_(sm) {}

  /// `leader` is master or of higher rank: it is polled from now on.
  void follow(const OtherManager& leader);
  const std::optional<OtherManager>& leader() const { return leader_; }
  /// The leader was alive at this time, or later: the request that it answered last was sent.
  TimeNs alive_at() const { return alive_at_; }
  TimeNs next_poll() const { return is_query_due_ ? TimeNs{0} : next_poll_; }
  /// Polls at once, in addition; no answer does not count.
  void query_leader() { is_query_due_ = leader_.has_value(); }
  /// The request of a poll that begins.
  Smp begin_poll();
  /// The master counts as alive if it answers as master or discovering.
  void on_alive(const SmInfo& info);
  /// The poll failed; true after polling_retry_number of them in a row.
  bool on_missed_poll(std::string_view why);
  void forget_missed_polls() { polls_missed_ = 0; }

  /// A master of lower priority gets trap 144 repeatedly, at growing intervals: it may ignore one
  /// during its sweep. Not at equal priority: there an OpenSM stays master regardless of GUIDs.
  void hint();
  /// The next hint() sends at once.
  void hint_from_now_on();

 private:
  SmContext& sm_;
  std::optional<OtherManager> leader_;  // the master to poll
  unsigned polls_missed_ = 0;
  TimeNs alive_at_{0};
  TimeNs polled_at_{0};
  bool is_query_due_ = false;
  bool is_query_ = false;  // the poll in progress
  TimeNs next_poll_{0};
  TimeNs next_hint_{0};   // next trap 144
  TimeNs hint_pause_{0};  // current interval of these traps
};

/// Sends trap 144 (priority change), since a master may query for managers only on an event. False
/// if either has no LID yet.
bool send_priority_trap(SmContext& sm, const OtherManager& master);

}  // namespace weft
