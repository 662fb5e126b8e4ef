// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SHARP: reductions in the aggregation node of a switch. GeneralInfo announces SHARP
// (DeviceCapabilities::kSharp), and a bit of ExtendedPortInfo enables SHARP. Layout: headers of
// NVIDIA's OpenSM; sharp_unconfirmed.h has the assumptions where the headers state nothing.
#pragma once

#include <span>

#include "ib/smp.h"

namespace weft {

bool is_sharp_enabled(std::span<const std::byte, kSmpDataSize> extended_port_info);
/// Writes the bit of is_sharp_enabled(); other bits of the ExtendedPortInfo are kept.
void set_sharp_enabled(SmpData& extended_port_info, bool enabled);

}  // namespace weft
