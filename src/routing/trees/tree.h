// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A fat tree for the closed form: port groups up and down, the slot of each parent among its
// children's parents, and the dividers that split the index of a destination into one digit for
// each level.
//
// D-mod-K (Zahavi, "Fat-tree routing and node ordering providing contention free traffic for MPI
// global collectives", 2011): under a switch above levels with w1, w2, .. parents, packets to the
// destination of index j go up to parent (j / (w1 w2 ..)) mod w. Slots number the parents alike in
// every pod, so that traffic that goes up by slot q goes down by slot q of its destination pod,
// also if cables or switches are missing.
//
// If parents of a family have different numbers of cables to each child (a quasi fat tree, a
// generalized tree with uneven parallel ports), or cables of different rates, each parent has a
// share according to its cables or their rates: the digit selects a turn, and a parent with twice
// the cables has two turns. (Here a turn is one position in the cycle through the uplinks of a
// switch, not a pair of channels.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft::ftree {

inline constexpr std::uint8_t kNoGroup = 255;

/// The cables to one neighbor: `cables` ports of Tree::ports from `first` on, by port number.
struct Group {
  std::uint32_t to;  // SwitchId
  std::uint32_t first;
  std::uint8_t cables;
  std::uint32_t rate;  // sum over its cables, in units of 100 Mbit/s
};

/// One of the turns of a switch: a slot, and a cable of its share.
struct Turn {
  std::uint8_t slot;
  std::uint8_t cable;  // index in the share of the slot
};

class Tree {
 public:
  /// Cables between switches of one level, or to a switch without a level, are omitted.
  Tree(const Fabric& fabric, std::vector<std::int32_t> level);

  std::uint32_t size() const { return static_cast<std::uint32_t>(level_.size()); }
  std::int32_t level(std::uint32_t sw) const { return level_[sw]; }
  /// The switches of each level, from the lowest level up.
  std::span<const std::vector<std::uint32_t>> levels() const { return levels_; }

  /// Up groups in order of slot; down groups in order of the child's id.
  std::span<const Group> up(std::uint32_t sw) const { return slice(up_, sw); }
  std::span<const Group> down(std::uint32_t sw) const { return slice(down_, sw); }
  std::span<const std::uint8_t> ports(const Group& group) const {
    return std::span(ports_).subspan(group.first, group.cables);
  }

  /// Number of parents of the intact tree; 0 for a root.
  std::uint32_t width(std::uint32_t sw) const { return width_[sw]; }
  /// Whether all children of the family have the same parents, apart from missing parents. If not,
  /// the slots of a switch number its own parents.
  bool shares_parents(std::uint32_t sw) const { return shares_parents_[sw]; }
  /// Index of the group of up() to the parent in a slot, or kNoGroup.
  std::uint8_t group_at(std::uint32_t sw, std::uint32_t slot) const {
    return group_at_[slot_begin_[sw] + slot];
  }
  /// The slot of a switch as a parent of its children.
  std::uint32_t slot(std::uint32_t sw) const { return slot_[sw]; }
  /// Divisor: (index / divider) % turns() selects the turn, and so the uplink.
  std::uint32_t divider(std::uint32_t sw) const { return divider_[sw]; }
  /// Number of turns: width() if all parents have equal shares; 0 for a root.
  std::uint32_t turns(std::uint32_t sw) const { return family(sw).turns; }
  Turn turn(std::uint32_t sw, std::uint32_t number) const {
    return turns_[family(sw).first_turn + number];
  }
  /// Number of turns of a slot.
  std::uint32_t share(std::uint32_t sw, std::uint32_t slot) const {
    return shares_[family(sw).first_share + slot];
  }
  /// The slot and the cable for an index. The cable number may exceed the number of cables to the
  /// parent, so callers take the remainder.
  struct Uplink {
    std::uint32_t slot, cable;
  };
  Uplink uplink(std::uint32_t sw, std::uint32_t index) const { return uplinks(sw).of(index); }
  /// uplink() of one switch for many indices.
  struct Uplinks {
    std::uint32_t divider, turns;
    const Turn* turn;
    const std::uint8_t* shares;
    Uplink of(std::uint32_t index) const {
      const std::uint32_t digits = index / divider;
      const Turn found = turn[digits % turns];
      return {found.slot, found.cable + shares[found.slot] * (digits / turns)};
    }
  };
  Uplinks uplinks(std::uint32_t sw) const {
    const Family& all = family(sw);
    return {divider(sw), all.turns, turns_.data() + all.first_turn,
            shares_.data() + all.first_share};
  }
  /// divider() and turns() of the children of a switch.
  std::uint32_t divider_below(std::uint32_t sw) const { return divider_below_[sw]; }
  std::uint32_t turns_below(std::uint32_t sw) const { return turns_below_[sw]; }

 private:
  struct Groups {
    std::vector<std::uint32_t> begin;  // switches + 1
    std::vector<Group> groups;
  };
  /// Children that share their turns.
  struct Family {
    std::uint32_t turns = 0;
    std::uint32_t first_turn = 0;   // in turns_
    std::uint32_t first_share = 0;  // in shares_
  };
  const Family& family(std::uint32_t sw) const { return families_[family_of_[sw]]; }
  std::span<const Group> slice(const Groups& all, std::uint32_t sw) const {
    return std::span(all.groups).subspan(all.begin[sw], all.begin[sw + 1] - all.begin[sw]);
  }
  void collect_groups(const Fabric& fabric);
  void assign_slots();
  void assign_turns(const std::vector<bool>& regular);
  void assign_dividers();

  std::vector<std::int32_t> level_;
  std::vector<std::vector<std::uint32_t>> levels_;
  std::vector<std::uint8_t> ports_;
  Groups up_, down_;
  std::vector<std::uint32_t> width_;
  std::vector<bool> shares_parents_;
  std::vector<std::uint32_t> slot_begin_;
  std::vector<std::uint8_t> group_at_;
  std::vector<std::uint32_t> slot_;
  std::vector<std::uint32_t> family_of_;  // by switch as a child
  std::vector<Family> families_;
  std::vector<Turn> turns_;
  std::vector<std::uint8_t> shares_;
  std::vector<std::uint32_t> divider_, divider_below_, turns_below_;
};

}  // namespace weft::ftree
