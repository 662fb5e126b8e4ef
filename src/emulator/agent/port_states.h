// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SwitchPortStateTable of switches: supported, not announced, refused, or without a response.
// mad_status.h describes what a serve_ function does.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/model.h"
#include "ib/vendor/port_states.h"

namespace weft::emulator {

/// True if the switch sends no response to this attribute.
bool ignores_port_states(const Model& model, const Smp& smp, Place at);

MadStatus serve_port_states(const Model& model, Smp& smp, Place at);

}  // namespace weft::emulator
