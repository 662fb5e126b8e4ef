// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The status of an agent's response. Each serve_ function of this folder turns a Get or Set that
// arrived at a place into its response, in place, and returns the status.
#pragma once

#include <cstdint>

#include "emulator/walk.h"
#include "ib/smp.h"

namespace weft::emulator {

using MadStatus = std::uint16_t;  // one of mad_status::

}  // namespace weft::emulator
