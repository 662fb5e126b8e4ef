// Lanes that are kept free of cycles while sets of turns are put on them, each on the first lane
// that takes all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "routing/shared/acyclic_turns.h"

namespace weft {

class LaneStack {
 public:
  /// Beyond the VLs of any fabric, to tell how many would do.
  static constexpr unsigned kLanesMax = 32;
  using Turn = std::pair<std::uint32_t, std::uint32_t>;  // held and wanted channel

  explicit LaneStack(const Turns& turns) : turns_(turns) {}

  unsigned count() const { return static_cast<unsigned>(lanes_.size()); }
  /// Nothing else is put on these channels of `count` lanes, the first of which is returned: the
  /// lowest such that the channels are not taken already.
  unsigned reserve(const std::vector<bool>& channels, unsigned count);
  /// The lane of a set without a cycle. Nothing where there are too many lanes.
  std::optional<unsigned> put(const TurnSet& set);
  /// The same of a few turns; nothing also where they close a cycle on a lane of their own.
  std::optional<unsigned> put(std::span<const Turn> set);

 private:
  struct Lane {
    AcyclicTurns held;
    std::vector<bool> reserved;  // by channel; empty: none
  };
  void grow(unsigned count);
  bool put(std::span<const Turn> set, Lane& lane);

  const Turns& turns_;
  std::vector<Lane> lanes_;
};

}  // namespace weft
