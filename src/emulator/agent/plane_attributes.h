// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Attributes of planarized devices, as far as their behavior is known. mad_status.h describes what
// a serve_ function does.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/model.h"

namespace weft::emulator {

bool is_of_planes(AttributeId attribute);

/// True if the device sends no response to this attribute (PlaneSupport::kSilent).
bool ignores_planes(const Model& model, const Smp& smp, Place at);

/// `smp` must have an attribute of planarized devices.
MadStatus serve_planes(Model& model, Smp& smp, Place at);

}  // namespace weft::emulator
