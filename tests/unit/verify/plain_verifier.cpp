// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "unit/verify/plain_verifier.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "unit/verify/tables.h"

namespace weft {
namespace {

constexpr std::uint8_t kVlDrop = 15;
constexpr std::uint32_t kStart = ~0u;  // no vertex

/// Edges between vertices (channel * 16 + VL): a packet holds the first and waits for the second.
class Waits {
 public:
  explicit Waits(const Fabric& fabric) : next_(fabric.channel_count() * std::size_t{16}) {}

  void add(const std::vector<std::uint32_t>& path) {
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      auto& next = next_[path[i]];
      if (std::ranges::find(next, path[i + 1]) == next.end()) next.push_back(path[i + 1]);
    }
  }
  std::uint64_t size() const {
    std::uint64_t size = 0;
    for (const auto& next : next_) size += next.size();
    return size;
  }
  bool has_cycle() const {
    std::vector<int> state(next_.size(), 0);  // 1: on the path, 2: done
    const std::function<bool(std::uint32_t)> visit = [&](std::uint32_t v) {
      state[v] = 1;
      for (const std::uint32_t next : next_[v])
        if (state[next] == 1 || (state[next] == 0 && visit(next))) return true;
      state[v] = 2;
      return false;
    };
    for (std::uint32_t v = 0; v < next_.size(); ++v)
      if (state[v] == 0 && visit(v)) return true;
    return false;
  }

