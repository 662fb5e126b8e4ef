// What a manager knows of its place among others; the SubnetManager's notes for mastership.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sm/change_clearing.h"
#include "sm/election.h"
#include "sm/other_managers.h"

namespace weft {

struct Mastership {
  SmState state = SmState::kDiscovering;
  std::optional<Guid> own_guid;      // of the port that the manager sits on, once it is known
  TimeNs introduce_at{0};            // when the own port is asked who it is
  std::vector<Smp> early;            // requests of others that came before that
  std::vector<OtherManager> others;  // that answered when they were last asked

  // As standby
  std::optional<OtherManager> leader;  // whom to watch
  unsigned polls_missed = 0;
  TimeNs next_poll{0};
  TimeNs next_hint{0};       // traps to a leader of lower rank: not before
  TimeNs hint_pause{0};      // and then after so long
  bool was_standby = false;  // another manager ruled before; until the first sweep as master

  // As master
  std::optional<OtherManager> successor;  // HANDOVER is sent, ACKNOWLEDGE has not come
  TimeNs until{0};                        // how long that, or a handover to us, is waited for
  TimeNs next_look{0};                    // whether the successor is master already
  unsigned waits = 0;                     // in vain for a handover to us
  std::optional<Guid> refused_by;         // did not acknowledge; not asked again before...
  TimeNs refused_until{0};
  std::optional<Smp> owed;  // our ACKNOWLEDGE, to be sent
  std::string predecessor;  // to whom

  // What is being asked or told at the moment
  std::unique_ptr<ManagerInquiry> inquiry;
  std::unique_ptr<ChangeClearing> clearing;
  std::unique_ptr<OneSmp> talk;
};

}  // namespace weft
