// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/multicast/tree_choice.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "fabric/hops.h"

namespace weft::multicast {
namespace {

// Limit of the near roots that are tried for a tree.
constexpr std::size_t kGroupRootsMax = 8;
// After this number of consecutive positions without a new tree, near roots are not tried at the
// remaining positions: on up*/down* lanes with one root switch no second tree exists.
constexpr unsigned kIdleMax = 8;

/// A group can have switches as members that a tree over all hosts does not contain.
bool contains_all(const Fabric& fabric, const Tree& tree, std::span<const Demand> demands) {
  std::vector<bool> inside(fabric.switch_count(), false);
  inside[tree.root.value()] = true;
  for (const ChannelId down : tree.down) inside[fabric.channel(down).to.value()] = true;
  return std::ranges::all_of(demands,
                             [&](const Demand& demand) { return inside[demand.sw.value()]; });
}

}  // namespace

std::span<const std::uint16_t> HopRows::from(SwitchId sw) {
  auto& row = rows_[sw.value()];
  if (row.empty()) row = hops_from(fabric_, std::span(&sw, 1));
  return row;
}

const Loads& LoadSequence::before(std::size_t position) {
  CHECK(position <= trees_.size());
  if (position < position_) {
    loads_.clear();
    position_ = 0;
  }
  for (; position_ < position; ++position_)
    for (const Tree& tree : trees_[position_]) loads_.add(tree.down);
  return loads_;
}

Tree least_loaded_cables(const Fabric& fabric, Tree tree, const Loads& loads) {
  for (ChannelId& down : tree.down) {
    const Channel& cable = fabric.channel(down);
    ChannelId id = fabric.first_channel(cable.from);
    for (const Channel& channel : fabric.channels_from(cable.from)) {
      if (channel.to == cable.to && loads.with_one_more(id) < loads.with_one_more(down)) down = id;
      id = ChannelId(id.value() + 1);
    }
  }
  return tree;
}

void TreeChooser::prepare(std::size_t end) {
  all_hosts_ = membership_.with_all_hosts({});
  std::vector<AllHosts> parts(all_hosts_.size());
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (!all_hosts_[p].empty())
      parts[p].nearest = find_nearest(membership_.parts()[p], all_hosts_[p]);
  while (sequence_.size() < end) {
    std::vector<Tree> trees(parts.size());
    for (std::size_t p = 0; p < parts.size(); ++p)
      if (!all_hosts_[p].empty()) trees[p] = select_for_all(p, parts[p]);
    sequence_.append(std::move(trees));
  }
}

/// The tree over all hosts for the next position. If the least loaded tree of shortest paths closes
/// a cycle, selects the least loaded candidate that closes no cycle. The candidates are the other
/// trees of shortest paths, a tree that is built by load, shortest paths from the root of the
/// master tree, the master tree, also with other cables, and the least loaded tree of the earlier
/// positions. So trees alternate if few are acyclic.
Tree TreeChooser::select_for_all(std::size_t part, AllHosts& all) {
  const std::vector<Demand>& demands = all_hosts_[part];
  const std::size_t position = sequence_.size();
  const Loads& loads = sequence_.before(position);
  const auto load_of = [&](const Tree& tree) { return loads.with_one_more(tree.down); };
  std::vector<Tree> trees = shortest_trees(all.nearest, demands, position);
  if (!trees.empty()) {
    if (fits(trees.front(), demands)) return std::move(trees.front());
    if (auto built = grow(part, trees.front().root, loads, all)) trees.push_back(std::move(*built));
  }
  const Tree& master = lane_->masters[part];
  trees.push_back(shortest(master.root, demands, position));
  const std::size_t fresh = trees.size();
  trees.push_back(maker_.part_of(master, demands));
  trees.push_back(least_loaded_cables(fabric_, trees.back(), loads));
  if (auto earlier = least_loaded_before(part, loads)) trees.push_back(std::move(*earlier));
  std::vector<std::size_t> order(trees.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return load_of(trees[i]); });
  for (const std::size_t i : order) {
    if (!fits(trees[i], demands)) continue;
    all.idle = i < fresh ? 0 : all.idle + 1;
    if (all.idle == kIdleMax) all.nearest = {};
    return std::move(trees[i]);
  }
  CHECK(false);  // lane_->held has the turns of the master tree
}

/// A tree from this root that is built by load; if there is none, the root is not tried again,
/// because more and more turns are held.
std::optional<Tree> TreeChooser::grow(std::size_t part, SwitchId root, const Loads& loads,
                                      AllHosts& all) {
  Tree built = maker_.breadth_first_tree(root, all_hosts_[part], lane_->held, &loads);
  if (!built.down.empty()) return built;
  std::erase(all.nearest.roots, root);
  --all.nearest.near;
  return std::nullopt;
}

