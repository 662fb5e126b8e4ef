// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The switches and cables of the configured shape that are present, and a check that no ring is
// partitioned.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routing/torus_2qos/placement.h"

namespace weft {

class Torus {
 public:
  Torus(const Fabric& fabric, const TorusGrid& grid, Placement placement);

  /// The same torus with another order of dimensions.
  Torus reordered(const Fabric& fabric, const TorusGrid& grid) const;

  const TorusGrid& grid() const { return grid_; }
  SwitchId switch_at(Place place) const { return placement_.switch_at[place]; }
  Place place_of(SwitchId sw) const { return placement_.place_of[sw.value()]; }
  bool has_switch(Place place) const { return switch_at(place) != kNoSwitch; }

  /// The ports at a place to its neighbor in a direction, ascending.
  std::span<const PortNum> cables(Place place, unsigned dimension, Direction direction) const {
    const std::size_t i = index(place, dimension, direction);
    return std::span(ports_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  }
  bool is_cabled(Place place, unsigned dimension, Direction direction) const {
    const std::size_t i = index(place, dimension, direction);
    return begin_[i] != begin_[i + 1];
  }
  /// Whether the ring (or line) of a dimension through a place is complete.
  bool is_whole(Place place, unsigned dimension) const {
    return whole_[place * kTorusDimensions + dimension];
  }
  /// Dimension and direction of a channel.
  struct Pointing {
    unsigned dimension;
    Direction direction;
  };
  Pointing pointing(const Channel& channel) const;

  /// A line of text for every missing switch, and for every missing cable between switches that are
  /// present.
  std::vector<std::string> missing(const Fabric& fabric) const;
  std::vector<Place> missing_switches() const;

  /// Fails with kUnroutable if a ring is partitioned, naming up to four of its gaps.
  Status check_rings(const Fabric& fabric) const;

 private:
  static std::size_t index(Place place, unsigned dimension, Direction direction) {
    return (std::size_t{place} * kTorusDimensions + dimension) * 2 + direction;
  }
  void find_whole_rings();
  std::string gap(const Fabric& fabric, Place place, Place next) const;

  TorusGrid grid_;
  Placement placement_;
  std::vector<std::uint32_t> begin_;  // by index()
  std::vector<PortNum> ports_;
  std::vector<bool> whole_;
};

}  // namespace weft
