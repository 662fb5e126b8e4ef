// State of the election: data of the SubnetManager for mastership.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sm/election/election.h"
#include "sm/election/other_managers.h"
#include "sm/programming/change_clearing.h"

namespace weft {

struct Mastership {
  SmState state = SmState::kDiscovering;
  std::optional<Guid> own_guid;      // GUID of the manager's port, once known
  TimeNs introduce_at{0};            // when the own port's GUID is read
  std::vector<Smp> early;            // requests of other managers before that
  std::vector<OtherManager> others;  // managers that have answered

  // As standby
  std::optional<OtherManager> leader;  // the master to poll
  unsigned polls_missed = 0;
  TimeNs next_poll{0};
  TimeNs next_hint{0};       // next trap 144 to a master of lower rank
  TimeNs hint_pause{0};      // current interval of these traps
  bool was_standby = false;  // another manager was master; until the first sweep as master

  // As master
  std::optional<OtherManager> successor;  // HANDOVER sent, ACKNOWLEDGE not received
  TimeNs until{0};                        // deadline for ACKNOWLEDGE, or for a HANDOVER to us
  TimeNs next_successor_poll{0};          // next poll whether the successor is master already
  unsigned waits = 0;                     // expired waits for a HANDOVER to us
  std::optional<Guid> refused_by;         // did not acknowledge; no HANDOVER before refused_until
  TimeNs refused_until{0};
  std::optional<Smp> owed;  // our ACKNOWLEDGE, still to be sent
  std::string predecessor;  // its recipient

  // SMPs in progress
  std::unique_ptr<ManagerInquiry> inquiry;
  std::unique_ptr<ChangeClearing> clearing;
  std::unique_ptr<OneSmp> talk;
};

}  // namespace weft
