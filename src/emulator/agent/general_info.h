// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// GeneralInfo: the capabilities that a device announces for adaptive routing, private LFTs, SHARP,
// planes, fast recovery and port recovery policies. mad_status.h describes what a serve_ function
// does.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/model.h"

namespace weft::emulator {

/// True for a request for GeneralInfo to which the device sends no response: its support for
/// planes, SHARP or recovery is kSilent, or it is a switch with AdaptiveSwitches::kIgnored. A
/// device that announces adaptive routing always responds.
bool ignores_general_info(const Model& model, const Smp& smp, Place at);

/// Serves a Get of GeneralInfo. Other methods, and devices without adaptive routing, SHARP, planes
/// and recovery, result in kMethodAttributeUnsupported.
MadStatus serve_general_info(const Model& model, Smp& smp, Place at);

}  // namespace weft::emulator
