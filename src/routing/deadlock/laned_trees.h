// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Trees of shortest paths toward one LID after another. Each path is on a deadlock-free virtual
// lane. Used by dfsssp.
//
// A tree is built from its destination outward, as in spread.h: a switch is added by the next hop
// with the least path cost; the cost of a channel is the number of flows on the channel, multiplied
// by its weight. In addition, the whole path must fit on a lane. Each lane has an acyclic graph of
// its turns, and a turn that would close a cycle is excluded from the lane permanently. So there
// are few searches for cycles; most checks are tests of a mask with one bit for each lane.
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
    unsigned lanes = 1;  // limit of lanes; 0: deadlocks are ignored
    /// True: a path is preferred if a lane has all its turns, then the path on the lowest lane,
    /// then the path with the least cost. False: of the paths that fit on a lane, the path with the
    /// least cost is used.
    bool fewest_lanes = false;
    /// Cost factor of a path if no lane has all turns of the path.
    unsigned new_turn_factor = 1;
    /// Limit of the channels that the searches of each lane visit: see AcyclicTurns.
    std::uint64_t search_limit = AcyclicTurns::kNoLimit;
    /// Whether all paths between two switches, in both directions, are on one lane, because a reply
    /// has the SL of its request.
    bool both_directions = false;
    /// Whether to stop if many searches find a cycle, which indicates an irregular fabric.
    bool only_regular = false;
  };

  LanedTrees(const Fabric& fabric, const Turns& turns, const Rules& rules);

  /// Begins a class of destinations. Flows to the new class have precedence over flows to earlier
  /// classes in the comparison of loads.
  void begin_class();
  /// Begins a port: the following LIDs belong to the port, and their paths use different neighbors
  /// if possible.
  void begin_port() { ++port_stamp_; }

  /// Builds the tree toward `hosts` LIDs of hosts of a switch; 0: toward port 0 of the switch.
  /// `grouped`: whether the port has several LIDs. `ports` and `lanes` are by switch. Entries of
  /// unreachable switches, and lanes of switches that send no packets to the destination, are not
  /// written. Returns false if a path fits on no lane, or with only_regular if the fabric is
  /// irregular.
  bool grow(const HopDag& dag, unsigned hosts, bool grouped, std::span<std::uint8_t> ports,
            std::span<std::uint8_t> lanes);

  /// Number of lanes in use.
  unsigned lanes_used() const { return lanes_used_; }

  /// With both_directions: returns the lanes of all pairs of switches, row by row, symmetric, with
  /// similar numbers of pairs on each lane. A pair is only moved to a lane that has all turns of
  /// its paths. Lanes that are not necessary are removed, and lanes_used() is updated.
  std::vector<std::uint8_t> distribute_pairs();

 private:
  using Mask = std::uint16_t;  // a bit for each lane
  struct Candidate {
    std::uint64_t cost = 0;
    unsigned penalty = 0;
    Mask can = 0;      // lanes on which this path may still fit
    Mask present = 0;  // lanes that have all turns of the path
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

  /// Possible lanes of the paths between two switches in earlier trees.
  struct Lanes {
    Mask can = 0;
    Mask present = 0;
  };
  /// With both_directions: a complete tree. By switch, the index of the channel among the output
  /// channels of the switch; or kNoStep.
  using Tree = std::vector<std::uint8_t>;
  static constexpr std::uint8_t kNoStep = 0xFF;

  bool join(std::span<const std::uint32_t> channels, std::span<const std::uint32_t> targets,
            std::uint32_t sw, bool sends, bool grouped);
  bool settle(std::span<const std::uint32_t> channels, std::span<const std::uint32_t> targets,
              std::uint32_t sw, bool sends, Lanes earlier);
  Candidate weigh(std::uint32_t channel, std::uint32_t to, bool grouped, std::uint32_t sw) const;
  std::uint64_t precedence(const Candidate& candidate, const Lanes& earlier) const;
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
  bool is_irregular() const;
  unsigned penalty(std::uint32_t sw, std::uint32_t to) const;

  const Fabric& fabric_;
  const Turns& turns_;
  const Rules rules_;
  const Mask all_;
  std::vector<AcyclicTurns> graph_;  // by lane, made at the first use
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added_;
  unsigned lanes_used_ = 0;
  std::vector<Mask> has_;              // by turn: lanes that have the turn
  std::vector<Mask> closed_;           // by turn: lanes on which the turn would close a cycle
  std::vector<std::uint8_t> port_;     // by channel
  std::vector<std::uint32_t> weight_;  // by channel: time of a flow
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
