// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/torus_2qos/multicast.h"

#include <algorithm>
#include <array>
#include <utility>

#include "routing/torus_2qos/dependencies.h"
#include "routing/torus_2qos/torus.h"

namespace weft {
namespace {

unsigned last_dimension(const TorusGrid& grid) {
  unsigned last = kTorusDimensions - 1;
  while (last > 0 && grid.radix(last) == 1) --last;
  return last;
}

class Builder {
 public:
  Builder(const Fabric& fabric, const Torus& torus)
      : fabric_(fabric),
        torus_(torus),
        grid_(torus.grid()),
        last_(last_dimension(grid_)),
        inside_(grid_.size(), false) {}

  using Branches = std::vector<TorusDependencies::Branch>;
  /// Branches of the tree that was built last.
  const Branches& branches() const { return branches_; }

  /// Builds the tree of rings. Returns a tree without channels if the rings do not contain all
  /// switches.
  multicast::Tree build(Place root) {
    begin(root);
    for (unsigned d = 0; d <= last_; ++d) {
      const std::vector<Place> from = reached_;
      for (const Place start : from) {
        if (d == last_ && lacks_switch(start)) continue;
        for (const Direction direction : {kUp, kDown}) walk(start, d, direction);
      }
    }
    attach_leaves();
    return take();
  }

  /// Builds a tree breadth first over cables that close no cycle. Returns a tree without channels
  /// if such a tree does not contain all switches.
  multicast::Tree grow(Place root, const TorusDependencies& unicast) {
    begin(root);
    for (std::size_t i = 0; i < reached_.size(); ++i)
      for (unsigned d = 0; d <= last_; ++d)
        for (const Direction direction : {kUp, kDown}) {
          const Place at = reached_[i];
          if (!torus_.is_cabled(at, d, direction) || inside_[grid_.neighbor(at, d, direction)])
            continue;
          branches_.push_back({at, d, direction});
          const bool fits = is_acyclic_with(unicast);
          branches_.pop_back();
          if (fits) add(at, d, direction);
        }
    return take();
  }

  /// Whether the dependencies of unicast packets and of the tree together form no cycle.
  bool is_acyclic_with(const TorusDependencies& unicast) const {
    TorusDependencies all = unicast;
    all.add_tree(branches_);
    return all.is_acyclic();
  }

 private:
  void begin(Place root) {
    inside_.assign(grid_.size(), false);
    tree_ = {torus_.switch_at(root), {}};
    branches_.clear();
    reached_.assign(1, root);
    inside_[root] = true;
  }
  multicast::Tree take() {
    return reached_.size() == fabric_.switch_count() ? std::move(tree_) : multicast::Tree{};
  }

  /// Whether the ring of the last dimension through a place lacks a switch.
  bool lacks_switch(Place place) const {
    for (unsigned i = 0; i < grid_.radix(last_); ++i)
      if (!torus_.has_switch(grid_.moved(place, last_, i))) return true;
    return false;
  }

  /// Whether the tree may continue to the neighbor. The tree must not cross the dateline of a
  /// complete ring.
  bool is_open(Place at, unsigned d, Direction direction) const {
    const Place next = grid_.neighbor(at, d, direction);
    if (next == kNoPlace || !torus_.is_cabled(at, d, direction)) return false;
    const bool passes = (direction == kUp) != (grid_.coordinate(next, d) > grid_.coordinate(at, d));
    return !passes || !torus_.is_whole(at, d);
  }

  void add(Place at, unsigned d, Direction direction) {
    const Place next = grid_.neighbor(at, d, direction);
    tree_.down.push_back(
        fabric_.channel_at(torus_.switch_at(at), torus_.cables(at, d, direction).front()));
    branches_.push_back({at, d, direction});
    inside_[next] = true;
    reached_.push_back(next);
  }

  void walk(Place at, unsigned d, Direction direction) {
    while (is_open(at, d, direction)) {
      const Place next = grid_.neighbor(at, d, direction);
      if (inside_[next]) return;
      add(at, d, direction);
      at = next;
    }
  }

