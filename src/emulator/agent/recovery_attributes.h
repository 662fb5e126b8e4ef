// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fast recovery and port recovery policies of switches, announced by GeneralInfo (general_info.h).
// The settings are stored; a switch recovers no ports.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/agent/mad_status.h"
#include "emulator/feature_support.h"
#include "emulator/model.h"
#include "ib/vendor/device_capabilities.h"

namespace weft::emulator {

FeatureSupport recovery_support(const Model& model, Place at);
void announce_recovery(const Model& model, Place at, DeviceCapabilities& capabilities);

bool is_of_recovery(AttributeId attribute);
/// True if the agent sends no response to the request.
bool ignores_recovery(const Model& model, const Smp& smp, Place at);
MadStatus serve_recovery(Model& model, Smp& smp, Place at);

/// Settings of profile 0, in the order of the attributes: the credit watchdog, the three types of
/// bit error rates, the policy, then two blocks of profiles for fast recovery and two for policies.
inline constexpr std::size_t kRecoverySettings = 9;

}  // namespace weft::emulator