 private:
  std::vector<std::vector<std::uint32_t>> next_;
};

struct Path {
  WalkEnd end{};
  bool dropped = false;
  std::vector<std::uint32_t> vertices;  // until the path ends or loops, or the packet is dropped
};

class PlainWalks {
 public:
  PlainWalks(const Fabric& fabric, const Routes& routes, bool ignore_replies)
      : fabric_(fabric),
        routes_(routes),
        ignore_replies_(ignore_replies),
        cas_(fabric),
        all_(fabric) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) part_.push_back(s);
    for (std::uint32_t round = 0; round < fabric.switch_count(); ++round)
      for (const Channel& channel : fabric.channels())
        part_[channel.to.value()] =
            std::min(part_[channel.to.value()], part_[channel.from.value()]);
  }

  PlainVerdict verify() {
    for (std::uint32_t value = 1; value <= fabric_.lid_top().value(); ++value) {
      const Lid lid(static_cast<std::uint16_t>(value));
      const EndportId owner = fabric_.endport_of(lid);
      if (owner == kNoEndport) continue;
      count_dropped(lid, owner);
      count_switches(lid, owner);
      for (std::uint32_t i = 0; i < fabric_.endport_count(); ++i)
        if (EndportId(i) != owner) follow(EndportId(i), lid, owner);
    }
    verdict_.dependencies = cas_.size();
    verdict_.has_credit_loop = cas_.has_cycle();
    verdict_.has_any_credit_loop = all_.has_cycle();
    for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
      const std::uint8_t same = first_like(sl);
      const bool may = same < sl ? (verdict_.single_sls >> same & 1) != 0 : may_all_use(Sl(sl));
      if (may) verdict_.single_sls |= static_cast<std::uint16_t>(1u << sl);
    }
    return verdict_;
  }

 private:
  bool is_switch(EndportId id) const { return fabric_.is_switch(fabric_.endport(id).node); }

  /// A hop from a switch over a port: to another switch, or to the end of the path.
  struct Hop {
    WalkEnd end = WalkEnd::kArrived;
    bool has_link = false;  // the hop uses a link, and so a VL
    ChannelId channel = kNoChannel;
  };

  Hop take(SwitchId at, PortNum out, EndportId owner) const {
    const auto to_endport = [&](bool is_owner) {
      return is_owner ? WalkEnd::kArrived : WalkEnd::kWrongEndport;
    };
    if (out == kNoRoute) return {WalkEnd::kUnrouted};
    const PortId port = fabric_.port_id(Fabric::node_of(at), out);
    if (port == kNoPort) return {WalkEnd::kDeadPort};
    if (out == PortNum(0)) return {to_endport(Fabric::endport_of(at) == owner)};
    const PortId peer = fabric_.port(port).peer;
    if (peer == kNoPort) return {WalkEnd::kDeadPort, true};
    if (!fabric_.is_switch(fabric_.port(peer).node))
      return {to_endport(fabric_.endport(owner).port == peer), true};
    return {{}, true, fabric_.channel_at(at, out)};
  }

  Path walk(SwitchId at, PortNum in, Lid lid, EndportId owner, Sl sl) const {
    Path path;
    for (std::uint32_t hops = 0;; ++hops) {
      // In the second round of a loop packets may be on other VLs than in the first. A third round
      // would repeat the second.
      if (hops > 2 * fabric_.switch_count()) return path.end = WalkEnd::kLoop, path;
      const PortNum out = routes_.lfts.port(at, lid);
      const Hop taken = take(at, out, owner);
      const std::uint8_t vl = taken.has_link ? routes_.sl2vl.vl(at, in, out, sl).value() : 0;
      if (vl == kVlDrop) path.dropped = true;
      path.end = taken.end;
      if (taken.channel == kNoChannel) return path;
      const Channel& channel = fabric_.channel(taken.channel);
      if (!path.dropped) path.vertices.push_back(taken.channel.value() * 16 + vl);
      at = channel.to;
      in = channel.to_port;
    }
  }

  /// The output ports for a LID of packets with an SL that enter by a port, ascending.
  std::set<PortNum> choices(SwitchId at, PortNum in, Sl sl, Lid lid) const {
    std::set<PortNum> ports{routes_.lfts.port(at, lid)};
    const unsigned table =
        has_private_tables() ? routes_.adaptive->selection().table(at, in, sl) : 0;
    if (const PortMask* group = routes_.adaptive->table(table).group_of(at, lid))
      for (std::size_t port = 0; port < group->size(); ++port)
        if ((*group)[port]) ports.insert(PortNum(static_cast<std::uint8_t>(port)));
    return ports;
  }

  bool has_private_tables() const {
    return routes_.adaptive && routes_.adaptive->has_private_tables();
  }

  /// A switch, and the table that it uses for a packet.
  using Visited = std::vector<std::pair<SwitchId, unsigned>>;

  /// The end of packets that enter a switch, for the worst selection of ports: a loop if there is
  /// one, else the first end, by port number, that is not an arrival.
  WalkEnd worst_end(SwitchId at, PortNum in, Sl sl, Lid lid, EndportId owner, Visited& path) const {
    const auto place = [&](SwitchId sw, PortNum by) {
      return std::pair(sw,
                       has_private_tables() ? routes_.adaptive->selection().table(sw, by, sl) : 0u);
    };
    WalkEnd worst = WalkEnd::kArrived;
    path.push_back(place(at, in));
    for (const PortNum out : choices(at, in, sl, lid)) {
      const Hop taken = take(at, out, owner);
      WalkEnd end = taken.end;
      if (taken.channel != kNoChannel) {
        const Channel& to = fabric_.channel(taken.channel);
        const bool was_there = std::ranges::find(path, place(to.to, to.to_port)) != path.end();
        end = was_there ? WalkEnd::kLoop : worst_end(to.to, to.to_port, sl, lid, owner, path);
      }
      if (end == WalkEnd::kLoop || worst == WalkEnd::kArrived) worst = end;
      if (worst == WalkEnd::kLoop) break;
    }
    path.pop_back();
    return worst;
  }

  /// The worst end of the packets of the endports of a switch: a loop if there is one.
  WalkEnd worst_end_of_endports(SwitchId at, Lid lid, EndportId owner) const {
    std::vector<EndportId> sources{Fabric::endport_of(at)};
    for (const EndportId host : fabric_.endports_at(at)) sources.push_back(host);
    const Endport& to = fabric_.endport(owner);
    std::set<WalkEnd> ends;
    for (const EndportId id : sources) {
      const Endport& source = fabric_.endport(id);
      for (const Sl sl : to.sw == kNoSwitch ? std::set<Sl>{Sl(0)} : sls(source, lid, to)) {
        Visited path;
        ends.insert(worst_end(at, source.sw_port, sl, lid, owner, path));
      }
    }
    if (ends.contains(WalkEnd::kLoop)) return WalkEnd::kLoop;
    ends.erase(WalkEnd::kArrived);
    return ends.empty() ? WalkEnd::kArrived : *ends.begin();
  }

  /// Calls hop(held, wanted) with vertices for all hops of packets; `held` is kStart at the source.
  /// Returns whether any packet is dropped.
  bool walk_all(SwitchId at, PortNum in, std::uint32_t held, Lid lid, EndportId owner, Sl sl,
                std::set<std::uint32_t>& seen,
                const std::function<void(std::uint32_t, std::uint32_t)>& hop) const {
    bool dropped = false;
    for (const PortNum out : choices(at, in, sl, lid)) {
      const Hop taken = take(at, out, owner);
      const std::uint8_t vl = taken.has_link ? routes_.sl2vl.vl(at, in, out, sl).value() : 0;
      if (vl == kVlDrop) dropped = true;
      if (vl == kVlDrop || taken.channel == kNoChannel) continue;
      const std::uint32_t wanted = taken.channel.value() * 16 + vl;
      hop(held, wanted);
      const Channel& channel = fabric_.channel(taken.channel);
      if (seen.insert(wanted).second)
        dropped |= walk_all(channel.to, channel.to_port, wanted, lid, owner, sl, seen, hop);
    }
    return dropped;
  }

  WalkEnd end_of(SwitchId at, Lid lid, EndportId owner) const {
    if (has_private_tables()) return worst_end_of_endports(at, lid, owner);
    Visited path;
    return routes_.adaptive ? worst_end(at, PortNum(0), Sl(0), lid, owner, path)
                            : walk(at, PortNum(0), lid, owner, Sl(0)).end;
  }

  /// Whether packets on an SL arrive for all selections of ports.
  bool all_arrive(const Endport& source, Lid lid, EndportId owner, Sl sl) const {
    if (routes_.adaptive) {
      std::set<std::uint32_t> seen;
      return end_of(source.sw, lid, owner) == WalkEnd::kArrived &&
             !walk_all(source.sw, source.sw_port, kStart, lid, owner, sl, seen, [](auto...) {});
    }
    const Path path = walk(source.sw, source.sw_port, lid, owner, sl);
    return path.end == WalkEnd::kArrived && !path.dropped;
  }

  void add_waits(const Endport& source, Lid lid, EndportId owner, Sl sl, Waits& waits) const {
    if (routes_.adaptive) {
      std::set<std::uint32_t> seen;
      walk_all(source.sw, source.sw_port, kStart, lid, owner, sl, seen,
               [&](std::uint32_t held, std::uint32_t wanted) {
                 if (held != kStart) waits.add({held, wanted});
               });
    } else {
      waits.add(walk(source.sw, source.sw_port, lid, owner, sl).vertices);
    }
  }

  /// Counts each switch with a source from which packets are dropped on a path to the owner.
  void count_dropped(Lid lid, EndportId owner) {
    const Endport& to = fabric_.endport(owner);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      if (to.sw == kNoSwitch || end_of(SwitchId(s), lid, owner) != WalkEnd::kArrived) continue;
      std::vector<EndportId> sources;
      for (const EndportId host : fabric_.endports_at(SwitchId(s)))
        if (host != owner) sources.push_back(host);
      if (!is_switch(owner)) sources.push_back(EndportId(s));
      const auto dropped = std::ranges::find_if(sources, [&](EndportId id) {
        const Endport& source = fabric_.endport(id);
        return !std::ranges::all_of(sls(source, lid, to),
                                    [&](Sl sl) { return all_arrive(source, lid, owner, sl); });
      });
      if (dropped == sources.end()) continue;
      ++verdict_.broken_walks;
      verdict_.failures.emplace_back(*dropped, lid, WalkEnd::kDropped);
    }
  }

  /// Counts loops, and failures of packets that start at each switch; the SL has no effect on them.
  void count_switches(Lid lid, EndportId owner) {
    const Endport& to = fabric_.endport(owner);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      const WalkEnd end = end_of(SwitchId(s), lid, owner);
      if (end == WalkEnd::kLoop) ++verdict_.loops;
      if (end == WalkEnd::kArrived || to.sw == kNoSwitch) continue;
      const auto hosts = fabric_.endports_at(SwitchId(s));
      const bool joined = part_[s] == part_[to.sw.value()];
      // The verifier does not count a pair without traffic, or a pair that no cables connect.
      if (is_switch(owner) ? hosts.empty() || !joined : hosts.empty() && !joined) continue;
      ++verdict_.broken_walks;
      const auto other = std::ranges::find_if(hosts, [&](EndportId id) { return id != owner; });
      verdict_.failures.emplace_back(other == hosts.end() ? EndportId(s) : *other, lid, end);
    }
  }

  /// The SLs of packets between two endports: of requests, and of replies to requests for each LID
  /// of the source.
  std::set<Sl> sls(const Endport& source, Lid lid, const Endport& to) const {
    std::set<Sl> all{routes_.path_sl.sl(source.sw, to.sw, lid)};
    if (!ignore_replies_)
      for (const Lid own : lids_of(source)) all.insert(routes_.path_sl.sl(to.sw, source.sw, own));
    return all;
  }

  /// With one SL2VL map for all ports, the verifier handles all CAs of a switch together, including
  /// the destination. The result has more SLs than sls() only if a wrong entry at the switch of the
  /// destination sends packets to another switch.
  std::set<Sl> sls_of_switch(EndportId from, Lid lid, const Endport& to) const {
    const Endport& source = fabric_.endport(from);
    std::set<Sl> all = sls(source, lid, to);
    if (!is_switch(from) && routes_.sl2vl.uniform() && !has_private_tables())
      for (const EndportId host : fabric_.endports_at(source.sw))
        all.merge(sls(fabric_.endport(host), lid, to));
    return all;
  }

  void follow(EndportId from, Lid lid, EndportId owner) {
    const Endport& source = fabric_.endport(from);
    const Endport& to = fabric_.endport(owner);
    ReachCount& count = is_switch(from)
                            ? (is_switch(owner) ? verdict_.switch_to_switch : verdict_.switch_to_ca)
                            : (is_switch(owner) ? verdict_.ca_to_switch : verdict_.ca_to_ca);
    ++count.pairs;
    if (part_[source.sw.value()] != part_[to.sw.value()]) ++count.cut_off;
    bool arrives = true;
    for (const Sl sl : sls(source, lid, to))
      if (!all_arrive(source, lid, owner, sl)) arrives = false;
    if (arrives) ++count.arrived;
    if (is_switch(from) && is_switch(owner)) return;  // switches do not send to each other
    for (const Sl sl : sls_of_switch(from, lid, to)) {
      add_waits(source, lid, owner, sl, all_);
      if (!is_switch(from) && !is_switch(owner)) add_waits(source, lid, owner, sl, cas_);
    }
  }

  /// The lowest SL with the same VLs as this one in all maps, and the same tables.
  std::uint8_t first_like(std::uint8_t sl) const {
    if (has_private_tables()) return sl;
    for (std::uint8_t other = 0;; ++other)
      if (std::ranges::all_of(routes_.sl2vl.maps(),
                              [&](const SlMap& map) { return map[other] == map[sl]; }))
        return other;
  }

  /// Whether no packet is dropped and there is no deadlock if all traffic uses this SL.
  bool may_all_use(Sl sl) const {
    for (const SlMap& map : routes_.sl2vl.maps())
      if (map[sl.value()] == kVlDrop) return false;
    Waits waits(fabric_);
    for (std::uint32_t value = 1; value <= fabric_.lid_top().value(); ++value) {
      const Lid lid(static_cast<std::uint16_t>(value));
      const EndportId owner = fabric_.endport_of(lid);
      if (owner == kNoEndport) continue;
      for (std::uint32_t i = 0; i < fabric_.endport_count(); ++i) {
        if (EndportId(i) == owner || (is_switch(EndportId(i)) && is_switch(owner))) continue;
        const Endport& source = fabric_.endport(EndportId(i));
        add_waits(source, lid, owner, sl, waits);
      }
    }
    return !waits.has_cycle();
  }

  const Fabric& fabric_;
  const Routes& routes_;
  const bool ignore_replies_;
  std::vector<std::uint32_t> part_;  // by switch: its connected part
  PlainVerdict verdict_;
  Waits cas_, all_;
};

}  // namespace

PlainVerdict plain_verify(const Fabric& fabric, const Routes& routes, bool ignore_replies) {
  return PlainWalks(fabric, routes, ignore_replies).verify();
}

}  // namespace weft
