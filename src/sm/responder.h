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

/// Trap 144 by LID to a master that should know of a manager with a priority of its own.
Smp priority_trap(Lid from, Lid to, NodeType type);

/// True where the sender of a trap can be told to stop: it has a LID.
bool can_repress(const Smp& trap);

/// What a trap calls for.
enum class TrapEffect {
  kNone,              // known, and nothing to be done about the fabric
  kReadName,          // the description of the sender changed, and nothing else
  kReadCapabilities,  // the capability mask of the sender's port changed
  kLightSweep,        // a port counts too many errors: is its link still there?
  kSweepInTime,       // something that the next sweep should see, such as an enabled speed
  kAskManagers,       // a subnet manager came up, or changed its priority: a sweep that asks all
  kSweepAtOnce,       // links changed
};
TrapEffect effect_of(const Notice& notice);

/// "trap 128 (link state change) from LID 7", for the log.
std::string describe(const Notice& notice, Lid from);

}  // namespace weft
