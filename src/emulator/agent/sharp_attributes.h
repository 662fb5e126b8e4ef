// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SHARP of switches: GeneralInfo announces it, ExtendedPortInfo of port 0 has its setting.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/model.h"

namespace weft::emulator {

/// A request for an attribute of SHARP to a switch that may have it.
bool is_of_sharp(const Model& model, const Smp& smp, Place at);
/// No response.
bool ignores_sharp(const Model& model, const Smp& smp, Place at);
MadStatus serve_sharp(Model& model, Smp& smp, Place at);

}  // namespace weft::emulator
