// The judge: do these routes reach everybody, without forwarding loops, and can they never
// deadlock? It knows nothing of engines, so a mistake in an engine cannot hide here. Deadlock
// freedom is Dally and Seitz's condition (1987): the graph of dependencies between (channel,
// virtual lane) pairs has no cycle.
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
};

/// Counts over ordered pairs of a source endport and a destination LID that is not the source's
/// own. Sources of `cas` are CA ports and destinations all LIDs of CA ports; `switch_to_ca` walks
/// start at switches. Pairs between switches are counted in `switches` and fail nothing: nobody
/// sends data between them.
struct ReachCount {
  std::uint64_t pairs = 0;
  std::uint64_t arrived = 0;
  bool all() const { return pairs == arrived; }
};

/// A switch at which walks to CA LIDs end without arriving, and how many.
struct BrokenSwitch {
  SwitchId sw;
  std::uint64_t walks = 0;
};

struct Verdict {
  ReachCount ca_to_ca;
  ReachCount switch_to_ca;
  ReachCount ca_to_switch;
  ReachCount switch_to_switch;
  std::uint64_t loops = 0;            // (switch, LID) walks that never end
  std::vector<WalkFailure> failures;  // the first of them, at most VerifyOptions::failures_max
  std::vector<BrokenSwitch> broken;   // most walks first
  /// Packets between CAs; empty: none, else each hop waits for the next and the last for the first.
  std::vector<CycleHop> credit_loop;
  /// A loop that closes only with packets to or from port 0 of switches (their performance counters
  /// are read so); looked for where packets between CAs make none.
  std::vector<CycleHop> switch_credit_loop;
  std::uint64_t dependencies = 0;  // edges of the channel dependency graph of CA to CA packets
  /// Of Routes::mfts; it says nothing where there are none.
  MulticastVerdict multicast;
  /// A loop that closes only with multicast packets; looked for where packets between CAs make
  /// none.
  std::vector<CycleHop> multicast_credit_loop;
  bool has_credit_loop() const { return !credit_loop.empty(); }
  /// Each member of each group gets one copy from each other, and no packet waits for another in a
  /// circle.
  bool multicast_ok() const { return multicast.ok() && multicast_credit_loop.empty(); }
  /// Of unicast: every CA pair connected, no forwarding loop, no credit loop.
  bool ok() const { return ca_to_ca.all() && loops == 0 && !has_credit_loop(); }
};

struct VerifyOptions {
  unsigned threads = 0;
  std::size_t failures_max = 20;
  /// Who belongs to multicast LIDs. Of others the members are those whom the tables of their own
  /// switches send copies to.
  std::span<const MulticastGroup> groups{};
};

/// Where the routes are adaptive the verdict holds for whatever switches choose: see choices.h.
Verdict verify(const Fabric& fabric, const Routes& routes, const VerifyOptions& options = {});

/// A cycle as text, a line a hop: channel, VL, and a pair whose packets make the dependency.
std::string describe_cycle(const Fabric& fabric, std::span<const CycleHop> cycle);

}  // namespace weft
