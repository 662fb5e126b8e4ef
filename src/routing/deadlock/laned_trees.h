// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Trees of shortest paths toward one LID after another, each path on a deadlock-free virtual lane.
// Used by dfsssp.
//
// A tree is grown from its destination outward, as in spread.h: a switch is added by the next hop
// of least path cost, where the cost of a channel is the number of flows that it carries. In
// addition some lane must be able to take the whole path: each lane has an acyclic graph of its
// turns, and a turn that would close a cycle is excluded from that lane permanently. So each turn
// of the fabric causes at most one search for a cycle in each lane; all other checks are bit tests,
// with one bit for each lane.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/deadlock/acyclic_turns.h"
#include "routing/deadlock/turns.h"
#include "routing/shapes/hop_dag.h"

namespace weft {

class LanedTrees {
 public:
  static constexpr unsigned kLanesMax = 15;

  struct Rules {
    unsigned lanes = 1;  // limit of lanes; 0: without regard to deadlock
    /// Whether the path on the lowest lane is preferred, and then the cheapest path. If false, the
    /// cheapest path that still fits on a lane is used.
    bool fewest_lanes = false;
    /// Cost factor of a path with a turn that no lane has yet.
    unsigned new_turn_factor = 1;
    /// Limit of channels visited by the searches of each lane: see AcyclicTurns.
    std::uint64_t search_limit = AcyclicTurns::kNoLimit;
    /// All paths between two switches, in both directions, on one lane: a reply has the SL of its
    /// request.
    bool both_directions = false;
    /// Stop if turns are often refused, which indicates an irregular fabric.
    bool only_regular = false;
  };

  LanedTrees(const Fabric& fabric, const Turns& turns, const Rules& rules);

  /// Begins a class of destinations: flows to the new class have precedence over those of earlier
  /// classes in the load.
  void begin_class();
  /// The next LIDs are those of one port; their paths use different neighbors where possible.
  void begin_port() { ++port_stamp_; }

  /// Grows the tree toward `hosts` LIDs behind a switch, or with 0 toward the switch itself.
  /// `ports` and `lanes` are by switch; entries of unreachable switches, and lanes of switches that
  /// send nothing to the destination, are not written. False if some path fits on no lane.
  bool grow(const HopDag& dag, unsigned hosts, bool grouped, std::span<std::uint8_t> ports,
            std::span<std::uint8_t> lanes);

  /// Number of lanes that some path needs.
  unsigned lanes_used() const { return lanes_used_; }

  /// With both_directions: lanes of all pairs of switches, row by row, symmetric, with about
  /// equally many pairs on each lane. Uses as few lanes as possible without moving turns, and
  /// updates lanes_used().
  std::vector<std::uint8_t> distribute_pairs();

 private:
  using Mask = std::uint16_t;  // a bit for each lane
  struct Candidate {
    std::uint64_t cost = 0;
    unsigned penalty = 0;
    Mask can = 0;      // lanes that may still take this path
    Mask present = 0;  // lanes that already have all its turns
  };
  /// The next hop of a switch in the current tree.
  struct Branch {
    std::uint32_t channel = 0;
    std::uint32_t to = 0;
    std::uint64_t cost = 0;
    Mask can = 0;
    Mask present = 0;
    std::uint8_t lane = 0;
  };

  /// Lanes possible for the paths between two switches in earlier trees.
  struct Lanes {
    Mask can = 0;
    Mask present = 0;
  };
  /// With both_directions: a tree that was grown. By switch: the channel, counted from the first
  /// that leaves the switch; or kNoStep.
  using Tree = std::vector<std::uint8_t>;
  static constexpr std::uint8_t kNoStep = 0xFF;

  bool join(std::span<const std::uint32_t> channels, std::span<const std::uint32_t> targets,
            std::uint32_t sw, bool sends, bool grouped);
  bool settle(std::span<const std::uint32_t> channels, std::span<const std::uint32_t> targets,
              std::uint32_t sw, bool sends, Lanes earlier);
  Candidate weigh(std::uint32_t channel, std::uint32_t to, bool grouped, std::uint32_t sw) const;
  std::uint64_t rank(const Candidate& candidate, const Lanes& earlier) const;
  bool add_path(std::uint32_t sw, unsigned lane);
  bool add_tree_path(std::uint32_t sw, unsigned lane);
  bool add_earlier(std::uint32_t sw, unsigned lane);
  bool put(std::uint32_t in, std::uint32_t out, unsigned lane);
  std::uint32_t step(const Tree& tree, std::uint32_t sw) const {
    return fabric_.first_channel(SwitchId(sw)).value() + tree[sw];
  }
  template <class Body>
  bool each_turn(const Tree& tree, std::uint32_t from, std::uint32_t to, const Body& body) const;
  Lanes lanes_between(std::uint32_t a, std::uint32_t b) const;
  bool exchange_packets(std::uint32_t a, std::uint32_t b) const {
    return hosts_[a] > 0 || hosts_[b] > 0;
  }
  AcyclicTurns& graph(unsigned lane);
  void add_flows(const HopDag& dag, unsigned hosts);
  bool irregular() const;
  unsigned penalty(std::uint32_t sw, std::uint32_t to) const;

  const Fabric& fabric_;
  const Turns& turns_;
  const Rules rules_;
  const Mask all_;
  std::vector<AcyclicTurns> graph_;  // by lane, made when first needed
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added_;
  unsigned lanes_used_ = 0;
  std::vector<Mask> has_;              // by turn: lanes that have it
  std::vector<Mask> closed_;           // by turn: lanes on which it would close a cycle
  std::vector<std::uint8_t> port_;     // by channel
  std::vector<std::uint32_t> weight_;  // by channel: time that a flow takes
  std::vector<std::uint64_t> load_;    // by channel: flows of the class << 32, plus all flows
  std::vector<std::uint32_t> hosts_;   // by switch
  std::vector<std::uint32_t> flow_;    // by switch
  std::vector<Branch> branch_;         // by switch
  std::vector<Candidate> candidates_;
  std::vector<std::uint8_t> tried_;  // by candidate
  std::uint32_t destination_ = 0;
  std::vector<std::vector<Tree>> trees_;  // with both_directions: by destination
  // By switch, neighbors that earlier LIDs of the port used; valid if used_stamp_ is port_stamp_.
  std::uint32_t port_stamp_ = 0;
  std::vector<std::uint32_t> used_stamp_;
  std::vector<std::vector<std::uint32_t>> used_;
};

}  // namespace weft
