// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Attributes of virtualization, as far as the behavior of CAs with virtualization is known.
// mad_status.h describes what a serve_ function does.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/model.h"

namespace weft::emulator {

bool is_of_virtualization(AttributeId attribute);

/// True if the CA sends no response to this attribute (VirtualSupport::kSilent).
bool ignores_virtualization(const Model& model, const Smp& smp, Place at);

/// `smp` must have an attribute of virtualization. While virtualization is disabled, only
/// VirtualizationInfo is supported.
MadStatus serve_virtualization(Model& model, Smp& smp, Place at);

}  // namespace weft::emulator
