// The verifier: whether routes reach every endport without forwarding loops, use only lanes that
// the links have, and cannot deadlock. It knows no engine, so a mistake in an engine cannot hide
// here. Deadlock freedom is Dally and Seitz's condition (1987): the graph of dependencies between
// (channel, virtual lane) pairs has no cycle. The graph has what requests and their replies do
// (path_sls.h), between CAs and between CAs and port 0 of switches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/multicast.h"

namespace weft {

/// What happened to a packet on its way.
enum class WalkEnd { kArrived, kUnrouted, kDeadPort, kWrongEndport, kLoop, kDropped };

/// `source` is a CA port, or a switch's port 0 where no CA is cabled to the switch that the walk
/// starts at.
struct WalkFailure {
  EndportId source;
  Lid lid;
  WalkEnd end;
  SwitchId where;
};

/// One vertex of a found cycle: packets of `source` to `lid`, which may be a multicast LID, hold
/// this channel and VL and wait for the next vertex.
struct CycleHop {
  ChannelId channel;
  Vl vl;
  EndportId source;
  Lid lid;
  Sl sl{};
  /// Replies on the SL of the path in the other direction, which is not the SL of this path.
  bool reply = false;
};

/// Counts over ordered pairs of a source endport and a destination LID that is not the source's
/// own.
struct ReachCount {
  std::uint64_t pairs = 0;
  std::uint64_t arrived = 0;
  std::uint64_t cut_off = 0;  // pairs that no cables join, none of which arrives
  bool all() const { return pairs == arrived; }
  /// All that the cables allow.
  bool all_joined() const { return pairs == arrived + cut_off; }
  std::uint64_t missing() const { return pairs - arrived - cut_off; }
};

/// A lane that packets use on a link which does not have it: hardware discards them there.
struct LaneFailure {
  PortId port;       // that sends
  Vl vl;             // the highest such
  unsigned vls = 0;  // data VLs that both ends of the link have
};

/// A switch at which walks end without arriving, and how many.
struct BrokenSwitch {
  SwitchId sw;
  std::uint64_t walks = 0;
};

struct Verdict {
  bool verified = false;  // by verify(); false where verification is off
  ReachCount ca_to_ca;
  /// Between CAs and port 0 of switches, where management and counters are read.
  ReachCount switch_to_ca;
  ReachCount ca_to_switch;
  /// For information: no protocol needs these paths, so none of them fails a verdict.
  ReachCount switch_to_switch;
  std::uint64_t loops = 0;            // (switch, LID) walks that never end
  std::vector<WalkFailure> failures;  // the first of them, at most VerifyOptions::failures_max
  std::vector<BrokenSwitch> broken;   // most walks first
  /// By port; at most VerifyOptions::failures_max of `lanes_missing`.
  std::vector<LaneFailure> lane_failures;
  std::uint64_t lanes_missing = 0;  // ports that are sent lanes their links do not have
  /// Packets between CAs; empty: none, else each hop waits for the next and the last for the first.
  std::vector<CycleHop> credit_loop;
  /// A loop that closes only with packets to or from port 0 of switches (their performance counters
  /// are read so); looked for where packets between CAs make none.
  std::vector<CycleHop> switch_credit_loop;
  std::uint64_t dependencies = 0;  // edges of the channel dependency graph of CA to CA packets
  bool replies_ignored = false;    // as VerifyOptions asked
  /// Why there is nothing to prove, such as "the fabric has no CAs"; empty where there is.
  std::string empty;
  /// SLs, a bit for each, that all unicast traffic may use at once, whatever SL path records name,
  /// without a discarded packet or a credit loop: for clients that ignore the SL.
  std::uint16_t single_sls = 0;
  /// Of Routes::mfts; it says nothing where there are none.
  MulticastVerdict multicast;
  /// A loop that closes only with multicast packets; looked for where packets between CAs make
  /// none.
  std::vector<CycleHop> multicast_credit_loop;
  bool has_credit_loop() const { return !credit_loop.empty(); }
  /// Every CA reaches every switch and is reached from it wherever cables join them, also free of
  /// deadlock.
  bool switches_ok() const {
    return ca_to_switch.all_joined() && switch_to_ca.all_joined() && switch_credit_loop.empty();
  }
  /// Each member of each group gets one copy from each other, and no packet waits for another in a
  /// circle.
  bool multicast_ok() const { return multicast.ok() && multicast_credit_loop.empty(); }
  /// Every CA pair connected, no forwarding loop, no lane beyond a link's, no credit loop of
  /// packets between CAs.
  bool cas_ok() const {
    return ca_to_ca.all() && loops == 0 && lanes_missing == 0 && !has_credit_loop();
  }
  /// Of unicast: CAs and switches.
  bool ok() const { return cas_ok() && switches_ok(); }
};

struct VerifyOptions {
  unsigned threads = 0;
  std::size_t failures_max = 20;
  /// Who belongs to multicast LIDs. Of others the members are those whom the tables of their own
  /// switches send copies to.
  std::span<const MulticastGroup> groups{};
  /// Leaves replies out of the dependency graph, where they travel on another SL than the path that
  /// they take: then the proof holds for one-way traffic only.
  bool ignore_replies = false;
};

/// Where the routes are adaptive the verdict holds for whatever switches choose: see choices.h.
Verdict verify(const Fabric& fabric, const Routes& routes, const VerifyOptions& options = {});

/// A cycle as text, a line a hop: channel, VL, and a pair whose packets make the dependency.
std::string describe_cycle(const Fabric& fabric, std::span<const CycleHop> cycle);

}  // namespace weft
