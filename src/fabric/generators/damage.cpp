// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/generators/damage.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/disjoint_sets.h"
#include "base/rng.h"

namespace weft {
namespace {

/// The undamaged cables by switch, as flat arrays.
struct Neighbors {
  explicit Neighbors(const Drawing& drawing) : begin(drawing.switch_count() + 1, 0) {
    for (const Drawing::Cable& cable : drawing.cables()) {
      ++begin[cable.a + 1];
      ++begin[cable.b + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    peers.resize(begin.back());
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (const Drawing::Cable& cable : drawing.cables()) {
      peers[next[cable.a]++] = cable.b;
      peers[next[cable.b]++] = cable.a;
    }
  }
  std::vector<std::uint32_t> begin, peers;
};

/// Switches without which their component is not connected: the articulation points of the graph
/// without the dead switches (Hopcroft and Tarjan, 1973), by depth-first search with an explicit
/// stack.
std::vector<bool> separating_switches(const Drawing& drawing, const Neighbors& graph) {
  const std::uint32_t n = drawing.switch_count();
  std::vector<bool> result(n, false);
  std::vector<std::uint32_t> depth(n, 0), low(n, 0), parent(n, n), children(n, 0);
  std::vector<std::uint32_t> next(graph.begin.begin(), graph.begin.end() - 1);
  std::vector<std::uint32_t> stack;
  for (std::uint32_t root = 0; root < n; ++root) {
    if (depth[root] != 0 || drawing.is_dead(root)) continue;
    depth[root] = low[root] = 1;
    stack.push_back(root);
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      if (next[at] < graph.begin[at + 1]) {
        const std::uint32_t to = graph.peers[next[at]++];
        if (drawing.is_dead(to)) continue;
        if (depth[to] != 0) {
          low[at] = std::min(low[at], depth[to]);
          continue;
        }
        depth[to] = low[to] = depth[at] + 1;
        parent[to] = at;
        ++children[at];
        stack.push_back(to);
        continue;
      }
      stack.pop_back();
      const std::uint32_t up = parent[at];
      if (up == n) continue;
      low[up] = std::min(low[up], low[at]);
      if (up != root && low[at] >= depth[up]) result[up] = true;
    }
    result[root] = children[root] > 1;
  }
  return result;
}

Status remove_switches(Drawing& drawing, const Parameters& parameters, bool connected, Rng& rng) {
  const std::vector<std::uint32_t> order = rng.permutation(drawing.switch_count());
  const unsigned wanted = parameters.number("dead");
  if (wanted == 0) return {};
  const auto alive =
      std::ranges::count_if(order, [&](Drawing::Switch at) { return !drawing.is_dead(at); });
  if (wanted >= alive)
    return parameters.refuse("dead", fmt::format("dead={}", wanted),
                             fmt::format("less than the {} switches that there are", alive));
  const Neighbors graph(drawing);
  std::vector<bool> kept(drawing.switch_count(), false);
  for (unsigned i = 0; i < wanted; ++i) {
    if (connected) kept = separating_switches(drawing, graph);
    const auto removable = std::ranges::find_if(
        order, [&](Drawing::Switch at) { return !drawing.is_dead(at) && !kept[at]; });
    CHECK(removable != order.end());  // some switch is no articulation point
    drawing.remove(*removable);
  }
  return {};
}

Status cut_cables(Drawing& drawing, const Parameters& parameters, bool connected, Rng& rng) {
  const unsigned wanted = parameters.number("fail");
  if (wanted == 0) return {};
  std::vector<std::uint32_t> order =
      rng.permutation(static_cast<std::uint32_t>(drawing.cables().size()));
  std::erase_if(order, [&](std::uint32_t i) { return !drawing.is_whole(drawing.cables()[i]); });
  const std::size_t all = order.size();
  if (connected) {
    // A cable may be removed if it is not a bridge after the removals before it. That is the case
    // exactly if the cables after it in this order connect its ends: every earlier cable that was
    // kept is a bridge, so no other path between the ends contains it.
    DisjointSets groups(drawing.switch_count());
    std::vector<std::uint32_t> allowed;
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
      const Drawing::Cable& cable = drawing.cables()[*i];
      if (!groups.join(cable.a, cable.b)) allowed.push_back(*i);
    }
    order.assign(allowed.rbegin(), allowed.rend());
  }
  if (wanted > order.size())
    return parameters.refuse(
        "fail", fmt::format("fail={}", wanted),
        connected ? fmt::format("at most {} of {} cables: more would disconnect the fabric "
                                "(connected=0 allows that)",
                                order.size(), all)
                  : fmt::format("at most the {} cables that there are", all));
  for (unsigned i = 0; i < wanted; ++i) drawing.cut(order[i]);
  return {};
}

}  // namespace

Status damage(Drawing& drawing, const Parameters& parameters) {
  Rng rng = Rng(parameters.number64("seed")).fork(2);
  const bool connected = parameters.number("connected") == 1;
  if (auto status = remove_switches(drawing, parameters, connected, rng); !status) return status;
  return cut_cables(drawing, parameters, connected, rng);
}

}  // namespace weft
