// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Size of long tests: the campaign (WEFT_FULL_SIZE is set) runs all cases, the gate some of them.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace weft {

inline bool at_full_size() { return std::getenv("WEFT_FULL_SIZE") != nullptr; }

/// Increment of the case number: 1 in the campaign; `in_gate` in the gate, which runs every
/// `in_gate`-th case.
inline std::uint32_t case_step(std::uint32_t in_gate) { return at_full_size() ? 1 : in_gate; }

}  // namespace weft
