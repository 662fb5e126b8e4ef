// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MLNX ExtendedPortInfo, as far as the behavior of devices with it is known. mad_status.h describes
// what a serve_ function does.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/links.h"
#include "emulator/model.h"

namespace weft::emulator {

/// True if the node sends no response to this attribute (ExtendedPorts::kIgnored).
bool ignores_extended_port_info(const Model& model, const Smp& smp, Place at);

/// A Set takes effect only with StateChangeEnable: then the link retrains if its speeds change.
MadStatus serve_extended_port_info(Model& model, Links& links, Smp& smp, Place at);

}  // namespace weft::emulator
