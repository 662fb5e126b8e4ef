// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Phases that set PortInfo (addresses, link parameters, M_Keys, port state) or ExtendedPortInfo.
//
// A device may answer a Set of PortInfo with status 0x1C for two reasons that are not failures.
// Traffic may have moved the port from ARMED to ACTIVE, so the state of the port is read. The
// device may not support SMSupportExtendedSpeeds, so the Set is sent again without it.
#pragma once

#include <optional>
#include <string>

#include "ib/smp.h"
#include "sm/programming/programming_state.h"

namespace weft {

/// Steps of one Set, in this order; each step except the first may be left out.
enum class PortStep : std::uint8_t {
  kFirst,
  kReadState,  // a Get
  kPlain       // once more without SMSupportExtendedSpeeds
};

/// The step after a Set that was answered with status 0x1C, or after kReadState if the port has not
/// reached the wanted state; kFirst if there is none.
PortStep next_port_step(const Programming& programming, const PlannedOp& planned, PortStep step);
/// Fills the request of a step other than kFirst.
void fill_port_step(Programming& programming, const PlannedOp& planned, PortStep step,
                    Smp& request);
/// Handles the answer to kReadState. Returns an empty text if the port has reached the wanted
/// state; otherwise the reason of the failure.
std::string confirm_port_state(Programming& programming, const PlannedOp& planned,
                               const Smp& answer);

void fill_port(Programming& programming, const PlannedOp& planned, Smp& request);
std::string confirm_port(Programming& programming, const PlannedOp& planned, const Smp& answer);
/// Reads the GUID of the port again before an M_Key derived from it is set: a key from a corrupted
/// GUID would lock the port permanently.
void read_key_owner(Programming& programming, const PlannedOp& planned, Smp& request);
std::string confirm_key_owner(Programming& programming, const PlannedOp& planned,
                              const Smp& answer);
/// True if the port gets its own key, but its GUID was not confirmed.
bool lacks_key_owner(const Programming& programming, const PlannedOp& planned);
/// Removes the record that the M_Key of the port is being changed, after success or failure.
void settle_key(Programming& programming, const PlannedOp& planned);
void note_taken_down(Programming& programming, const PlannedOp& planned);

void fill_fdr10(Programming& programming, const PlannedOp& planned, Smp& request);
std::string confirm_fdr10(Programming& programming, const PlannedOp& planned, const Smp& answer);

}  // namespace weft
