// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The number of switches above others, so that cables divide evenly.
#pragma once

namespace weft {

/// The smallest divisor of `up` so that `below` switches with `up` cables each fit on that many
/// switches of `ports` ports, the same number of cables to each; 0 if even `up` switches have too
/// few ports.
inline unsigned even_spread(unsigned up, unsigned below, unsigned ports) {
  for (unsigned count = 1; count <= up; ++count)
    if (up % count == 0 && up / count * below <= ports) return count;
  return 0;
}

}  // namespace weft
