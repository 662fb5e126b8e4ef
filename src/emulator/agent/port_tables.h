// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The tables of ports, block by block: GUIDInfo, P_KeyTable, SLtoVLMappingTable and
// VLArbitrationTable. mad_status.h describes what a serve_ function does.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/model.h"

namespace weft::emulator {

MadStatus serve_guid_info(Model& model, Smp& smp, Place at);
MadStatus serve_pkey_table(Model& model, Smp& smp, Place at);
MadStatus serve_sl_to_vl_table(Model& model, Smp& smp, Place at);
MadStatus serve_vl_arb_table(Model& model, Smp& smp, Place at);

}  // namespace weft::emulator
