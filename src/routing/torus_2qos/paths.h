// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The path of every packet through the torus: one dimension after the other, in the shorter
// direction around each ring, or in the longer direction if a cable of the shorter direction is
// missing. Paths avoid missing switches by an early turn. The lane of a path in a dimension never
// depends on missing switches or cables.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "routing/torus_2qos/ring.h"
#include "routing/torus_2qos/torus.h"

namespace weft {

/// Paths from one place. Stores only data of the source, which is the same for all destinations.
class Paths {
 public:
  Paths(const Torus& torus, Place from);

  /// The next hop to another place; nullopt if torus-2QoS has no path. Both places have switches.
  /// `there` are the coordinates of `to`.
  std::optional<Torus::Pointing> next(Place to, const Coordinates& there) const {
    unsigned d = 0;
    while (there[d] == here_[d]) ++d;
    if (!whole_[d]) return next_around(to, there, d);
    return Torus::Pointing{d, preferred(d, there)};
  }

  /// Bit d is set if the path uses lane 1 in dimension d of the configuration. The reverse path has
  /// the same bits.
  std::uint8_t lane_bits(const Coordinates& there) const {
    unsigned bits = 0;
    for (unsigned d = 0; d < kTorusDimensions; ++d)
      bits |= unsigned{ring_paths_[d].data()[there[d]].upper_lane} << grid_.configured(d);
    return static_cast<std::uint8_t>(bits);
  }

 private:
  /// If both directions of a ring are allowed, half of the pairs use each direction.
  Direction preferred(unsigned dimension, const Coordinates& there) const {
    const RingDirection ring_direction =
        ring_paths_[dimension].data()[there[dimension]].ring_direction;
    if (ring_direction != RingDirection::kEither)
      return ring_direction == RingDirection::kUp ? kUp : kDown;
    const unsigned sum = there[0] + there[1] + there[2] - there[dimension] + here_[dimension];
    return sum % 2 == 0 ? kUp : kDown;
  }
  std::optional<Torus::Pointing> next_around(Place to, const Coordinates& there,
                                             unsigned dimension) const;
  std::optional<Torus::Pointing> early_turn(const Coordinates& there, unsigned dimension) const;
  bool is_open(unsigned dimension, Direction direction, unsigned there) const;

  const Torus& torus_;
  const TorusGrid& grid_;
  Place from_;
  Coordinates here_;
  std::array<bool, kTorusDimensions> whole_{};
  std::array<std::vector<RingPath>, kTorusDimensions> ring_paths_;  // by coordinate
};

}  // namespace weft
