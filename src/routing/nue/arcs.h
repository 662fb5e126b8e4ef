// The switch graph of Nue: parallel channels from one switch to another are one arc, since they can
// have the same dependencies. All arrays are flat.
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
  std::vector<std::uint32_t> part_size;      // by switch: size of its connected part

  std::uint32_t count() const { return static_cast<std::uint32_t>(head.size()); }
  std::uint32_t degree(std::uint32_t sw) const { return begin[sw + 1] - begin[sw]; }
  std::span<const std::uint32_t> channels_of(std::uint32_t arc) const {
    return std::span(channels).subspan(channel_begin[arc],
                                       channel_begin[arc + 1] - channel_begin[arc]);
  }
  /// Dense over all pairs of an arc into a switch and one out of it: the dependencies of the
  /// complete channel dependency graph, and the unused ones back along the same link.
  std::size_t turn(std::uint32_t in, std::uint32_t out) const {
    const std::uint32_t sw = head[in];
    return turn_begin[sw] + std::size_t{reverse[in] - begin[sw]} * degree(sw) + (out - begin[sw]);
  }
  std::size_t turn_count() const { return turn_begin.back(); }
};

/// `left_out`, by ChannelId: excluded channels, both directions of a cable alike; empty: none.
Arcs make_arcs(const Fabric& fabric, const std::vector<bool>& left_out = {});

/// By switch: the send and receive weight of its endports, for the quality of an order.
std::vector<std::uint32_t> switch_weights(const Fabric& fabric, bool include_switches);

}  // namespace weft::nue
