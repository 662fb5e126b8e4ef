// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/torus_2qos/paths.h"

namespace weft {

Paths::Paths(const Torus& torus, Place from)
    : torus_(torus), grid_(torus.grid()), from_(from), here_(grid_.coordinates(from)) {
  for (unsigned d = 0; d < kTorusDimensions; ++d) {
    const unsigned radix = grid_.radix(d);
    whole_[d] = torus.is_whole(from, d);
    for (unsigned there = 0; there < radix; ++there)
      ring_paths_[d].push_back(there == here_[d]
                                   ? RingPath{RingDirection::kEither, false}
                                   : ring_path(radix, grid_.is_line(d), here_[d], there));
  }
}

/// Whether all links in this direction up to coordinate `there` are present.
bool Paths::is_open(unsigned dimension, Direction direction, unsigned there) const {
  Place at = from_;
  while (grid_.coordinate(at, dimension) != there) {
    if (!torus_.is_cabled(at, dimension, direction)) return false;
    at = grid_.neighbor(at, dimension, direction);
  }
  return true;
}

std::optional<Torus::Pointing> Paths::next_around(Place to, const Coordinates& there,
                                                  unsigned dimension) const {
  const Direction direction = preferred(dimension, there);
  if (torus_.has_switch(grid_.moved(from_, dimension, grid_.coordinate(to, dimension)))) {
    for (const Direction toward : {direction, opposite(direction)})
      if (is_open(dimension, toward, there[dimension])) return Torus::Pointing{dimension, toward};
    return std::nullopt;
  }
  // The switch at which the path should turn is missing: the path continues toward it and turns
  // before it.
  if (torus_.is_cabled(from_, dimension, direction)) return Torus::Pointing{dimension, direction};
  return early_turn(there, dimension);
}

/// A hop in a later dimension, toward a place from which the path can turn at a switch that is
/// present.
std::optional<Torus::Pointing> Paths::early_turn(const Coordinates& there,
                                                 unsigned dimension) const {
  for (unsigned d = dimension + 1; d < kTorusDimensions; ++d) {
    if (here_[d] == there[d]) continue;
    const Direction first = preferred(d, there);
    for (const Direction direction : {first, opposite(first)}) {
      Place at = from_;
      while (torus_.is_cabled(at, d, direction)) {
        at = grid_.neighbor(at, d, direction);
        if (at == from_) break;
        if (torus_.has_switch(grid_.moved(at, dimension, there[dimension])))
          return Torus::Pointing{d, direction};
      }
    }
  }
  return std::nullopt;
}

}  // namespace weft
