// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The data of a fabric that reweighting reads, in dense arrays: channels, or trunks
// (shapes/trunks.h), as arcs between switches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/shapes/trunks.h"

namespace weft::reweight {

/// Time that one flow takes on a channel of the fastest links, in the unit of Arcs::time.
inline constexpr std::uint64_t kFlowTime = 1u << 16;

struct Arcs {
  std::vector<std::uint32_t> first;  // by switch, plus the end: its first output arc
  std::vector<std::uint32_t> head;   // by arc
  std::vector<std::uint64_t> time;   // by arc: time of one flow; see kFlowTime
  std::vector<std::uint32_t> hosts;  // by switch: hosts that send

  std::uint32_t switches() const { return static_cast<std::uint32_t>(hosts.size()); }
  std::uint32_t count() const { return static_cast<std::uint32_t>(head.size()); }
};

/// Numbers of turns, that is, of pairs of consecutive arcs.
class ArcTurns {
 public:
  /// Keeps a reference to the arcs.
  explicit ArcTurns(const Arcs& arcs);

  std::size_t count() const { return begin_.back(); }
  /// `out` must leave the switch at the head of `in`.
  std::size_t of(std::uint32_t in, std::uint32_t out) const {
    // data() omits checks of the index: each step of a pass reads these arrays.
    return begin_.data()[in] + (out - arcs_.first.data()[arcs_.head.data()[in]]);
  }
  /// Calls body(turn, out) for each turn from `in`.
  template <class Body>
  void each(std::uint32_t in, const Body& body) const {
    std::size_t turn = begin_[in];
    const std::uint32_t sw = arcs_.head[in];
    for (std::uint32_t out = arcs_.first[sw]; out < arcs_.first[sw + 1]; ++out) body(turn++, out);
  }

 private:
  const Arcs& arcs_;
  std::vector<std::size_t> begin_;  // by arc: its first turn; then the number of turns
};

/// The channels as arcs. `ignored` and aggregation nodes are hosts without traffic.
Arcs channels_as_arcs(const Fabric& fabric, std::span<const EndportId> ignored);
/// The trunks as arcs. The cables of a trunk share its flows. Aggregation nodes count as hosts,
/// because their paths need lanes, too.
Arcs trunks_as_arcs(const Fabric& fabric, const Trunks& trunks);

}  // namespace weft::reweight
