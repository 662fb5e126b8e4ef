// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SHARP of switches: GeneralInfo (general_info.h) announces it, ExtendedPortInfo of port 0 has its
// setting.
#pragma once

#include <cstdint>

#include "emulator/agent/mad_status.h"
#include "emulator/feature_support.h"
#include "emulator/model.h"

namespace weft::emulator {

FeatureSupport sharp_support(const Model& model, Place at);

/// A request for the setting of a switch that may have SHARP.
bool is_of_sharp(const Model& model, const Smp& smp, Place at);
/// No response.
bool ignores_sharp(const Model& model, const Smp& smp, Place at);
MadStatus serve_sharp(Model& model, Smp& smp, Place at);

}  // namespace weft::emulator
