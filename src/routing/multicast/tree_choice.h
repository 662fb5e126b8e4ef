// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Selects the tree of each group so that the trees of all groups spread over roots and channels in
// proportion to the link rates.
//
// The tree of a group must not change when other groups are created or deleted. So the loads are
// not those of the other groups: each multicast LID has a position in a sequence of trees over all
// hosts, each of which is selected by the loads of the trees before it. The tree of a group is
// selected by the loads of the trees before its position. The tree of a group of all hosts is the
// tree at its position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/multicast/lane.h"
#include "routing/multicast/loads.h"
#include "routing/multicast/membership.h"
#include "routing/multicast/tree.h"

namespace weft::multicast {

/// Number of positions: a multicast LID has the same position as the LID that is higher by this
/// number.
inline constexpr std::size_t kPositions = 64;

inline std::size_t position_of(Lid mlid) {
  return (mlid.value() - kLidMulticastFirst.value()) % kPositions;
}

/// Hops from a switch to all other switches, computed at the first use.
class HopRows {
 public:
  explicit HopRows(const Fabric& fabric) : fabric_(fabric), rows_(fabric.switch_count()) {}
  std::span<const std::uint16_t> from(SwitchId sw);

 private:
  const Fabric& fabric_;
  std::vector<std::vector<std::uint16_t>> rows_;
};

/// The sequence of trees over all hosts, and their loads up to a position.
class LoadSequence {
 public:
  explicit LoadSequence(const Fabric& fabric) : loads_(fabric) {}

  /// Appends the trees of the next position.
  void append(std::vector<Tree> trees) { trees_.push_back(std::move(trees)); }
  std::size_t size() const { return trees_.size(); }
  /// The loads of the trees before a position, which must be at most size().
  const Loads& before(std::size_t position);
  /// The trees of a position, by part of the fabric.
  std::span<const Tree> at(std::size_t position) const { return trees_[position]; }

 private:
  Loads loads_;
  std::size_t position_ = 0;              // of loads_
  std::vector<std::vector<Tree>> trees_;  // by position
};

/// The tree with the least loaded of parallel cables in place of each cable.
Tree least_loaded_cables(const Fabric& fabric, Tree tree, const Loads& loads);

/// The lane is empty if the trees are not checked against unicast.
class TreeChooser {
 public:
  TreeChooser(const Fabric& fabric, const Membership& membership, TreeMaker& maker,
              std::optional<Lane> lane)
      : fabric_(fabric),
        membership_(membership),
        maker_(maker),
        rows_(fabric),
        sequence_(fabric),
        lane_(std::move(lane)) {}

  /// Selects the trees over all hosts for the positions before `end`, and keeps their turns. Must
  /// be called before choose() for any group with a position before `end`.
  void prepare(std::size_t end);

  /// The tree of a group in a part of the fabric; its turns are kept.
  Tree choose(std::size_t part, std::span<const Demand> demands, Lid mlid);

 private:
  /// Switches of a part by the sum of hops to all members, ascending, then by id. The sums of the
  /// first `near` switches are at most a quarter larger than the least sum; there are more
  /// switches, up to kGroupRootsMax, if the part has them.
  struct Nearest {
    std::vector<SwitchId> roots;
    std::size_t near = 0;
  };
  Nearest find_nearest(std::span<const SwitchId> part, std::span<const Demand> demands);
  std::vector<SwitchId> least_loaded(const Nearest& nearest, const Loads& loads,
                                     std::size_t position) const;
  std::vector<Tree> shortest_trees(const Nearest& nearest, std::span<const Demand> demands,
                                   std::size_t position);
  Tree shortest(SwitchId root, std::span<const Demand> demands, std::size_t position);
  /// A part of the fabric while its trees over all hosts are selected.
  struct AllHosts {
    Nearest nearest;    // without the roots from which no tree was found
    unsigned idle = 0;  // consecutive positions without a new tree
  };
  Tree select_for_all(std::size_t part, AllHosts& all);
  std::optional<Tree> grow(std::size_t part, SwitchId root, const Loads& loads, AllHosts& all);
  std::optional<Tree> least_loaded_before(std::size_t part, const Loads& loads) const;
  /// Adds the turns of a tree to those of the lane. Returns false, without added turns, if they
  /// would close a cycle.
  bool fits(const Tree& tree, std::span<const Demand> demands) {
    return !lane_ || maker_.add_turns(tree, demands, lane_->held);
  }

  const Fabric& fabric_;
  const Membership& membership_;
  TreeMaker& maker_;
  HopRows rows_;
  LoadSequence sequence_;
  std::optional<Lane> lane_;
  std::vector<std::vector<Demand>> all_hosts_;  // demands, by part
};

}  // namespace weft::multicast
