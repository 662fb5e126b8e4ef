// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Phases that set PortInfo (addresses, link parameters, M_Keys, port state) or ExtendedPortInfo.
//
// A device may answer a Set of PortInfo with status 0x1C although another Set would succeed: it
// does not support SMSupportExtendedSpeeds, or traffic has moved the port from ARMED to ACTIVE
// meanwhile. So a Set may have further steps.
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

/// The step after a step that was answered with status 0x1C; kFirst if there is none.
PortStep next_port_step(const Programming& programming, const PlannedOp& planned, PortStep step);
/// Fills a step after the first.
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
/// True if the port gets its own key and its GUID was not confirmed.
bool lacks_key_owner(const Programming& programming, const PlannedOp& planned);
/// Ends a change of the M_Key, with or without success.
void settle_key(Programming& programming, const PlannedOp& planned);
void note_taken_down(Programming& programming, const PlannedOp& planned);

void fill_fdr10(Programming& programming, const PlannedOp& planned, Smp& request);
std::string confirm_fdr10(Programming& programming, const PlannedOp& planned, const Smp& answer);

}  // namespace weft
