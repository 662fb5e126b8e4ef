// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/multicast_verifier.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "routes/adaptive.h"
#include "routes/group_sl.h"

namespace weft {
namespace {

using Vertex = DependencyGraph::Vertex;

/// Result of following the copies of one packet.
struct Outcome {
  std::vector<EndportId> reached;  // in order of arrival; duplicates included
  struct Place {
    CopyFault fault;
    SwitchId where;
    PortNum port;
  };
  std::vector<Place> faults;
  /// Pairs of vertices: a packet holds the first and waits for the second.
  std::vector<std::pair<Vertex, Vertex>> waits;
  /// Output ports of copies.
  struct Use {
    SwitchId sw;
    PortNum out;
    std::uint8_t vl;
  };
  std::vector<Use> lanes;
};

/// Follows the packets of one group, one packet after another.
class CopyFollower {
 public:
  CopyFollower(const Fabric& fabric, const Routes& routes, Lid mlid)
      : fabric_(fabric), routes_(routes), sl_(group_sl(routes, mlid)) {
    const auto found = routes.mfts.find(mlid);
    if (found == routes.mfts.end()) return;
    for (const auto& [sw, mask] : found->second) {
      if (masks_.size() <= sw.value()) masks_.resize(sw.value() + std::size_t{1}, nullptr);
      masks_[sw.value()] = &mask;
    }
  }

  /// Follows a packet that enters a switch through a port.
  Outcome send(SwitchId at, PortNum in) {
    Outcome outcome;
    state_.assign(fabric_.channel_count(), State::kNew);
    std::vector<Frame> path;
    path.push_back(arrive(at, in, std::nullopt, outcome));
    while (!path.empty()) {
      Frame& top = path.back();
      if (top.next.empty()) {
        if (top.held) state_[top.held->channel.value()] = State::kDone;
        path.pop_back();
        continue;
      }
      const Vertex next = top.next.back();
      top.next.pop_back();
      if (top.held) outcome.waits.emplace_back(*top.held, next);
      const Channel& channel = fabric_.channel(next.channel);
      State& state = state_[next.channel.value()];
      if (state != State::kNew) {
        outcome.faults.push_back({state == State::kOpen ? CopyFault::kLoop : CopyFault::kTwice,
                                  channel.from, channel.from_port});
        continue;
      }
      state = State::kOpen;
      path.push_back(arrive(channel.to, channel.to_port, next, outcome));
    }
    return outcome;
  }

 private:
  enum class State : std::uint8_t { kNew, kOpen, kDone };
  /// Copies at a switch that arrived on `held` and have not left yet.
  struct Frame {
    std::optional<Vertex> held;
    std::vector<Vertex> next;
  };

  /// Delivers copies to endports of the switch and lists the copies to other switches.
  Frame arrive(SwitchId at, PortNum in, std::optional<Vertex> held, Outcome& outcome) {
    Frame frame{held, {}};
    if (at.value() < masks_.size() && masks_[at.value()] != nullptr)
      for_each_port(*masks_[at.value()], [&](PortNum out) {
        if (out != in) leave(at, in, out, frame, outcome);
      });
    std::ranges::reverse(frame.next);
    return frame;
  }

  /// Delivers a copy that leaves a switch through a port, or lists it if the port is cabled to a
  /// switch.
  void leave(SwitchId at, PortNum in, PortNum out, Frame& frame, Outcome& outcome) {
    if (out == PortNum(0)) {
      outcome.reached.push_back(Fabric::endport_of(at));
      return;
    }
    const std::uint8_t vl = routes_.sl2vl.vl(at, in, out, sl_).value();
    if (vl == kDropVl) return;
    outcome.lanes.push_back({at, out, vl});
    if (const ChannelId channel = fabric_.channel_at(at, out); channel != kNoChannel) {
      frame.next.push_back({channel, vl});
      return;
    }
    const PortId port = fabric_.port_id(Fabric::node_of(at), out);
    const PortId peer = port == kNoPort ? kNoPort : fabric_.port(port).peer;
    const EndportId endport = peer == kNoPort ? kNoEndport : fabric_.endport_at(peer);
    if (endport == kNoEndport) {
      outcome.faults.push_back({CopyFault::kDeadPort, at, out});
    } else {
      outcome.reached.push_back(endport);
    }
  }

