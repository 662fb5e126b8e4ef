// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// GeneralInfo: what a device announces of adaptive routing, SHARP and planes.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/model.h"

namespace weft::emulator {

/// True if the device sends no response: one that ignores the attributes that it would announce.
bool ignores_general_info(const Model& model, const Smp& smp, Place at);

/// Unsupported by devices without any of the announced attributes.
MadStatus serve_general_info(const Model& model, Smp& smp, Place at);

}  // namespace weft::emulator
