// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The data of a fabric that reweighting reads, in dense arrays: channels, or trunks
// (shapes/trunks.h), as arcs between switches.
#pragma once

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

/// The channels as arcs. `ignored` are hosts without traffic.
Arcs channels_as_arcs(const Fabric& fabric, std::span<const EndportId> ignored);
/// The trunks as arcs. The cables of a trunk share its flows.
Arcs trunks_as_arcs(const Fabric& fabric, const Trunks& trunks);

}  // namespace weft::reweight
