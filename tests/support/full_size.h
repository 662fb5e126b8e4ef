// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Size of long tests: all cases in the campaign, some of them in the gate.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace weft {

inline bool at_full_size() { return std::getenv("WEFT_FULL_SIZE") != nullptr; }

/// Step through cases of which the gate takes one in `in_gate`.
inline std::uint32_t case_step(std::uint32_t in_gate) { return at_full_size() ? 1 : in_gate; }

}  // namespace weft
