// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The verifier: checks that routes reach every endport without forwarding loops, use only VLs that
// the links have, and are deadlock-free. It shares no code with routing engines, so that it detects
// their errors. Deadlock freedom is Dally and Seitz's condition (1987): the graph of dependencies
// between (channel, virtual lane) pairs has no cycle. The graph includes requests and their replies
// (path_sls.h), between CAs and between CAs and port 0 of switches. Here routers count as CAs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/multicast.h"

namespace weft {

/// Result of following a packet.
enum class WalkEnd {
  kArrived,
  kUnrouted,      // a table has no route for the LID
  kDeadPort,      // a table has a port that does not exist or has no cable
  kWrongEndport,  // the packet leaves the switches for an endport without this LID
  kLoop,
  kDropped  // an SL2VL map assigns VL 15
};

/// Packets that do not arrive. `source`: a CA port, or a switch's port 0 if no CA is cabled to the
/// first switch.
struct WalkFailure {
  EndportId source;
  Lid lid;
  WalkEnd end;
  SwitchId where;  // switch at which the packets end
  bool operator==(const WalkFailure&) const = default;
};

/// One vertex of a cycle: packets of `source` to `lid`, which may be a multicast LID, hold this
/// channel and VL and wait for the next vertex.
struct CycleHop {
  ChannelId channel;
  Vl vl;
  EndportId source;
  Lid lid;
  Sl sl{};
  /// Whether the packets are replies, with the SL of the path in the opposite direction. That SL
  /// differs from the SL of this path.
  bool reply = false;
  bool operator==(const CycleHop&) const = default;
};

/// Counts of ordered pairs of a source endport and a destination LID of another endport.
struct ReachCount {
  std::uint64_t pairs = 0;
  std::uint64_t arrived = 0;
  std::uint64_t cut_off = 0;  // pairs that no cables connect; none of them arrives
  bool all() const { return pairs == arrived; }
  /// Whether all pairs that cables connect arrive.
  bool all_joined() const { return pairs == arrived + cut_off; }
  std::uint64_t missing() const { return pairs - arrived - cut_off; }
  ReachCount& operator+=(const ReachCount& more) {
    pairs += more.pairs;
    arrived += more.arrived;
    cut_off += more.cut_off;
    return *this;
  }
  bool operator==(const ReachCount&) const = default;
};

/// A VL that packets use on a link that lacks this VL: the hardware discards the packets.
struct LaneFailure {
  PortId port;       // sending port
  Vl vl;             // the highest VL that the link lacks
  unsigned vls = 0;  // number of data VLs that both ends of the link have
  bool operator==(const LaneFailure&) const = default;
};

/// A switch at which packets end without arriving; `walks` is the number of pairs of a first switch
/// and a LID with such packets.
struct BrokenSwitch {
  SwitchId sw;
  std::uint64_t walks = 0;
  bool operator==(const BrokenSwitch&) const = default;
};

struct Verdict {
  bool verified = false;  // set by verify(); false if verification is off
  ReachCount ca_to_ca;
  /// Pairs of CAs and port 0 of switches, used for management and counters.
  ReachCount switch_to_ca;
  ReachCount ca_to_switch;
  /// For information only: no protocol needs these paths, so they never fail a verdict.
  ReachCount switch_to_switch;
  std::uint64_t loops = 0;            // (switch, LID) pairs with packets that loop
  std::vector<WalkFailure> failures;  // the first failures, at most VerifyOptions::failures_max
  std::vector<BrokenSwitch> broken;   // by `walks`, largest first
  /// By port; at most VerifyOptions::failures_max of the `lanes_missing`.
  std::vector<LaneFailure> lane_failures;
  std::uint64_t lanes_missing = 0;  // number of ports with packets on VLs that their links lack
  /// A credit loop of packets between CAs; empty if there is none. Packets at each hop wait for the
  /// next hop, and at the last hop for the first.
  std::vector<CycleHop> credit_loop;
  /// A credit loop that needs packets to or from port 0 of switches, such as reads of performance
  /// counters; searched for only if credit_loop and multicast_credit_loop are empty.
  std::vector<CycleHop> switch_credit_loop;
  std::uint64_t dependencies = 0;  // edges of the channel dependency graph of CA to CA packets
  bool replies_ignored = false;    // copy of VerifyOptions::ignore_replies
  /// The reason why there is nothing to verify, such as "the fabric has no CA with a link"; empty
  /// otherwise.
  std::string empty;
  /// SLs (bit mask), each of which all unicast traffic may use without a discarded packet or a
  /// credit loop. For clients that ignore the SL of path records.
  std::uint16_t single_sls = 0;
  /// Verdict on Routes::mfts; has no meaning if the routes have no multicast tables.
  MulticastVerdict multicast;
  /// A credit loop that needs multicast packets; searched for only if packets between CAs form no
  /// credit loop.
  std::vector<CycleHop> multicast_credit_loop;
  bool has_credit_loop() const { return !credit_loop.empty(); }
  /// Whether every CA reaches every switch, and every switch every CA, if cables connect the two,
  /// and without deadlock.
  bool switches_ok() const {
    return ca_to_switch.all_joined() && switch_to_ca.all_joined() && switch_credit_loop.empty();
  }
  /// Whether each member of each group receives one copy from each other sender in its plane,
  /// without deadlock.
  bool multicast_ok() const { return multicast.ok() && multicast_credit_loop.empty(); }
  /// Whether all CA pairs are connected, without a forwarding loop, a VL that a link lacks, or a
  /// credit loop of packets between CAs.
  bool cas_ok() const {
    return ca_to_ca.all() && loops == 0 && lanes_missing == 0 && !has_credit_loop();
  }
  /// Verdict on unicast between CAs and with switches.
  bool ok() const { return cas_ok() && switches_ok(); }
  bool operator==(const Verdict&) const = default;
};

struct VerifyOptions {
  unsigned threads = 0;           // 0: as many as the machine has
  std::size_t failures_max = 20;  // limit of each list of failures in the verdict
  /// Members of multicast LIDs. For other LIDs, members are the endports to which the tables of
  /// their own switch send copies.
  std::span<const MulticastGroup> groups{};
  /// Omits replies that use another SL than their path from the dependency graph. The proof is then
  /// valid only for one-way traffic.
  bool ignore_replies = false;
};

/// Verifies routes. For adaptive routes the verdict holds for every selection of ports: see
/// adaptive_verifier.h.
Verdict verify(const Fabric& fabric, const Routes& routes, const VerifyOptions& options = {});

/// A cycle as text, one line per hop: channel, VL, and a pair with packets that cause the
/// dependency.
std::string describe_cycle(const Fabric& fabric, std::span<const CycleHop> cycle);

}  // namespace weft
