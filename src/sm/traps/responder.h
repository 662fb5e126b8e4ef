// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Responses to unsolicited SMPs, the trap of a priority change, and the effects and descriptions of
// received traps. Pure functions; Traps, Mastership and Standby send the SMPs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ib/notice.h"
#include "ib/sm_info.h"
#include "ib/smp.h"

namespace weft {

/// A response along the reverse path, with the request's attribute and data.
Smp answer_to(const Smp& request, Method method);

/// Trap 144 (priority change) by LID to the master.
Smp priority_trap(Lid from, Lid to, NodeType type);

/// How the manager reacts to a trap.
enum class TrapEffect {
  kNone,                          // no action on the fabric
  kReadName,                      // only the node description of the sender changed
  kReadCapabilities,              // the capability mask of the sender's port changed
  kReadVports,                    // the state of a virtual port of the sender's port changed
  kReadVportDetails,              // other attributes of a virtual port changed
  kReadVportDetailsAndHierarchy,  // also HierarchyInfo of the sender's node changed
  kReadReasons,                   // a switch reports recovery or failures of its ports
  kLightSweep,                    // an error counter exceeded its threshold: check the link
  kHeavyAtNextLightSweep,         // a change to be read by the next sweep, such as an enabled speed
  kQueryManagers,  // a subnet manager came up or changed its priority: query all managers
  kSweepAtOnce,    // links changed
};
TrapEffect effect_of(const Notice& notice);

/// The name of a generic trap number; empty for unknown and vendor-specific numbers.
std::string_view trap_name(const Notice& notice);

/// A trap as text for the log: "trap 128 (link state change) from LID 7".
std::string describe(const Notice& notice, Lid from);

}  // namespace weft
