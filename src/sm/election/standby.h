// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The standby: it polls the master, or a manager of higher rank that is about to become master, and
// sends trap 144 to a master of lower priority.
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

  /// `other` is master or has a higher rank: this manager polls it from now on.
  void follow(const OtherManager& other);
  const std::optional<OtherManager>& polled_manager() const { return polled_manager_; }
  /// Latest time at which the polled manager is known to run: when the last answered poll was sent,
  /// or the time of follow().
  TimeNs alive_at() const { return alive_at_; }
  TimeNs next_poll() const { return is_query_due_ ? TimeNs{0} : next_poll_; }
  /// Makes a poll due at once, in addition to regular polls; a missing answer is not counted.
  void query_polled_manager() { is_query_due_ = polled_manager_.has_value(); }
  /// Begins a poll; returns its request.
  Smp begin_poll();
  /// Handles an answer of the polled manager that is master or discovering: it runs.
  void on_alive(const SmInfo& info);
  /// Handles a failed poll; true after polling_retry_number failures in a row.
  bool on_missed_poll(std::string_view why);
  void forget_missed_polls() { polls_missed_ = 0; }

  /// Sends trap 144 repeatedly to a master of lower priority, at growing intervals, because the
  /// master may ignore a trap during its sweep. Sends no trap to a master of equal priority,
  /// because an OpenSM then stays master regardless of GUIDs.
  void send_trap_if_due();
  /// Makes the next send_trap_if_due() send a trap, regardless of the interval.
  void make_trap_due();

 private:
  SmContext& sm_;
  std::optional<OtherManager> polled_manager_;  // master, or of higher rank
  unsigned polls_missed_ = 0;
  TimeNs alive_at_{0};
  TimeNs polled_at_{0};
  bool is_query_due_ = false;
  bool is_query_ = false;  // the poll in progress was begun by query_polled_manager()
  TimeNs next_poll_{0};
  TimeNs next_trap_{0};      // next trap 144
  TimeNs trap_interval_{0};  // current interval of these traps
};

/// Sends trap 144 (priority change), because a master may query for managers only after an event.
/// False if one of the two managers has no LID yet.
bool send_priority_trap(SmContext& sm, const OtherManager& master);

}  // namespace weft
