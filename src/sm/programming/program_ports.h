// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Phases that set PortInfo (addresses, link parameters, M_Keys, port state) or ExtendedPortInfo.
//
// A device may answer a Set of PortInfo with status 0x1C although another Set succeeds: it does not
// support SMSupportExtendedSpeeds, or traffic has moved the port from ARMED to ACTIVE meanwhile. So
// the Set may have further steps.
#pragma once

#include <optional>
#include <string>

#include "ib/smp.h"
#include "sm/programming/programming_state.h"

namespace weft {

/// Steps of one Set, in this order; each may be left out, except the first.
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
/// Takes the answer to kReadState. Empty if the port is in the wanted state or beyond; otherwise
/// the reason of the failure.
std::string confirm_port_state(Programming& programming, const PlannedOp& planned,
                               const Smp& answer);

void fill_port(Programming& programming, const PlannedOp& planned, Smp& request);
std::string confirm_port(Programming& programming, const PlannedOp& planned, const Smp& answer);
/// An M_Key derived from a GUID that was read corrupted would lock the port for ever: the GUID is
/// read again first.
void read_key_owner(Programming& programming, const PlannedOp& planned, Smp& request);
std::string confirm_key_owner(Programming& programming, const PlannedOp& planned,
                              const Smp& answer);
/// The port gets a key of its own, and its GUID was not confirmed.
bool lacks_key_owner(const Programming& programming, const PlannedOp& planned);
/// A change of the M_Key is over, with or without success.
void settle_key(Programming& programming, const PlannedOp& planned);
void note_taken_down(Programming& programming, const PlannedOp& planned);

void fill_fdr10(Programming& programming, const PlannedOp& planned, Smp& request);
std::string confirm_fdr10(Programming& programming, const PlannedOp& planned, const Smp& answer);

}  // namespace weft
