// What the manager says to those who speak to it unasked: agents with traps, and other managers
// that ask who it is. Pure functions; the SubnetManager sends what they return.
#pragma once

#include <cstdint>
#include <string>

#include "ib/notice.h"
#include "ib/sm_info.h"
#include "ib/smp.h"

namespace weft {

/// An answer goes back the way the request came, with the request's attribute and data.
Smp answer_to(const Smp& request, Method method);

/// The answer to Get(SMInfo). The SM_Key is told to nobody: who must know it knows it. Any other
/// request gets a status that says that it is not supported.
Smp answer_sm_request(const Smp& request, const SmInfo& self);

/// True where the sender of a trap can be told to stop: it has a LID.
bool can_repress(const Smp& trap);

/// What a trap calls for.
enum class TrapEffect {
  kNone,         // known, and nothing to be done about the fabric
  kSweepInTime,  // something that the next sweep should see: a name, an enabled speed
  kSweepAtOnce,  // links changed
};
TrapEffect effect_of(const Notice& notice);

/// "trap 128 (link state change) from LID 7", for the log.
std::string describe(const Notice& notice, Lid from);

}  // namespace weft
