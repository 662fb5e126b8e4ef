// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The status of an agent's response. Each serve_ function of this folder overwrites a Get or Set
// that arrived at a port with its response, and returns the status.
#pragma once

#include <cstdint>

#include "emulator/walk.h"
#include "ib/smp.h"

namespace weft::emulator {

using MadStatus = std::uint16_t;  // a constant of the namespace mad_status

}  // namespace weft::emulator
