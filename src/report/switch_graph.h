// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The switches of a fabric as a plain graph for layouts: all cables between two switches are one
// edge; hosts are only counted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

struct SwitchGraph {
  struct Edge {
    std::uint32_t to = 0;
    std::uint32_t cables = 0;
  };
  std::vector<std::uint32_t> begin;  // by switch, and the number of edges at the end
  std::vector<Edge> edges;           // edges of each switch by ascending neighbor
  std::vector<std::uint32_t> hosts;  // by switch; see make_switch_graph

  std::uint32_t size() const { return static_cast<std::uint32_t>(hosts.size()); }
  std::span<const Edge> of(std::uint32_t sw) const {
    return std::span(edges).subspan(begin[sw], begin[sw + 1] - begin[sw]);
  }
  bool are_linked(std::uint32_t a, std::uint32_t b) const;
};

/// Makes the graph of a fabric. Aggregation nodes, and CAs with the system GUID of their
/// switch, do not count as hosts.
SwitchGraph make_switch_graph(const Fabric& fabric);

/// The subgraph of `members` (ascending); its switch i is members[i].
SwitchGraph part_of(const SwitchGraph& graph, std::span<const std::uint32_t> members);

inline constexpr std::uint32_t kNoComponent = 0xFFFFFFFF;
struct SwitchComponents {
  std::vector<std::uint32_t> of;
  std::uint32_t count = 0;
};
/// The connected component of each switch; components are numbered in the order of their lowest
/// switches. With `keep`, switches that are not in `keep` are ignored and get kNoComponent.
SwitchComponents components(const SwitchGraph& graph, const std::vector<bool>* keep = nullptr);

}  // namespace weft
