// How switches repair the ways over what fails, before the subnet manager has looked: each failure
// happens to an emulated fabric of its own, whose switches choose among ports and tell each other,
// and whose manager then routes anew. All times are of the emulator's clock.
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

inline constexpr std::size_t kWaitingNamed = 10;

/// Endports of the fabric that is studied.
struct WaitingPair {
  EndportId from, to;
  bool operator==(const WaitingPair&) const = default;
};

/// Pairs are ordered pairs of a CA port and a LID of another, as in what_if.h; one counts as
/// connected if its packets arrive whatever switches choose.
struct Repair {
  Failure failure;
  std::uint64_t pairs_cut = 0;         // some of their ways led over what failed
  std::uint64_t pairs_noticed = 0;     // of these, left when switches choose among live ports
  std::uint64_t pairs_waiting = 0;     // left when all notifications have arrived: for the manager
  std::vector<WaitingPair> waiting{};  // some of them, one host a switch, at most kWaitingNamed
  std::uint64_t pairs_lost = 0;        // that the manager cannot connect either
  bool credit_loop = false;            // by what switches choose among after the notifications
  TimeNs repaired_after{0};  // from the failure to the last notification that changed a choice
  NotificationCounters notifications{};
  bool routed_anew = false;  // the manager came to an end with its sweep
  TimeNs swept_after{0};     // from the failure to that end: SMPs, no computing
  std::uint64_t smps = 0;    // of that sweep
  double seconds = 0;        // real ones: routing, the proof and what is to be written
};

struct RepairStudy {
  std::uint64_t switches = 0;   // that choose
  std::uint64_t notifying = 0;  // of these
  NotificationCount roles;
  std::vector<Repair> repairs;  // in the order of the failures
};

/// `fabric` is taken with the LIDs that the manager gives. Fails with kUnroutable where the manager
/// cannot bring the fabric up. Threads change nothing but the time.
Result<RepairStudy> study_repairs(const Fabric& fabric, const SmOptions& options,
                                  const EmulatorOptions& emulator,
                                  std::span<const Failure> failures, unsigned threads);

}  // namespace weft::cli
