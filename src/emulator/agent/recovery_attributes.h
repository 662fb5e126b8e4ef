// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fast recovery and port recovery policies of switches, announced by GeneralInfo (general_info.h).
// The settings are stored; a switch recovers no ports. mad_status.h
// describes what a serve_ function does.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/agent/mad_status.h"
#include "emulator/feature_support.h"
#include "emulator/model.h"
#include "ib/vendor/device_capabilities.h"
#include "ib/vendor/port_recovery.h"

namespace weft::emulator {

FeatureSupport recovery_support(const Model& model, Place at);
void announce_recovery(const Model& model, Place at, DeviceCapabilities& capabilities);

bool is_of_recovery(AttributeId attribute);
/// True if the agent sends no response to the request.
bool ignores_recovery(const Model& model, const Smp& smp, Place at);
MadStatus serve_recovery(Model& model, Smp& smp, Place at);

/// Settings of a profile, in the order of the attributes: the credit watchdog, the three types of
/// bit error rates, the policy. After those of profile 0, two blocks of profiles for fast recovery
/// and two for policies; then the settings of the other profiles.
inline constexpr std::size_t kRecoverySettings = 5 * kRecoveryProfiles + 4;

}  // namespace weft::emulator
