// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Random values that a local search adds to its gains, so that the search leaves poor optima.
#pragma once

#include <cstdint>

#include "base/rng.h"

namespace weft::nue {

/// A random number from 0 to `noise` - 1; 0 if `noise` is 0, without using the generator.
inline std::int64_t draw_noise(std::int64_t noise, Rng& rng) {
  if (noise == 0) return 0;
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(noise) * (rng.next() >> 48)) >> 16);
}

}  // namespace weft::nue