  const Fabric& fabric_;
  const Routes& routes_;
  const Sl sl_;
  std::vector<const PortMask*> masks_;  // by switch
  std::vector<State> state_;            // by channel
};

/// Calls body(senders, outcome) for the packets of a group. If the SL2VL map does not depend on the
/// input port, packets of all senders at a switch take the same paths, except that no sender
/// receives its own packet. Such packets are followed once.
template <class Body>
void for_each_packet(const Fabric& fabric, const Routes& routes, const MulticastGroup& group,
                     const Body& body) {
  CopyFollower follower(fabric, routes, group.mlid);
  std::vector<EndportId> all = group.members;
  all.insert(all.end(), group.senders.begin(), group.senders.end());
  std::ranges::stable_sort(all, {}, [&](EndportId id) { return fabric.endport(id).sw; });
  std::span<const EndportId> rest(all);
  while (!rest.empty()) {
    const Endport& first = fabric.endport(rest.front());
    std::size_t count = 1;
    if (first.sw == kNoSwitch) {
      body(rest.first(count), Outcome{});
    } else if (!routes.sl2vl.uniform()) {
      body(rest.first(count), follower.send(first.sw, first.sw_port));
    } else {
      while (count < rest.size() && fabric.endport(rest[count]).sw == first.sw) ++count;
      body(rest.first(count), follower.send(first.sw, kNoRoute));
    }
    rest = rest.subspan(count);
  }
}

class Tally {
 public:
  Tally(const Fabric& fabric, const MulticastGroup& group, std::span<const std::uint32_t> planes,
        std::size_t failures_max, MulticastVerdict& verdict)
      : fabric_(fabric),
        group_(group),
        planes_(planes),
        failures_max_(failures_max),
        verdict_(verdict),
        copies_(fabric.endport_count(), 0) {
    for (const EndportId member : group.members) ++members_in_[plane_of(member)];
  }

  void count(std::span<const EndportId> senders, const Outcome& outcome) {
    for (const EndportId target : outcome.reached) ++copies_[target.value()];
    std::vector<EndportId> missing;
    for (const EndportId member : group_.members)
      if (copies_[member.value()] == 0) missing.push_back(member);
    std::vector<EndportId> doubled, non_members;
    for (const EndportId target : outcome.reached) {
      const std::uint32_t copies = std::exchange(copies_[target.value()], 0);
      if (copies > 1) doubled.push_back(target);
      if (copies > 0 && !is_member(target)) non_members.push_back(target);
    }
    for (const EndportId sender : senders) {
      count_arrived(sender, missing);
      for (const EndportId target : doubled) {
        ++verdict_.twice;
        report({group_.mlid, sender, CopyFault::kTwice, target});
      }
      for (const EndportId target : non_members) {
        if (target == sender) continue;
        ++verdict_.non_member_copies;
        report({group_.mlid, sender, CopyFault::kNonMember, target});
      }
      count_places(sender, outcome);
    }
  }

 private:
  void count_arrived(EndportId sender, std::span<const EndportId> missing) {
    const std::uint32_t plane = plane_of(sender);
    const std::uint64_t expected = members_in_[plane] +
                                   (plane == kNoPlane ? 0 : members_in_[kNoPlane]) -
                                   (is_member(sender) ? 1 : 0);
    std::uint64_t lost = 0;
    for (const EndportId member : missing) {
      const std::uint32_t other = plane_of(member);
      if (member == sender || (other != plane && other != kNoPlane)) continue;
      ++lost;
      report({group_.mlid, sender, CopyFault::kMissing, member});
    }
    verdict_.copies += expected;
    verdict_.arrived += expected - lost;
  }

  void count_places(EndportId sender, const Outcome& outcome) {
    for (const Outcome::Place& place : outcome.faults) {
      ++(place.fault == CopyFault::kTwice  ? verdict_.twice
         : place.fault == CopyFault::kLoop ? verdict_.loops
                                           : verdict_.dead_ports);
      report({group_.mlid, sender, place.fault, kNoEndport, place.where, place.port});
    }
  }

  bool is_member(EndportId id) const { return std::ranges::binary_search(group_.members, id); }
  static constexpr std::uint32_t kNoPlane = kNoSwitch.value();
  /// The plane of an endport; a constant if the fabric has no planes.
  std::uint32_t plane_of(EndportId id) const {
    const SwitchId sw = fabric_.endport(id).sw;
    return planes_.empty() ? 0 : sw == kNoSwitch ? kNoPlane : planes_[sw.value()];
  }
  void report(const CopyFailure& failure) {
    if (verdict_.failures.size() < failures_max_) verdict_.failures.push_back(failure);
  }

