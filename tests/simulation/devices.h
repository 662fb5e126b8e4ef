// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Mixed hardware generations: quirks of real devices that the emulator's default devices do not
// have. Each node gets one of a few kinds.
#pragma once

#include <cstdint>

#include "emulator/emulated_fabric.h"
#include "plan.h"

namespace weft::simulation {

/// Options of the emulator for the capabilities of the plan's devices.
EmulatorOptions device_options(const WorldPlan& plan);

/// Assigns every node the quirks of one kind of device, drawn from the seed.
void set_quirks(EmulatedFabric& emulated, std::uint64_t seed);

}  // namespace weft::simulation
