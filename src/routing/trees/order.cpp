// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/trees/order.h"

#include <algorithm>
#include <numeric>

#include "base/disjoint_sets.h"
#include "fabric/opensm_order.h"
#include "routing/tables/destinations.h"
#include "routing/tables/rails.h"

namespace weft::ftree {
namespace {

/// By switch: its position in a traversal from the first root, level by level, with children in the
/// order of port numbers. Switches not reached from that root are visited from the next root. The
/// first root is that of OpenSM: the root with the lowest GUID in reversed byte order.
std::vector<std::uint32_t> traverse_from_roots(const Fabric& fabric, const Tree& tree) {
  constexpr std::uint32_t kNotVisited = 0xFFFFFFFF;
  std::vector<std::uint32_t> position(tree.size(), kNotVisited);
  std::vector<std::uint32_t> walk;
  const auto visit = [&](std::uint32_t s) {
    if (position[s] != kNotVisited) return;
    position[s] = static_cast<std::uint32_t>(walk.size());
    walk.push_back(s);
  };
  std::vector<Group> children;
  std::size_t at = 0;
  for (std::size_t level = tree.levels().size(); level-- > 0;) {
    std::vector<std::uint32_t> roots = tree.levels()[level];
    std::ranges::sort(
        roots, {}, [&](std::uint32_t s) { return opensm_key(fabric.node(SwitchId(s)).node_guid); });
    for (const std::uint32_t root : roots)
      for (visit(root); at < walk.size(); ++at) {
        children.assign(tree.down(walk[at]).begin(), tree.down(walk[at]).end());
        std::ranges::sort(children, {}, [&](const Group& group) { return tree.ports(group)[0]; });
        for (const Group& group : children) visit(group.to);
      }
  }
  for (std::uint32_t s = 0; s < tree.size(); ++s) visit(s);  // switches without a level
  return position;
}

/// All switches: leaves with CNs first, with leaves of one pod adjacent, then the other switches by
/// id.
std::vector<std::uint32_t> order_switches(const Fabric& fabric, const Tree& tree,
                                          const ComputeNodes& cns, LeafOrder by) {
  std::vector<std::uint32_t> leaves;
  std::vector<std::uint32_t> others;
  for (std::uint32_t s = 0; s < tree.size(); ++s)
    (cns.compute_at[s] > 0 ? leaves : others).push_back(s);

  std::vector<std::uint32_t> place(tree.size());
  std::iota(place.begin(), place.end(), 0u);
  if (by == LeafOrder::kFromRoots) place = traverse_from_roots(fabric, tree);
  std::ranges::sort(leaves, {}, [&](std::uint32_t leaf) { return place[leaf]; });

  // Stable sorts from the smallest to the largest pods, so that the largest pods have precedence. A
  // pod is identified by the position of its first leaf.
  DisjointSets joined(tree.size());
  std::vector<std::vector<std::uint32_t>> keys;
  for (const auto& switches : tree.levels()) {
    for (const std::uint32_t s : switches)
      for (const Group& group : tree.down(s)) joined.join(s, group.to);
    std::vector<std::uint32_t> first(tree.size(), tree.size());
    for (const std::uint32_t leaf : leaves) {
      std::uint32_t& least = first[joined.find(leaf)];
      least = std::min(least, place[leaf]);
    }
    keys.emplace_back(tree.size(), 0);
    for (const std::uint32_t leaf : leaves) keys.back()[leaf] = first[joined.find(leaf)];
  }
  for (const auto& key : keys)
    std::ranges::stable_sort(leaves, {}, [&](std::uint32_t leaf) { return key[leaf]; });
  leaves.insert(leaves.end(), others.begin(), others.end());
  return leaves;
}

}  // namespace

std::uint32_t leaf_stride(const ComputeNodes& cns) {
  std::uint64_t most = 0, leaves = 0, nodes = 0;
  for (const std::uint32_t here : cns.compute_at) {
    most = std::max<std::uint64_t>(most, here);
    leaves += here > 0;
    nodes += here;
  }
  return 4 * nodes >= 3 * most * leaves ? static_cast<std::uint32_t>(most) : 0;
}

Destinations order_destinations(const Fabric& fabric, const Tree& tree, const ComputeNodes& cns,
                                LeafOrder by) {
  Destinations result;
  result.switches = order_switches(fabric, tree, cns, by);
  result.column_of.resize(result.columns());
  for (std::uint32_t c = 0; c < result.columns(); ++c) result.column_of[result.switches[c]] = c;
  const std::uint32_t stride = leaf_stride(cns);
  const Rails rails = rails_of(fabric);
  std::uint32_t others = 0;
  const auto add = [&](EndportId id, std::uint32_t index) {
    const Endport& endport = fabric.endport(id);
    for (unsigned offset = 0; offset < lid_count(endport); ++offset) {
      result.endport.push_back(id);
      result.lid.push_back(lid_at(endport, offset).value());
      result.index.push_back(index + offset);
      result.exit.push_back(endport.sw_port.value());
    }
  };
  std::vector<EndportId> nodes, ordered;
  for (std::uint32_t column = 0; column < result.columns(); ++column) {
    const SwitchId sw(result.switches[column]);
    result.begin.push_back(static_cast<std::uint32_t>(result.lid.size()));
    nodes.clear();
    for (const EndportId id : fabric.endports_at(sw))
      if (cns.compute[id.value()] != 0) nodes.push_back(id);
    const std::size_t places = nodes.empty() || stride == 0 ? nodes.size() : stride;
    const auto spines =
        rails.count > 1 ? static_cast<std::uint32_t>(tree.up(sw.value()).size()) : 0;
    order_by_rail(nodes, rails.of[sw.value()], result.ca_order.size(), spines, places, ordered);
    for (const EndportId id : ordered) {
      if (id != kNoEndport) add(id, static_cast<std::uint32_t>(result.ca_order.size()));
      result.ca_order.push_back(id);
    }
    for (const EndportId id : fabric.endports_at(sw))
      if (cns.compute[id.value()] == 0) add(id, others++);
    add(Fabric::endport_of(sw), column);
  }
  result.begin.push_back(static_cast<std::uint32_t>(result.lid.size()));
  return result;
}

}  // namespace weft::ftree
