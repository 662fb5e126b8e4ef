// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Turns: the pair of a channel that a packet holds and the next channel, which the packet requests,
// is a turn. A turn is an edge of the channel dependency graph (Dally and Seitz, 1987). Turns are
// numbered without gaps, by input channel, then by output channel. Sets of turns are rows of bits.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

class Turns {
 public:
  /// With several lanes each channel has one vertex for each lane: channel * lanes + lane; a packet
  /// may change its lane at a turn.
  explicit Turns(const Fabric& fabric, unsigned lanes = 1);

  std::uint32_t channel_count() const { return static_cast<std::uint32_t>(first_out_.size()); }
  /// Turns are numbered 0 .. count() - 1.
  std::uint32_t count() const { return begin_.back(); }
  /// The number of a turn. `out` must be an output channel of the switch at the end of `in`.
  std::uint32_t turn(std::uint32_t in, std::uint32_t out) const {
    return begin_.data()[in] + (out - first_out(in));
  }
  /// The output channels of the switch at the end of `in` are first_out() to first_out() + outs() -
  /// 1.
  std::uint32_t first_out(std::uint32_t in) const { return first_out_.data()[in]; }
  std::uint32_t outs(std::uint32_t in) const { return begin_.data()[in + 1] - begin_.data()[in]; }
  std::uint32_t reverse(std::uint32_t channel) const { return reverse_.data()[channel]; }

 private:
  std::vector<std::uint32_t> begin_;      // by channel: its first turn; then count()
  std::vector<std::uint32_t> first_out_;  // by input channel
  std::vector<std::uint32_t> reverse_;    // by channel
};

/// A set of turns: for each input channel a row of bits, one for each output channel.
class TurnSet {
 public:
  explicit TurnSet(const Turns& turns);

  bool has(std::uint32_t in, std::uint32_t out) const {
    const std::uint32_t out_index = out - turns_->first_out(in);
    return (word(in, out_index) >> (out_index % 64)) & 1;
  }
  void add(std::uint32_t in, std::uint32_t out) {
    const std::uint32_t out_index = out - turns_->first_out(in);
    word(in, out_index) |= std::uint64_t{1} << (out_index % 64);
  }
  void remove(std::uint32_t in, std::uint32_t out) {
    const std::uint32_t out_index = out - turns_->first_out(in);
    word(in, out_index) &= ~(std::uint64_t{1} << (out_index % 64));
  }
  void add(const TurnSet& other);
  /// Whether the set has a turn from `in`.
  bool has_any(std::uint32_t in) const {
    std::uint64_t any = 0;
    for (std::uint32_t w = row_.data()[in]; w < row_.data()[in + 1]; ++w) any |= words_.data()[w];
    return any != 0;
  }

  /// Calls body(out) for each turn from `in`, ascending, until a call returns false. Returns
  /// whether all calls returned true.
  template <class Body>
  bool each_out(std::uint32_t in, const Body& body) const {
    std::uint32_t out = turns_->first_out(in);
    const std::uint32_t end = row_.data()[in + 1];
    for (std::uint32_t w = row_.data()[in]; w < end; ++w, out += 64)
      for (std::uint64_t bits = words_.data()[w]; bits != 0; bits &= bits - 1)
        if (!body(out + static_cast<std::uint32_t>(std::countr_zero(bits)))) return false;
    return true;
  }

  /// Whether the turns have no cycle. Cost: O(channels + turns).
  bool acyclic() const { return order().size() == turns_->channel_count(); }
  /// Channels in topological order; channels on a cycle, and channels that follow a cycle, are
  /// omitted.
  std::vector<std::uint32_t> order() const;

 private:
  std::uint64_t& word(std::uint32_t in, std::uint32_t out_index) {
    return words_.data()[row_.data()[in] + out_index / 64];
  }
  std::uint64_t word(std::uint32_t in, std::uint32_t out_index) const {
    return words_.data()[row_.data()[in] + out_index / 64];
  }

  const Turns* turns_;
  std::vector<std::uint32_t> row_;  // by channel: its first word; then the number of words
  std::vector<std::uint64_t> words_;
};

}  // namespace weft
