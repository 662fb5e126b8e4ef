// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/dimension_order.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "routing/deadlock/acyclic_turns.h"
#include "routing/shapes/damaged_hyperx.h"
#include "routing/shapes/grid.h"
#include "routing/shapes/hyperx.h"
#include "routing/shapes/mesh.h"

namespace weft::nue {

namespace {

/// A quick check: false if the switches cannot be a mesh. A mesh in which all switches have equally
/// many neighbors has two switches in every dimension.
bool can_be_mesh(const Arcs& arcs) {
  const std::uint32_t degree = arcs.switches > 0 ? arcs.degree(0) : 0;
  for (std::uint32_t sw = 1; sw < arcs.switches; ++sw)
    if (arcs.degree(sw) != degree) return true;
  return degree < 32 && arcs.switches == std::uint32_t{1} << degree;
}

/// The arcs ordered by key, and by number among equal keys.
template <class Key>
Order order_by(const std::vector<Key>& key) {
  std::vector<std::uint32_t> sorted(key.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::ranges::stable_sort(sorted, {}, [&](std::uint32_t arc) { return key[arc]; });
  Order order(key.size());
  for (std::uint32_t place = 0; place < sorted.size(); ++place) order[sorted[place]] = place;
  return order;
}

std::optional<Order> order_of_mesh(const Fabric& fabric, const Arcs& arcs) {
  const auto mesh = find_mesh(fabric);
  if (!mesh) return std::nullopt;
  const Grid grid = make_grid(fabric, *mesh, arcs);
  if (std::ranges::any_of(grid.dimensions, &Grid::Line::closed)) return std::nullopt;
  using Key = std::tuple<std::size_t, bool,
                         std::uint32_t>;  // dimension, is down, hops from end
  std::vector<Key> key(arcs.count());
  for (std::uint32_t sw = 0; sw < arcs.switches; ++sw)
    for (std::size_t d = 0; d < grid.dimensions.size(); ++d)
      for (const bool up : {false, true})
        if (const std::uint32_t arc = grid.trunk(sw, d, up); arc != Grid::kNone)
          key[arc] = {d, !up, up ? grid.at(sw, d) : grid.dimensions[d].size - grid.at(sw, d)};
  return order_by(key);
}

std::optional<Order> order_of_hyperx(const Arcs& arcs) {
  const auto hyperx = find_hyperx(arcs);
  if (!hyperx) return std::nullopt;
  std::vector<std::size_t> dimension(arcs.count());
  for (std::uint32_t arc = 0; arc < arcs.count(); ++arc)
    dimension[arc] = hyperx->first_between(arcs.tail[arc], arcs.head[arc]);
  return order_by(dimension);
}

/// The turns from lower to higher dimensions, and further turns that close no cycle, for the
/// shortest paths of pairs of switches that would have none.
class CompletedOrder {
 public:
  CompletedOrder(const Fabric& fabric, const Arcs& arcs, const Hyperx& hyperx)
      : arcs_(arcs), turns_(fabric), graph_(turns_, ascending(hyperx)), cost_(arcs.count()) {
    std::vector<std::vector<std::uint32_t>> lacking;
    for (std::uint32_t to = 0; to < arcs.switches; ++to) lacking.push_back(connect(to));
    for (std::uint32_t to = 0; to < arcs.switches; ++to) add_choices(to, lacking[to]);
  }

  Order order() const {
    std::vector<std::uint32_t> place;
    for (std::uint32_t arc = 0; arc < arcs_.count(); ++arc)
      place.push_back(graph_.place(lead(arc)));
    return order_by(place);
  }

 private:
  static constexpr std::uint32_t kRefused = 1 << 16;
  static constexpr unsigned kTrials = 8;  // paths tried for a pair

  std::uint32_t lead(std::uint32_t arc) const { return arcs_.channels_of(arc).front(); }

  TurnSet ascending(const Hyperx& hyperx) const {
    std::vector<std::size_t> dimension;
    for (std::uint32_t arc = 0; arc < arcs_.count(); ++arc)
      dimension.push_back(hyperx.first_between(arcs_.tail[arc], arcs_.head[arc]));
    TurnSet held(turns_);
    for (std::uint32_t in = 0; in < arcs_.count(); ++in)
      for (std::uint32_t out = arcs_.begin[arcs_.head[in]]; out < arcs_.begin[arcs_.head[in] + 1];
           ++out)
        if (dimension[in] < dimension[out]) held.add(lead(in), lead(out));
    return held;
  }

  void search(std::uint32_t to) {
    hops_.assign(arcs_.switches, kUnreachable);
    near_first_.assign(1, to);
    hops_[to] = 0;
    for (std::size_t i = 0; i < near_first_.size(); ++i)
      for (std::uint32_t arc = arcs_.begin[near_first_[i]]; arc < arcs_.begin[near_first_[i] + 1];
           ++arc)
        if (hops_[arcs_.head[arc]] == kUnreachable) {
          hops_[arcs_.head[arc]] = hops_[near_first_[i]] + 1;
          near_first_.push_back(arcs_.head[arc]);
        }
  }

  /// Cost of a turn on a path: 0 if it is allowed, 1 if it is missing, kRefused if it would close a
  /// cycle.
  std::uint32_t cost_of(std::uint32_t in, std::uint32_t out) const {
    if (graph_.has(lead(in), lead(out))) return 0;
    return refused_.contains({in, out}) ? kRefused : 1;
  }

  /// Returns the first arc of a shortest path of least cost, and this cost. `in` is the previous
  /// arc, kNoArc at the source.
  std::pair<std::uint32_t, std::uint32_t> next(std::uint32_t sw, std::uint32_t in) const {
    std::pair<std::uint32_t, std::uint32_t> best{kNoArc, kUnreachable};
    for (std::uint32_t arc = arcs_.begin[sw]; arc < arcs_.begin[sw + 1]; ++arc) {
      if (hops_[arcs_.head[arc]] >= hops_[sw]) continue;
      const std::uint32_t cost = cost_[arc] + (in == kNoArc ? 0 : cost_of(in, arc));
      if (cost < best.second) best = {arc, cost};
    }
    return best;
  }

  void count_costs() {
    for (const std::uint32_t sw : near_first_)
      for (std::uint32_t arc = arcs_.begin[sw]; arc < arcs_.begin[sw + 1]; ++arc) {
        const std::uint32_t over = arcs_.head[arc];
        if (hops_[over] < hops_[sw]) cost_[arc] = hops_[over] == 0 ? 0 : next(over, arc).second;
      }
  }

  /// Adds turns for a path from each switch that has no allowed shortest path. Returns these
  /// switches.
  std::vector<std::uint32_t> connect(std::uint32_t to) {
    search(to);
    count_costs();
    std::vector<std::uint32_t> lacking;
    for (const std::uint32_t sw : near_first_)
      if (sw != to && next(sw, kNoArc).second > 0) lacking.push_back(sw);
    for (const std::uint32_t sw : lacking)
      for (unsigned trial = 0; trial < kTrials; ++trial) {
        const auto [first, cost] = next(sw, kNoArc);
        if (cost == 0 || cost >= kRefused) break;
        add_path(first, to);
        count_costs();
      }
    return lacking;
  }

  /// Adds turns for a path over each neighbor nearer to the destination, so that loads can be
  /// balanced.
  void add_choices(std::uint32_t to, std::span<const std::uint32_t> lacking) {
    if (lacking.empty()) return;
    search(to);
    for (const std::uint32_t sw : lacking) {
      count_costs();
      for (std::uint32_t arc = arcs_.begin[sw]; arc < arcs_.begin[sw + 1]; ++arc)
        if (hops_[arcs_.head[arc]] < hops_[sw]) add_path(arc, to);
    }
  }

  /// Adds the missing turns of the path, up to the first turn that would close a cycle.
  void add_path(std::uint32_t arc, std::uint32_t to) {
    while (arcs_.head[arc] != to) {
      const std::uint32_t out = next(arcs_.head[arc], arc).first;
      if (!graph_.has(lead(arc), lead(out)) && !graph_.add(lead(arc), lead(out))) {
        refused_.emplace(arc, out);
        return;
      }
      arc = out;
    }
  }

  const Arcs& arcs_;
  const Turns turns_;
  AcyclicTurns graph_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> refused_;
  // Data for the current destination.
  std::vector<std::uint32_t> hops_;
  std::vector<std::uint32_t> near_first_;
  std::vector<std::uint32_t> cost_;  // by arc: cost of the path after the arc
};

std::optional<Order> order_of_damaged(const Fabric& fabric, const Arcs& arcs) {
  const auto hyperx = find_damaged_hyperx(arcs);
  if (!hyperx) return std::nullopt;
  Order order = CompletedOrder(fabric, arcs, *hyperx).order();
  std::vector<std::uint32_t> all(arcs.switches);
  std::iota(all.begin(), all.end(), 0u);
  if (!connects(arcs, Ranking(arcs, order), all)) return std::nullopt;
  return order;
}

}  // namespace

std::optional<Order> dimension_order(const Fabric& fabric, const Arcs& arcs) {
  if (arcs.channels.size() != fabric.channel_count()) return std::nullopt;
  if (can_be_mesh(arcs))
    if (auto order = order_of_mesh(fabric, arcs)) return order;
  if (auto order = order_of_hyperx(arcs)) return order;
  return order_of_damaged(fabric, arcs);
}

}  // namespace weft::nue
