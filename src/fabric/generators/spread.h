// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Computes a number of switches of the next level, so that each of these switches gets the same
// number of cables.
#pragma once

namespace weft {

/// The smallest divisor n of `up` such that `below` switches with `up` cables each can be cabled
/// evenly to n switches with `ports` ports; 0 if `up` switches have too few ports.
inline unsigned even_spread(unsigned up, unsigned below, unsigned ports) {
  for (unsigned count = 1; count <= up; ++count)
    if (up % count == 0 && up / count * below <= ports) return count;
  return 0;
}

}  // namespace weft
