// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The unicast and multicast forwarding tables of a switch, block by block. mad_status.h describes
// what a serve_ function does.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/model.h"

namespace weft::emulator {

MadStatus serve_linear_forwarding_table(Model& model, Smp& smp, Place at);
MadStatus serve_multicast_forwarding_table(Model& model, Smp& smp, Place at);

}  // namespace weft::emulator
