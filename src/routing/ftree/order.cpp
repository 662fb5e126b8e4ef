#include "routing/ftree/order.h"

#include <algorithm>

#include "routing/ftree/forest.h"
#include "routing/shared/destinations.h"

namespace weft::ftree {
namespace {

/// All switches: leaves with CNs first, those of one pod together, then the others by level and id.
std::vector<std::uint32_t> order_switches(const Tree& tree, const Census& census) {
  std::vector<std::uint32_t> leaves;
  std::vector<std::uint32_t> others;
  for (std::uint32_t s = 0; s < tree.size(); ++s)
    (census.compute_at[s] > 0 ? leaves : others).push_back(s);

  // Sorted by the smallest pod last, and stably: the largest decides. `pod` is named by its first
  // leaf.
  Forest joined(tree.size());
  std::vector<std::vector<std::uint32_t>> keys;
  for (const auto& layer : tree.layers()) {
    for (const std::uint32_t s : layer)
      for (const Group& group : tree.down(s)) joined.join(s, group.to);
    std::vector<std::uint32_t> first(tree.size(), tree.size());
    for (const std::uint32_t leaf : leaves) {
      std::uint32_t& least = first[joined.find(leaf)];
      least = std::min(least, leaf);
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

std::uint32_t leaf_stride(const Census& census) {
  std::uint64_t most = 0, leaves = 0, nodes = 0;
  for (const std::uint32_t here : census.compute_at) {
    most = std::max<std::uint64_t>(most, here);
    leaves += here > 0;
    nodes += here;
  }
  return 4 * nodes >= 3 * most * leaves ? static_cast<std::uint32_t>(most) : 0;
}

Destinations order_destinations(const Fabric& fabric, const Tree& tree, const Census& census) {
  Destinations result;
  result.switches = order_switches(tree, census);
  result.column_of.resize(result.columns());
  for (std::uint32_t c = 0; c < result.columns(); ++c) result.column_of[result.switches[c]] = c;
  const std::uint32_t stride = leaf_stride(census);
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
  for (std::uint32_t column = 0; column < result.columns(); ++column) {
    const SwitchId sw(result.switches[column]);
    result.begin.push_back(static_cast<std::uint32_t>(result.lid.size()));
    const std::size_t before = result.ca_order.size();
    for (const EndportId id : fabric.endports_at(sw)) {
      if (census.compute[id.value()] == 0) continue;
      add(id, static_cast<std::uint32_t>(result.ca_order.size()));
      result.ca_order.push_back(id);
    }
    if (result.ca_order.size() > before && stride > 0)
      result.ca_order.resize(before + stride, kNoEndport);
    for (const EndportId id : fabric.endports_at(sw))
      if (census.compute[id.value()] == 0) add(id, others++);
    add(Fabric::endport_of(sw), column);
  }
  result.begin.push_back(static_cast<std::uint32_t>(result.lid.size()));
  return result;
}

}  // namespace weft::ftree