/// The least loaded of the part's trees at earlier positions.
std::optional<Tree> TreeChooser::least_loaded_before(std::size_t part, const Loads& loads) const {
  const Tree* best = nullptr;
  std::pair<std::uint64_t, std::uint64_t> least;
  for (std::size_t position = 0; position < sequence_.size(); ++position) {
    const Tree& tree = sequence_.at(position)[part];
    const auto load = loads.with_one_more(tree.down);
    if (best != nullptr && load >= least) continue;
    best = &tree;
    least = load;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

Tree TreeChooser::choose(std::size_t part, std::span<const Demand> demands, Lid mlid) {
  const std::size_t position = position_of(mlid);
  if (std::ranges::equal(demands, all_hosts_[part])) return sequence_.at(position)[part];
  const Nearest nearest = find_nearest(membership_.parts()[part], demands);
  std::vector<Tree> trees = shortest_trees(nearest, demands, position);
  if (!lane_) return std::move(trees.front());
  const auto by_load = [loads = &sequence_.before(position)](const Tree& tree) {
    return loads->with_one_more(tree.down);
  };
  // The part of the tree over all hosts can have many channels for a group with few members.
  const Tree& all_hosts = sequence_.at(position)[part];
  Tree of_all;
  if (!all_hosts.down.empty() && contains_all(fabric_, all_hosts, demands))
    of_all = maker_.part_of(all_hosts, demands);
  if (!of_all.down.empty() && of_all.down.size() * 4 <= trees.front().down.size() * 5)
    trees.insert(std::ranges::upper_bound(trees, by_load(of_all), {}, by_load), std::move(of_all));
  for (std::size_t i = nearest.near; i < nearest.roots.size(); ++i)
    trees.push_back(shortest(nearest.roots[i], demands, position));
  trees.push_back(maker_.part_of(lane_->masters[part], demands));
  for (Tree& tree : trees)
    if (fits(tree, demands)) return std::move(tree);
  CHECK(false);  // lane_->held has the turns of the master tree
}

Tree TreeChooser::shortest(SwitchId root, std::span<const Demand> demands, std::size_t position) {
  return maker_.shortest(root, rows_.from(root), demands, static_cast<std::uint32_t>(position),
                         &sequence_.before(position));
}

/// Trees of shortest paths from near roots, the least loaded first.
std::vector<Tree> TreeChooser::shortest_trees(const Nearest& nearest,
                                              std::span<const Demand> demands,
                                              std::size_t position) {
  const Loads& loads = sequence_.before(position);
  std::vector<Tree> trees;
  for (const SwitchId root : least_loaded(nearest, loads, position))
    trees.push_back(shortest(root, demands, position));
  std::ranges::stable_sort(trees, {},
                           [&](const Tree& tree) { return loads.with_one_more(tree.down); });
  return trees;
}

/// Up to kGroupRootsMax of the near switches, by the largest load of their channels. The position
/// selects the first of equally loaded switches.
std::vector<SwitchId> TreeChooser::least_loaded(const Nearest& nearest, const Loads& loads,
                                                std::size_t position) const {
  std::vector<std::pair<std::uint64_t, SwitchId>> roots;
  for (std::size_t i = 0; i < nearest.near; ++i) {
    const SwitchId root = nearest.roots[(position + i) % nearest.near];
    std::uint64_t most = 0;
    for (const Channel& channel : fabric_.channels_from(root))
      most = std::max(most, loads.with_one_more(channel.reverse));
    roots.emplace_back(most, root);
  }
  std::ranges::stable_sort(roots, {}, &std::pair<std::uint64_t, SwitchId>::first);
  roots.resize(std::min(roots.size(), kGroupRootsMax));
  std::vector<SwitchId> result;
  for (const auto& [load, root] : roots) result.push_back(root);
  return result;
}

TreeChooser::Nearest TreeChooser::find_nearest(std::span<const SwitchId> part,
                                               std::span<const Demand> demands) {
  std::vector<std::uint64_t> total(fabric_.switch_count(), 0);
  for (const Demand& demand : demands) {
    const auto row = rows_.from(demand.sw);
    for (const SwitchId sw : part)
      total[sw.value()] += std::uint64_t{row[sw.value()]} * demand.weight();
  }
  const auto total_of = [&](SwitchId sw) { return total[sw.value()]; };
  const std::uint64_t least = total_of(*std::ranges::min_element(part, {}, total_of));
  Nearest nearest{{part.begin(), part.end()},
                  static_cast<std::size_t>(std::ranges::count_if(
                      part, [&](SwitchId sw) { return total_of(sw) <= least + least / 4; }))};
  const std::size_t count = std::min(part.size(), std::max(nearest.near, kGroupRootsMax));
  std::ranges::partial_sort(nearest.roots,
                            nearest.roots.begin() + static_cast<std::ptrdiff_t>(count), {},
                            [&](SwitchId sw) { return std::pair(total_of(sw), sw); });
  nearest.roots.resize(count);
  return nearest;
}

}  // namespace weft::multicast
