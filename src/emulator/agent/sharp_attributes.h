// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SHARP of switches: announced by GeneralInfo (general_info.h); its setting is in ExtendedPortInfo
// of port 0. mad_status.h describes what a serve_ function does.
#pragma once

#include <cstdint>

#include "emulator/agent/mad_status.h"
#include "emulator/feature_support.h"
#include "emulator/model.h"

namespace weft::emulator {

FeatureSupport sharp_support(const Model& model, Place at);

/// True for a request of the SHARP setting to a switch with a sharp_support() other than kRefused.
bool is_of_sharp(const Model& model, const Smp& smp, Place at);
/// True for a request of the SHARP setting to which the switch sends no response.
bool ignores_sharp(const Model& model, const Smp& smp, Place at);
MadStatus serve_sharp(Model& model, Smp& smp, Place at);

}  // namespace weft::emulator
