// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/shapes/boards.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/disjoint_sets.h"
#include "routing/shapes/ranks.h"

namespace weft {
namespace {

/// Connected switches: a board if they have hosts, else a network.
struct Component {
  std::vector<std::uint32_t> degrees;  // by switch: cables inside the component
  std::uint64_t cables_outside = 0;
};

/// The boards and the networks.
struct Components {
  std::vector<Component> boards, networks;
};

Components components_of(const Fabric& fabric) {
  const auto hosts = count_hosts(fabric);
  DisjointSets sets(hosts.size());
  std::vector<std::uint32_t> degree(hosts.size(), 0);
  std::vector<std::uint64_t> outside(hosts.size(), 0);
  for (const Channel& channel : fabric.channels()) {
    const std::uint32_t from = channel.from.value(), to = channel.to.value();
    if ((hosts[from] > 0) == (hosts[to] > 0)) {
      sets.join(from, to);
      ++degree[from];
    } else {
      ++outside[from];
    }
  }
  std::map<std::uint32_t, Component> found;
  for (std::uint32_t s = 0; s < hosts.size(); ++s) {
    Component& component = found[sets.find(s)];
    component.degrees.push_back(degree[s]);
    component.cables_outside += outside[s];
  }
  Components components;
  for (auto& [first, component] : found) {
    std::ranges::sort(component.degrees);
    (hosts[first] > 0 ? components.boards : components.networks).push_back(std::move(component));
  }
  return components;
}

/// The degrees of the switches of a mesh of a * b, ascending.
std::vector<std::uint32_t> mesh_degrees(std::uint32_t a, std::uint32_t b) {
  std::vector<std::uint32_t> degrees;
  const auto on_line = [](std::uint32_t size, std::uint32_t at) {
    return (at > 0 ? 1u : 0u) + (at + 1 < size ? 1u : 0u);
  };
  for (std::uint32_t i = 0; i < a; ++i)
    for (std::uint32_t j = 0; j < b; ++j) degrees.push_back(on_line(a, i) + on_line(b, j));
  std::ranges::sort(degrees);
  return degrees;
}

/// Whether each of b * y networks has cables to the 2 * x ends of a row, and each of a * x networks
/// to the 2 * y ends of a column.
bool have_ends(const std::vector<Component>& networks, const Boards& boards) {
  std::vector<std::uint64_t> found, wanted;
  for (const Component& network : networks) found.push_back(network.cables_outside);
  wanted.insert(wanted.end(), std::size_t{boards.b} * boards.y, 2 * std::uint64_t{boards.x});
  wanted.insert(wanted.end(), std::size_t{boards.a} * boards.x, 2 * std::uint64_t{boards.y});
  std::ranges::sort(found);
  std::ranges::sort(wanted);
  return found == wanted;
}

}  // namespace

std::optional<Boards> find_boards(const Fabric& fabric) {
  const auto [boards, networks] = components_of(fabric);
  if (boards.size() < 2 || networks.size() < 2 || boards[0].degrees.size() < 2) return std::nullopt;
  for (const Component& board : boards)
    if (board.degrees != boards[0].degrees) return std::nullopt;
  const auto size = static_cast<std::uint32_t>(boards[0].degrees.size());
  const auto count = static_cast<std::uint32_t>(boards.size());
  for (std::uint32_t b = size; b > 0; --b) {
    if (size % b != 0 || mesh_degrees(size / b, b) != boards[0].degrees) continue;
    for (std::uint32_t x = 1; x <= count; ++x) {
      const Boards found{size / b, b, x, count / x};
      if (count % x == 0 && have_ends(networks, found)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace weft
