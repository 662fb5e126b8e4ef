// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assumptions about ExtendedSwitchInfo: the headers of NVIDIA's OpenSM name four bits of byte 4
// without their order.
#pragma once

namespace weft::switch_settings_unconfirmed {

// Bits of byte 4, counted from the least significant bit.
inline constexpr unsigned kSetsWindow = 0;
inline constexpr unsigned kSetsResetTrigger = 1;
inline constexpr unsigned kSetsSetTrigger = 2;
inline constexpr unsigned kSetsRequestDelay = 3;

}  // namespace weft::switch_settings_unconfirmed
