// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// PrivateLFTInfo, PrivateLFTDef, PrivateLFTMap and PortSLToPrivateLFTMap, as far as the behavior of
// switches with private linear forwarding tables (pLFTs) is known. mad_status.h describes what a
// serve_ function does.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/feature_support.h"
#include "emulator/model.h"

namespace weft::emulator {

/// The support of pLFTs by a switch. kFull: GeneralInfo announces pLFTs and the selection by port
/// and SL. kPart: pLFTs without this selection. kWithoutSettings: announced, but no response.
FeatureSupport private_lft_support(const Model& model, Place at);

bool is_private_lft(AttributeId attribute);
/// True if the switch sends no response to this attribute.
bool ignores_private_lfts(const Model& model, const Smp& smp, Place at);
MadStatus serve_private_lfts(Model& model, Smp& smp, Place at);

/// The state of a switch with pLFTs after power-up.
PrivateLftModel private_lfts_of_power_up(std::uint8_t port_count);

}  // namespace weft::emulator
