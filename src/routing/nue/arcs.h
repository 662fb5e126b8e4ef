// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The switch graph of Nue. An arc is one direction of a trunk, since parallel channels can have the
// same dependencies. The dependencies between arcs are numbered, too.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "routing/shapes/trunks.h"

namespace weft::nue {

inline constexpr std::uint32_t kNoArc = 0xFFFFFFFF;
inline constexpr std::uint32_t kUnreachable = 0xFFFFFFFF;  // hop count without a path

struct Arcs : Trunks {
  explicit Arcs(const Fabric& fabric, const std::vector<bool>& left_out = {});

  std::uint32_t switches = 0;
  std::vector<std::size_t> turn_begin;        // switches + 1; see turn()
  std::vector<std::size_t> first_turn;        // by arc: its turn with the first arc from its head
  std::vector<std::uint32_t> part_size;       // by switch: size of its connected part
  std::vector<std::uint32_t> first_channel;   // by switch, plus the number of channels
  std::vector<std::uint32_t> channel_head;    // by channel
  std::vector<std::uint32_t> arc_of_channel;  // by channel; count() if the channel is not in an arc

  /// The number of a turn. Numbers are dense over all pairs of an arc into a switch and an arc out
  /// of it: the dependencies of the complete channel dependency graph, and the unused turns back
  /// along the same link.
  std::size_t turn(std::uint32_t in, std::uint32_t out) const {
    return first_turn[in] + (out - begin[head[in]]);
  }
  std::size_t turn_count() const { return turn_begin.back(); }
  /// The largest number of arcs out of a switch; 0 without switches.
  std::uint32_t degree_max() const;
};

/// By switch: the number of its hosts, plus 1 for port 0 with `include_switches`. Orders are
/// evaluated with these weights.
std::vector<std::uint32_t> switch_weights(const Fabric& fabric, bool include_switches);

}  // namespace weft::nue
