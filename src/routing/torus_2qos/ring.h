// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The path between two coordinates of a ring or line, and the lane on which it and its reverse are
// deadlock-free.
//
// On each of the two lanes of a ring there is one switch per direction that no path passes through,
// so the dependencies of that lane and direction form no cycle. A path ends at such a switch or
// begins there without passing through it: two coordinates opposite each other on the ring can
// therefore be connected by paths of one direction, A to B over one half of the ring and B to A
// over the other, on one lane, and each cable carries the same load. A ring with an even radix of 8
// or more has four such pairs, a smaller ring fewer.
//
//   lane 0, up: 0        lane 1, up: n/2 + 1        (n: the radix)
//   lane 0, down: n - 1  lane 1, down: n/2 - 2
//
// Source: Dally and Seitz, "Deadlock-free message routing in multiprocessor interconnection
// networks", 1987, where one such switch per lane is the dateline.
#pragma once

#include <cstdint>

#include "routing/torus_2qos/grid.h"

namespace weft {

enum class RingDirection : std::uint8_t { kUp, kDown, kEither };

struct RingPath {
  RingDirection ring_direction;
  /// True if the path crosses the dateline, the cable between the last coordinate and 0. For
  /// coordinates opposite each other, see above. Equal for A to B and B to A.
  bool upper_lane;
  bool operator==(const RingPath&) const = default;
};

/// A shortest path of the complete ring or line. `from` and `to` must differ.
RingPath ring_path(unsigned radix, bool is_line, unsigned from, unsigned to);

}  // namespace weft