  const Fabric& fabric_;
  const MulticastGroup& group_;
  const std::span<const std::uint32_t> planes_;
  std::map<std::uint32_t, std::uint64_t> members_in_;  // by plane
  const std::size_t failures_max_;
  MulticastVerdict& verdict_;
  std::vector<std::uint32_t> copies_;  // by endport; all 0 between packets
};

/// The first sender that is not port 0 of a switch; kNoEndport if there is none.
EndportId from_host(const Fabric& fabric, std::span<const EndportId> senders) {
  for (const EndportId id : senders)
    if (!fabric.is_switch(fabric.endport(id).node)) return id;
  return kNoEndport;
}

/// The group of endports to which the tables of their own switch send copies.
MulticastGroup implied_group(const Fabric& fabric, Lid mlid,
                             const std::map<SwitchId, PortMask>& masks) {
  MulticastGroup group{mlid, {}, {}};
  for (const auto& [sw, mask] : masks) {
    if (mask[0]) group.members.push_back(Fabric::endport_of(sw));
    for (const EndportId host : fabric.endports_at(sw))
      if (mask[fabric.endport(host).sw_port.value()]) group.members.push_back(host);
  }
  std::ranges::sort(group.members);
  return group;
}

}  // namespace

std::vector<MulticastGroup> groups_to_verify(const Fabric& fabric, const Routes& routes,
                                             std::span<const MulticastGroup> given) {
  std::vector<MulticastGroup> groups(given.begin(), given.end());
  std::set<Lid> named;
  for (const MulticastGroup& group : given) named.insert(group.mlid);
  for (const auto& [mlid, masks] : routes.mfts)
    if (!named.contains(mlid)) groups.push_back(implied_group(fabric, mlid, masks));
  std::ranges::stable_sort(groups, {}, &MulticastGroup::mlid);
  return groups;
}

MulticastVerdict verify_multicast(const Fabric& fabric, const Routes& routes,
                                  std::span<const MulticastGroup> groups, std::size_t failures_max,
                                  DependencyGraph& cas, DependencyGraph& switches, LidTally* tally,
                                  std::span<const std::uint32_t> planes) {
  MulticastVerdict verdict;
  verdict.groups = groups.size();
  for (const MulticastGroup& group : groups) {
    Tally copies(fabric, group, planes, failures_max, verdict);
    const auto sl = static_cast<PathSls::Mask>(1u << group_sl(routes, group.mlid).value());
    for_each_packet(fabric, routes, group, [&](const auto& senders, const Outcome& outcome) {
      copies.count(senders, outcome);
      DependencyGraph& graph = from_host(fabric, senders) != kNoEndport ? cas : switches;
      for (const auto& [held, wanted] : outcome.waits) graph.add(held, wanted);
      if (tally == nullptr) return;
      for (const Outcome::Use& use : outcome.lanes)
        note_lane(fabric, use.sw, use.out, use.vl, *tally);
      for (const EndportId sender : senders)
        if (routes.sl2vl.uniform() && fabric.endport(sender).sw_port != PortNum(0))
          note_injected(fabric, routes, fabric.endport(sender), sl, *tally);
    });
  }
  return verdict;
}

std::optional<CycleHop> multicast_example(const Fabric& fabric, const Routes& routes,
                                          std::span<const MulticastGroup> groups,
                                          bool with_switches, Vertex from, Vertex to) {
  std::optional<CycleHop> found;
  for (const MulticastGroup& group : groups) {
    for_each_packet(fabric, routes, group, [&](const auto& senders, const Outcome& outcome) {
      EndportId sender = from_host(fabric, senders);
      if (sender == kNoEndport && with_switches) sender = senders.front();
      if (found || sender == kNoEndport) return;
      if (std::ranges::find(outcome.waits, std::pair(from, to)) != outcome.waits.end())
        found =
            CycleHop{from.channel, Vl(from.vl), sender, group.mlid, group_sl(routes, group.mlid)};
    });
    if (found) return found;
  }
  return found;
}

std::string describe(const Fabric& fabric, const CopyFailure& failure) {
  const auto name = [&](EndportId id) { return describe(fabric, fabric.endport(id).port); };
  const std::string place =
      failure.where == kNoSwitch
          ? name(failure.target)
          : fmt::format("{} port {}", describe(fabric.node(failure.where)), failure.port.value());
  const auto what = [&]() -> std::string_view {
    switch (failure.fault) {
      case CopyFault::kMissing:
        return "no copy delivered to";
      case CopyFault::kTwice:
        return "duplicate copies at";
      case CopyFault::kLoop:
        return "copies loop at";
      case CopyFault::kNonMember:
        return "copy delivered to non-member";
      case CopyFault::kDeadPort:
        return "copy sent to a port without link at";
    }
    return "?";
  };
  return fmt::format("{} to 0x{:04X}: {} {}", name(failure.source), failure.mlid.value(), what(),
                     place);
}

}  // namespace weft
