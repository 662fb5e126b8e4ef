// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handling of traps: checks of their senders, TrapRepress, limits and the log; the result is the
// reaction that a trap requires of the manager. Also disables ports that send error traps without
// end, and disables and enables switch ports for the record of unhealthy ports.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sm/context.h"
#include "sm/discovery/one_smp.h"
#include "sm/traps/responder.h"
#include "sm/traps/trap_ledger.h"
#include "sm/traps/trap_limits.h"

namespace weft {

/// The reaction that a trap requires.
struct TrapReaction {
  TrapEffect effect = TrapEffect::kNone;
  std::string what{};  // description of the trap; may be empty above the limit of the sender
  Lid from{};          // sender of the trap
  TimeNs at{0};        // when the effect is due, if the sender exceeded its limit; 0: at once
};

class Traps {
 public:
  /// `sm` must outlive this object.
  explicit Traps(SmContext& sm) : sm_(sm) {}

  /// Handles a trap; returns the required reaction. `sweeping`: a sweep is in progress, which may
  /// assign LIDs that the snapshot does not have yet.
  TrapReaction on_trap(const Smp& trap, bool sweeping);
  /// Traps recorded since the last call, to be forwarded to subscribers; traps above the limits are
  /// not recorded.
  std::vector<Notice> take() { return std::exchange(received_, {}); }

  // Ports of switches to be disabled, or enabled again
  void switch_port(const CableEnd& end, bool enable) { orders_.push_back({end, enable}); }
  bool has_ports_to_switch() const { return !orders_.empty(); }
  /// Begins to disable or enable the next known port; false if there is none.
  bool begin_switching();
  /// True while a port is being disabled or enabled: step() must be called.
  bool is_busy() const { return port_set_ != nullptr; }
  void step(TimeNs deadline);
  /// Drops work in progress.
  void cancel() { port_set_.reset(); }

 private:
  static constexpr std::size_t kReceivedMax = 4096;

  std::string describe_trap(const Notice& notice, Lid from) const;
  void repress(const Smp& trap, EndportId sender);
  TrapReaction on_unknown_sender(const Notice& notice, Lid from, bool sweeping);
  bool may_log(Lid sender);
  void reject(Lid sender, const std::string& what, const std::string& objection);
  void record(const Notice& notice, Lid from, Lid sender, const std::string& what);
  TrapReaction limited(const TrapReaction& reaction, Lid sender, bool over_limit);
  void plan_disabling(const TrapPortError& error, EndportId sender, const std::string& what);
  struct Order {
    CableEnd end;
    bool enable = false;
  };
  bool begin_switching(const Order& order);

  SmContext& sm_;
  TrapLedger ledger_;
  TrapLimits limits_;
  std::vector<Notice> received_;
  std::deque<Order> orders_;  // the oldest first: the last order of a port decides its state
  std::unique_ptr<OneSmp> port_set_;  // Set of the port that is being disabled or enabled
  Order order_;                       // the order that port_set_ executes
};

}  // namespace weft
