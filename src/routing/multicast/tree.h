// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A multicast tree over switches: its construction, the channels that carry packets, and their
// turns.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "routes/multicast.h"
#include "routing/multicast/held_turns.h"
#include "routing/multicast/loads.h"

namespace weft::multicast {

/// Members at a switch.
struct Demand {
  SwitchId sw;
  std::uint32_t receivers = 0;
  std::uint32_t senders = 0;  // members, and send-only members
  /// Weight of the switch in the sum of hops to a root.
  std::uint32_t weight() const { return senders; }
  bool operator==(const Demand&) const = default;
};

/// A tree: its root, and its channels from parents to children, in order from the root.
struct Tree {
  SwitchId root;
  std::vector<ChannelId> down;
  bool operator==(const Tree&) const = default;
};

/// Computes trees of one fabric; keeps scratch memory between calls.
class TreeMaker {
 public:
  explicit TreeMaker(const Fabric& fabric);

  /// A tree of shortest paths; `hops` are the hop counts from the root. Of equally short paths, a
  /// path over a switch that is already in the tree is preferred; of several such paths, the last
  /// parameter modulo their number selects the path. With loads, paths over switches with demands
  /// are preferred too, and of several such paths the next channel with the least load.
  Tree shortest(SwitchId root, std::span<const std::uint16_t> hops, std::span<const Demand> demands,
                std::uint32_t path_number, const Loads* loads = nullptr);

  /// A tree that is built breadth first over channels with turns that close no cycle with `held`
  /// and the tree's turns; with loads, the channels of each level are tried by load. A tree without
  /// channels if some demands cannot be connected. `held` is unchanged after the call.
  Tree breadth_first_tree(SwitchId root, std::span<const Demand> demands, HeldTurns& held,
                          const Loads* loads = nullptr);

  /// The part of a tree that the demands need.
  Tree part_of(const Tree& tree, std::span<const Demand> demands);

  /// For each channel of tree.down: whether packets use it, and whether packets use its reverse.
  std::vector<std::pair<bool, bool>> flows(const Tree& tree, std::span<const Demand> demands);

  /// Adds the turns of the tree's packets. Returns false, without added turns, if one of them would
  /// close a cycle.
  bool add_turns(const Tree& tree, std::span<const Demand> demands, HeldTurns& held);

 private:
  /// Turns as pairs of a held and a requested channel.
  using TurnList = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  bool add_turns_at(SwitchId sw, HeldTurns& held);
  void attach(ChannelId channel, Tree& tree);
  ChannelId next_branch(SwitchId at, std::span<const std::uint16_t> hops, std::uint32_t path_number,
                        const Loads* loads);
  /// A channel to a switch outside the tree, and the queue position of its first switch.
  struct Branch {
    std::size_t parent;
    ChannelId down;
  };
  std::vector<Branch> branches_from(std::span<const SwitchId> queue, std::size_t first,
                                    const Loads* loads) const;
  bool try_turns(std::uint32_t down, std::span<const std::uint32_t> beside, HeldTurns& held,
                 TurnList& added);
  std::uint32_t reverse(std::uint32_t channel) const {
    return fabric_.channel(ChannelId(channel)).reverse.value();
  }

  const Fabric& fabric_;
  std::vector<bool> inside_;         // by switch; all false between calls
  std::vector<bool> demanded_;       // by switch; all false between calls
  std::vector<ChannelId> possible_;  // scratch of next_branch()
  std::vector<std::uint32_t> sums_;  // by switch; all 0 between calls
  std::vector<std::uint8_t> used_;   // by channel: whether packets use it; all 0 between calls
  TurnList added_;                   // scratch of add_turns()
};

}  // namespace weft::multicast
