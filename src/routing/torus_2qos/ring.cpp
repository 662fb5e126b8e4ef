// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/torus_2qos/ring.h"

#include <algorithm>

namespace weft {
namespace {

/// The path between two coordinates opposite each other; `low` is the lower of the two.
RingPath opposite_path(unsigned radix, unsigned from, unsigned low) {
  const unsigned half = radix / 2;
  if (low == 0) return {Lean::kUp, false};
  if (low == half - 1) return {Lean::kDown, false};
  // In a ring of six the switches that no path of lane 1 passes through are one pair.
  if (low == 1 && low == half - 2) return {Lean::kEither, true};
  if (low == 1) return {Lean::kUp, true};
  if (low == half - 2) return {Lean::kDown, true};
  // Rings of ten and more have further pairs: the paths of both directions use the same half of the
  // ring, which for every second pair is the half with the dateline.
  const bool crosses = low % 2 != 0;
  return {(from == low) != crosses ? Lean::kUp : Lean::kDown, crosses};
}

}  // namespace

RingPath ring_path(unsigned radix, bool is_line, unsigned from, unsigned to) {
  if (is_line) return {to > from ? Lean::kUp : Lean::kDown, false};
  const unsigned up = (to + radix - from) % radix;
  if (2 * up == radix) return opposite_path(radix, from, std::min(from, to));
  const bool goes_up = 2 * up < radix;
  return {goes_up ? Lean::kUp : Lean::kDown, goes_up != (to > from)};
}

}  // namespace weft
