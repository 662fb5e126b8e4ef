// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The attributes of a node as a whole: NodeInfo, NodeDescription and SwitchInfo. mad_status.h
// describes what a serve_ function does.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/model.h"

namespace weft::emulator {

MadStatus serve_node_info(const Model& model, Smp& smp, Place at);
MadStatus serve_node_description(const Model& model, Smp& smp, Place at);
/// `at` must be at a switch.
MadStatus serve_switch_info(Model& model, Smp& smp, Place at);

}  // namespace weft::emulator
