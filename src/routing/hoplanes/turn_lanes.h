// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The lanes of one SL by hop: the turn of a packet, that is, the input and the output port of a
// switch, determines the lane of its next channel. Along each path lanes never decrease, and
// increase at each hop to a channel that is not later in an order of the channels. So (lane, place
// of the channel) increases along every path, and no set of paths has a cycle. Without an order
// each hop raises the lane, so the number of lanes is the hop count of the longest path. Sources:
// Guenther, "Prevention of deadlocks in packet-switched data transport systems", IEEE Trans.
// Communications 29(4), 1981; a packet's hop count derived from ports and SL: Schneider et al.,
// HOTI 2016; Blach et al., NSDI 2024.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "routing/deadlock/turns.h"

namespace weft::hoplanes {

/// Layout of a bit set: for each turn a row of bits, one for each turn that may follow.
class TurnRows {
 public:
  explicit TurnRows(const Turns& turns);

  const Turns& turns() const { return *turns_; }
  std::size_t words() const { return begin_.back(); }
  /// The first word of a turn's row.
  std::size_t begin(std::uint32_t turn) const { return begin_[turn]; }

 private:
  const Turns* turns_;
  std::vector<std::size_t> begin_;  // by turn, plus the end
};

class TurnLanes {
 public:
  /// `place` has the place of each channel in the order of channels. All arguments must outlive
  /// this object.
  TurnLanes(const TurnRows& rows, std::span<const std::uint32_t> place, unsigned lanes);

  /// Raises lanes as all paths require, or changes nothing and returns false if some lane would be
  /// `lanes` or more. The first channel of every path has lane 0.
  bool add(std::span<const std::vector<std::uint32_t>> paths);

  /// Lane of packets after this turn; 0 for turns that no path makes.
  unsigned lane(std::uint32_t turn) const { return lane_[turn]; }

 private:
  struct Raise {
    std::uint32_t in, out;
    unsigned lane;
  };
  unsigned rise(std::uint32_t in, std::uint32_t out) const {
    return place_[in] < place_[out] ? 0 : 1;
  }
  bool add_path(std::span<const std::uint32_t> path);
  void follow(std::uint32_t turn, std::uint32_t next_index);
  bool raise(Raise first);
  void undo();

  const TurnRows& rows_;
  const Turns& turns_;
  std::span<const std::uint32_t> place_;
  unsigned lanes_;
  std::vector<std::uint8_t> lane_;                               // by turn
  std::vector<std::uint64_t> next_;                              // bit set in the layout of rows_
  std::vector<Raise> open_;                                      // scratch of raise()
  std::vector<std::pair<std::uint32_t, std::uint8_t>> raised_;   // turns, with their previous lanes
  std::vector<std::pair<std::size_t, std::uint64_t>> followed_;  // words of next_, and the set bit
};

}  // namespace weft::hoplanes
