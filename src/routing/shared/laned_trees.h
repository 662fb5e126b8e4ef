// Trees of shortest paths toward one LID after another, each path on a virtual lane on which no
// paths can wait for each other in a circle. What dfsssp is made of.
//
// A tree is grown from its destination outward, as in spread.h: a switch joins by the way that
// costs least, where a channel costs the flows it carries. Here a way also has to lead on over a
// path that is free to lie on some lane: each lane keeps a graph of the turns on it without cycles,
// and once a turn would close one it is ruled out on that lane for good. So every turn of the
// fabric is searched for at most once a lane, and all else are tests of bits, one for each lane.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/shared/acyclic_turns.h"
#include "routing/shared/hop_dag.h"
#include "routing/shared/turns.h"

namespace weft {

class LanedTrees {
 public:
  static constexpr unsigned kLanesMax = 15;

  struct Rules {
    unsigned lanes = 1;  // that may be used; 0: paths may wait for each other as they like
    /// The way that lies on the lowest lane, and among these the cheapest; else the cheapest that
    /// still fits on a lane.
    bool fewest_lanes = false;
    /// A way that brings a turn which no lane has costs so many times more.
    unsigned new_turn_factor = 1;
    /// Channels to be visited by the searches of each lane: see AcyclicTurns.
    std::uint64_t search_limit = AcyclicTurns::kNoLimit;
    /// All paths between two switches, there and back, on one lane: a reply has the SL of what it
    /// answers.
    bool both_ways = false;
    /// Give up where turns are refused often: the mark of irregular fabrics.
    bool only_regular = false;
  };

  LanedTrees(const Fabric& fabric, const Turns& turns, const Rules& rules);

  /// Flows count in the first place against those to destinations since the last call.
  void begin_class();
  /// The next LIDs are those of one port; they go over different neighbours where they can.
  void begin_port() { ++port_stamp_; }

  /// Grows the tree toward `hosts` LIDs behind a switch, or with 0 toward the switch itself.
  /// `ports` and `lanes` are by switch; entries of switches without a way are left alone, and so
  /// are lanes of switches that send nothing there. False where some path fits on no lane.
  bool grow(const HopDag& dag, unsigned hosts, bool grouped, std::span<std::uint8_t> ports,
            std::span<std::uint8_t> lanes);

  /// Lanes that some path needs.
  unsigned lanes_used() const { return lanes_used_; }

  /// With both_ways: lanes of all pairs of switches, row by row, symmetric, about as many pairs on
  /// each; and on as few lanes as can be seen without moving turns, which lanes_used() tells then.
  std::vector<std::uint8_t> deal_pairs();

 private:
  using Mask = std::uint16_t;  // a bit for each lane
  struct Way {
    std::uint64_t cost = 0;
    unsigned distaste = 0;
    Mask can = 0;   // lanes that are not known to be closed to this path
    Mask lies = 0;  // lanes that have all its turns already
  };
  /// How the current tree goes on from a switch.
  struct Branch {
    std::uint32_t channel = 0;
    std::uint32_t to = 0;
    std::uint64_t cost = 0;
    Mask can = 0;
    Mask lies = 0;
    std::uint8_t lane = 0;
  };

  /// Lanes by the paths between two switches that trees before this one made.
  struct Lanes {
    Mask can = 0;
    Mask lies = 0;
  };
  /// With both_ways: a tree as it was grown. By switch: the channel, counted from the first that
  /// leaves the switch; or kNoStep.
  using Tree = std::vector<std::uint8_t>;
  static constexpr std::uint8_t kNoStep = 0xFF;

  bool join(std::span<const std::uint32_t> channels, std::span<const std::uint32_t> targets,
            std::uint32_t sw, bool sends, bool grouped);
  bool settle(std::span<const std::uint32_t> channels, std::span<const std::uint32_t> targets,
              std::uint32_t sw, bool sends, Lanes earlier);
  Way weigh(std::uint32_t channel, std::uint32_t to, bool grouped, std::uint32_t sw) const;
  std::uint64_t rank(const Way& way, const Lanes& earlier) const;
  bool lay(std::uint32_t sw, unsigned lane);
  bool lay_tree_path(std::uint32_t sw, unsigned lane);
  bool lay_earlier(std::uint32_t sw, unsigned lane);
  bool put(std::uint32_t in, std::uint32_t out, unsigned lane);
  std::uint32_t step(const Tree& tree, std::uint32_t sw) const {
    return fabric_.first_channel(SwitchId(sw)).value() + tree[sw];
  }
  template <class Body>
  bool each_turn(const Tree& tree, std::uint32_t from, std::uint32_t to, const Body& body) const;
  Lanes lanes_between(std::uint32_t a, std::uint32_t b) const;
  bool talk(std::uint32_t a, std::uint32_t b) const { return hosts_[a] > 0 || hosts_[b] > 0; }
  AcyclicTurns& graph(unsigned lane);
  void add_flows(const HopDag& dag, unsigned hosts);
  bool irregular() const;
  unsigned distaste(std::uint32_t sw, std::uint32_t to) const;

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
  std::vector<Way> ways_;
  std::vector<std::uint8_t> tried_;  // by way
  std::uint32_t destination_ = 0;
  std::vector<std::vector<Tree>> trees_;  // with both_ways: by destination
  // Neighbours that earlier LIDs of the port went over, by switch; valid where stamped.
  std::uint32_t port_stamp_ = 0;
  std::vector<std::uint32_t> used_stamp_;
  std::vector<std::vector<std::uint32_t>> used_;
};

}  // namespace weft
