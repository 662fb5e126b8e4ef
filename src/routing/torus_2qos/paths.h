// The way of every packet through the torus: dimension after dimension, the shorter way around each
// ring; the other way where the ring is broken; and around missing switches by an early turn.
// Also which datelines a path crosses, which never depends on what is missing.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "routing/torus_2qos/torus.h"

namespace weft {

/// Paths from one place. Made anew for each, since what it keeps is the same for all destinations.
class Paths {
 public:
  Paths(const Torus& torus, Place from);

  /// The next hop to another place; nothing where torus-2QoS has no way. Both places have switches.
  /// `there` are the coordinates of `to`.
  std::optional<Torus::Pointing> next(Place to, const Coordinates& there) const {
    unsigned d = 0;
    while (there[d] == here_[d]) ++d;
    if (!whole_[d]) return next_around(to, there, d);
    return Torus::Pointing{d, preferred(d, there)};
  }

  /// Bit d: the path crosses the dateline of dimension d, between the last coordinate and 0, where
  /// the torus is whole.
  std::uint8_t crossings(const Coordinates& there) const {
    unsigned bits = 0;
    for (unsigned d = 0; d < kTorusDimensions; ++d)
      if (there[d] != here_[d] && (preferred(d, there) == kUp) != (there[d] > here_[d]))
        bits |= 1u << d;
    return static_cast<std::uint8_t>(bits);
  }

 private:
  enum class Lean : std::uint8_t { kUp, kDown, kEither };

  /// Of two equally long ways around a ring, half of all pairs take either.
  Direction preferred(unsigned dimension, const Coordinates& there) const {
    const Lean lean = leans_[dimension][there[dimension]];
    if (lean != Lean::kEither) return lean == Lean::kUp ? kUp : kDown;
    const unsigned sum = there[0] + there[1] + there[2] - there[dimension] + here_[dimension];
    return sum % 2 == 0 ? kUp : kDown;
  }
  std::optional<Torus::Pointing> next_around(Place to, const Coordinates& there,
                                             unsigned dimension) const;
  std::optional<Torus::Pointing> early_turn(const Coordinates& there, unsigned dimension) const;
  bool is_open(unsigned dimension, Direction direction, unsigned there) const;

  const Torus& torus_;
  const Grid& grid_;
  Place from_;
  Coordinates here_;
  std::array<bool, kTorusDimensions> whole_{};
  std::array<std::vector<Lean>, kTorusDimensions> leans_;  // by coordinate
};

}  // namespace weft
