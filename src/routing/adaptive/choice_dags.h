// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// All next hops toward every switch. A next hop is a trunk (all cables to one neighbor). Each next
// hop can be removed separately. A forwarding entry depends on the destination only, so a switch
// uses the same next hops for packets of all sources. Memory: one bit for each switch and trunk, 2
// bytes for each pair of switches.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/shapes/hop_dag.h"
#include "routing/shapes/trunks.h"

namespace weft {

class ChoiceDags {
 public:
  static constexpr std::uint16_t kUnreached = HopDag::kUnreached;

  explicit ChoiceDags(const Trunks& trunks)
      : trunks_(trunks),
        switches_(static_cast<std::uint32_t>(trunks.begin.size()) - 1),
        words_((trunks.count() + 63) / 64),
        bits_(words_ * switches_, 0),
        levels_(std::size_t{switches_} * switches_, kUnreached) {}

  /// Stores the next hops toward one destination. `trunk_of` has the trunk of each channel, by
  /// ChannelId. May be called in parallel for different destinations.
  void set(const HopDag& dag, std::span<const std::uint32_t> trunk_of);

  /// Number of next hops of all switches toward all others.
  std::uint64_t next_hops() const {
    std::uint64_t found = 0;
    for (const std::uint64_t word : bits_) found += static_cast<unsigned>(std::popcount(word));
    return found;
  }
  std::uint32_t switches() const { return switches_; }
  /// Hop count of the longest path over the next hops that set() stored, which decreases with each
  /// hop; kUnreached without a path. drop() does not change it.
  std::uint16_t level(std::uint32_t from, std::uint32_t to) const {
    return levels_[std::size_t{to} * switches_ + from];
  }
  bool has(std::uint32_t to, std::uint32_t trunk) const {
    return (bits_[to * words_ + trunk / 64] >> (trunk % 64) & 1) != 0;
  }
  void drop(std::uint32_t to, std::uint32_t trunk) {
    bits_[to * words_ + trunk / 64] &= ~(std::uint64_t{1} << (trunk % 64));
  }
  void restore(std::uint32_t to, std::uint32_t trunk) {
    bits_[to * words_ + trunk / 64] |= std::uint64_t{1} << (trunk % 64);
  }

  /// Calls body(trunk) for each next hop of a switch, in ascending order, until a call returns
  /// false. Returns whether all calls returned true.
  template <class Body>
  bool each(std::uint32_t from, std::uint32_t to, const Body& body) const {
    const std::uint32_t end = trunks_.begin[from + 1];
    for (std::uint32_t at = trunks_.begin[from]; at < end;) {
      std::uint64_t word = bits_[to * words_ + at / 64] >> (at % 64);
      const std::uint32_t stop = std::min(end, (at / 64 + 1) * 64);
      if (stop - at < 64) word &= (std::uint64_t{1} << (stop - at)) - 1;
      for (; word != 0; word &= word - 1)
        if (!body(at + static_cast<std::uint32_t>(std::countr_zero(word)))) return false;
      at = stop;
    }
    return true;
  }

 private:
  const Trunks& trunks_;
  std::uint32_t switches_;
  std::size_t words_;                  // words of bits_ per destination
  std::vector<std::uint64_t> bits_;    // by destination, then trunk
  std::vector<std::uint16_t> levels_;  // by destination, then switch
};

}  // namespace weft
