// The switches of a fabric as a plain graph: all cables between two switches are one edge, and
// hosts are a number. What pictures are laid out from.
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
  std::vector<std::uint32_t> begin;  // by switch, and one more
  std::vector<Edge> edges;           // of a switch by ascending neighbour
  std::vector<std::uint32_t> hosts;  // by switch; see make_switch_graph

  std::uint32_t size() const { return static_cast<std::uint32_t>(hosts.size()); }
  std::span<const Edge> of(std::uint32_t sw) const {
    return std::span(edges).subspan(begin[sw], begin[sw + 1] - begin[sw]);
  }
  bool linked(std::uint32_t a, std::uint32_t b) const;
};

/// A CA that belongs to the system of its own switch (an aggregation node in the switch itself) is
/// no host.
SwitchGraph make_switch_graph(const Fabric& fabric);

/// The part of the graph that `members` (ascending) make; switch i of it is members[i].
SwitchGraph part_of(const SwitchGraph& graph, std::span<const std::uint32_t> members);

/// Number of the connected component of each switch, in order of the least switch of each. With
/// `keep` only switches are looked at for which it is true; the others get kNoComponent.
inline constexpr std::uint32_t kNoComponent = 0xFFFFFFFF;
struct Components {
  std::vector<std::uint32_t> of;
  std::uint32_t count = 0;
};
Components components(const SwitchGraph& graph, const std::vector<bool>* keep = nullptr);

}  // namespace weft
