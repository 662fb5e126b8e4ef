// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Measures how AR-capable switches restore connectivity after a failure, by port selection and
// fault routing notifications (FRN), before the subnet manager reroutes. Each failure is simulated
// on an emulated fabric of its own. All times are of the emulator's clock unless stated otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"
#include "emulator/counters.h"
#include "emulator/options.h"
#include "fabric/fabric.h"
#include "routes/notifications.h"
#include "sm/options.h"
#include "whatif/what_if.h"

namespace weft::cli {

inline constexpr std::size_t kWaitingPairsListed = 10;

/// A pair of endports that remains disconnected until the manager reroutes.
struct WaitingPair {
  EndportId from, to;
  bool operator==(const WaitingPair&) const = default;
};

/// A pair is an ordered pair of a CA port and a LID of another CA port, as in what_if.h. It is
/// connected if packets arrive for every possible selection of ports. No other count includes the
/// pairs of pairs_lost.
struct Repair {
  Failure failure;
  std::uint64_t pairs_cut = 0;  // with a path over a failed element
  std::uint64_t pairs_cut_after_selection =
      0;                               // still disconnected with selection among active ports only
  std::uint64_t pairs_waiting = 0;     // still disconnected after all notifications
  std::vector<WaitingPair> waiting{};  // examples, one host per switch, at most kWaitingPairsListed
  std::uint64_t pairs_lost = 0;        // still disconnected after the manager rerouted
  bool credit_loop = false;            // the adaptive routes after the notifications have one
  TimeNs repaired_after{0};  // from the failure to the last notification consumed or forwarded
  NotificationCounters notifications{};
  bool routed_anew = false;  // the manager completed its sweep, and the subnet is up
  /// From the failure to the end of the last heavy sweep: SMPs, without computation.
  TimeNs swept_after{0};
  std::uint64_t smps = 0;  // number of SMPs of these heavy sweeps
  double seconds = 0;      // real time: LIDs, routing, verification, table differences
};

struct RepairStudy {
  std::uint64_t switches = 0;   // with adaptive routing enabled
  std::uint64_t notifying = 0;  // of these, FRN-capable
  NotificationCount roles;
  std::vector<Repair> repairs;  // in the order of the failures
};

/// Simulates each failure and its repair. The manager assigns the LIDs. Fails with kUnroutable if
/// the fabric has no host for the manager, or if the manager cannot bring the fabric up. Results do
/// not depend on the number of threads.
Result<RepairStudy> study_repairs(const Fabric& fabric, const SmOptions& options,
                                  const EmulatorOptions& emulator,
                                  std::span<const Failure> failures, unsigned threads);

}  // namespace weft::cli
