// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/torus_2qos/ring.h"

#include <algorithm>

namespace weft {
namespace {

/// The path between two coordinates opposite each other; `low` is the lower coordinate.
RingPath opposite_path(unsigned radix, unsigned from, unsigned low) {
  const unsigned half = radix / 2;
  if (low == 0) return {RingDirection::kUp, false};
  if (low == half - 1) return {RingDirection::kDown, false};
  // In a ring of six, the switch that no path of lane 1 passes through upward and the switch that
  // none passes through downward are opposite each other.
  if (low == 1 && low == half - 2) return {RingDirection::kEither, true};
  if (low == 1) return {RingDirection::kUp, true};
  if (low == half - 2) return {RingDirection::kDown, true};
  // Rings of ten and more have further pairs: the paths of both directions use the same half of the
  // ring, which for every second pair is the half with the dateline.
  const bool crosses = low % 2 != 0;
  return {(from == low) != crosses ? RingDirection::kUp : RingDirection::kDown, crosses};
}

}  // namespace

RingPath ring_path(unsigned radix, bool is_line, unsigned from, unsigned to) {
  if (is_line) return {to > from ? RingDirection::kUp : RingDirection::kDown, false};
  const unsigned up = (to + radix - from) % radix;
  if (2 * up == radix) return opposite_path(radix, from, std::min(from, to));
  const bool goes_up = 2 * up < radix;
  return {goes_up ? RingDirection::kUp : RingDirection::kDown, goes_up != (to > from)};
}

}  // namespace weft