  /// Attaches the switches of rings of the last dimension with a missing switch to their neighbors
  /// in earlier dimensions. Packets around the missing switch, and packets in the long direction of
  /// its ring, would close a cycle with a tree that turns out of that ring.
  void attach_leaves() {
    const std::size_t trunk = reached_.size();
    for (unsigned d = last_; d-- > 0;)
      for (std::size_t i = 0; i < trunk; ++i)
        for (const Direction direction : {kUp, kDown}) {
          const Place at = reached_[i];
          if (lacks_switch(at) || !is_open(at, d, direction)) continue;
          if (!inside_[grid_.neighbor(at, d, direction)]) add(at, d, direction);
        }
  }

  const Fabric& fabric_;
  const Torus& torus_;
  const TorusGrid& grid_;
  const unsigned last_;
  std::vector<bool> inside_;  // by place
  std::vector<Place> reached_;
  multicast::Tree tree_;
  Branches branches_;
};

/// Places with switches, the middle first: either those with the same coordinate in the last
/// dimension as a missing switch, or all other places. If the root is one of the other places, no
/// ring from which the tree branches lacks a switch.
std::vector<Place> middle_first(const Torus& torus, bool level_with_missing) {
  const TorusGrid& grid = torus.grid();
  std::vector<Place> places;
  const unsigned last = last_dimension(grid);
  std::vector<bool> lacks(grid.radix(last), false);
  for (const Place place : torus.missing_switches()) lacks[grid.coordinate(place, last)] = true;
  for (Place place = 0; place < grid.size(); ++place)
    if (torus.has_switch(place) && lacks[grid.coordinate(place, last)] == level_with_missing)
      places.push_back(place);
  std::ranges::stable_sort(places, {}, [&](Place place) {
    unsigned distance = 0;
    for (unsigned d = 0; d < kTorusDimensions; ++d) {
      const unsigned at = grid.coordinate(place, d);
      const unsigned middle = grid.radix(d) / 2;
      distance += at > middle ? at - middle : middle - at;
    }
    return distance;
  });
  return places;
}

/// If only one switch is missing, the geometry of the tree excludes cycles. If more switches, or
/// one switch and cables, are missing, the tree's dependencies are checked.
bool needs_check(const Fabric& fabric, const Torus& torus) {
  const std::size_t switches = torus.missing_switches().size();
  return switches > 1 || (switches == 1 && torus.missing(fabric).size() > 1);
}

// Limits for trees that are built switch by switch, which are tried if no tree of rings is
// possible.
constexpr Place kGrownPlacesMax = 1024;
constexpr std::size_t kGrownRootsMax = 4;

std::optional<multicast::Tree> checked_tree(const Torus& torus, Builder& builder) {
  TorusDependencies unicast(torus);
  Place from = 0, to = 0;
  if (!unicast.add_all_paths(from, to)) return std::nullopt;
  std::vector<Place> roots = middle_first(torus, false);
  const auto level = middle_first(torus, true);
  roots.insert(roots.end(), level.begin(), level.end());
  for (const Place root : roots) {
    auto tree = builder.build(root);
    if (!tree.down.empty() && builder.is_acyclic_with(unicast)) return tree;
  }
  if (torus.grid().size() > kGrownPlacesMax) return std::nullopt;
  for (std::size_t i = 0; i < std::min(kGrownRootsMax, roots.size()); ++i) {
    auto tree = builder.grow(roots[i], unicast);
    if (!tree.down.empty()) return tree;
  }
  return std::nullopt;
}

}  // namespace

std::optional<multicast::Tree> torus_multicast_tree(const Fabric& fabric,
                                                    const TorusConfig& config) {
  const TorusGrid grid(config);
  auto placement = place_switches(fabric, config, grid);
  if (!placement) return std::nullopt;
  Torus torus(fabric, grid, std::move(*placement));
  if (torus.missing_switches().size() > 1 && !select_order(fabric, config, torus))
    return std::nullopt;
  Builder builder(fabric, torus);
  if (needs_check(fabric, torus)) return checked_tree(torus, builder);
  for (const Place root : middle_first(torus, false)) {
    auto tree = builder.build(root);
    if (!tree.down.empty() || fabric.switch_count() == 1) return tree;
  }
  return std::nullopt;
}

}  // namespace weft
