// The switch graph as Nue reads it: parallel channels from one switch to another are one arc, for
// what may wait for one of them may wait for the others. All arrays are flat.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft::nue {

inline constexpr std::uint32_t kNoArc = 0xFFFFFFFF;

struct Arcs {
  std::uint32_t switches = 0;
  std::vector<std::uint32_t> begin;          // switches + 1; the arcs that leave a switch, by head
  std::vector<std::uint32_t> head;           // by arc
  std::vector<std::uint32_t> tail;           // by arc
  std::vector<std::uint32_t> reverse;        // by arc
  std::vector<std::uint32_t> channel_begin;  // arcs + 1
  std::vector<std::uint32_t> channels;       // ascending within an arc
  std::vector<std::size_t> turn_begin;       // switches + 1; see turn()
  std::vector<std::uint32_t> part_size;      // by switch: switches that are connected to it

  std::uint32_t count() const { return static_cast<std::uint32_t>(head.size()); }
  std::uint32_t degree(std::uint32_t sw) const { return begin[sw + 1] - begin[sw]; }
  std::span<const std::uint32_t> channels_of(std::uint32_t arc) const {
    return std::span(channels).subspan(channel_begin[arc],
                                       channel_begin[arc + 1] - channel_begin[arc]);
  }
  /// Dense over all pairs of an arc into a switch and one out of it: the dependencies of the
  /// complete channel dependency graph, and those back to where a packet came from, which nobody
  /// uses.
  std::size_t turn(std::uint32_t in, std::uint32_t out) const {
    const std::uint32_t sw = head[in];
    return turn_begin[sw] + std::size_t{reverse[in] - begin[sw]} * degree(sw) + (out - begin[sw]);
  }
  std::size_t turn_count() const { return turn_begin.back(); }
};

/// `left_out`, by ChannelId: channels that are not looked at, a cable's two alike; empty: none.
Arcs make_arcs(const Fabric& fabric, const std::vector<bool>& left_out = {});

/// What endports at the switches mean for quality: how much each sends and how much it is sent.
std::vector<std::uint32_t> switch_weights(const Fabric& fabric, bool include_switches);

}  // namespace weft::nue
