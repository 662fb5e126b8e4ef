// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// GeneralInfo: the capabilities that a device announces for adaptive routing, SHARP, planes, fast
// recovery and port recovery policies.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/model.h"

namespace weft::emulator {

/// True if the device sends no response, because it ignores the attributes that it would announce.
bool ignores_general_info(const Model& model, const Smp& smp, Place at);

/// Only a device with one of these capabilities supports the attribute.
MadStatus serve_general_info(const Model& model, Smp& smp, Place at);

}  // namespace weft::emulator
