// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Computes a number of switches of the next level among which the cables divide evenly.
#pragma once

namespace weft {

/// The smallest divisor of `up` such that that many switches of `ports` ports have room for `below`
/// switches with `up` cables each, distributed evenly; 0 if even `up` switches have too few ports.
inline unsigned even_spread(unsigned up, unsigned below, unsigned ports) {
  for (unsigned count = 1; count <= up; ++count)
    if (up % count == 0 && up / count * below <= ports) return count;
  return 0;
}

}  // namespace weft
