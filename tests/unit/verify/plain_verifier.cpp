// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "unit/verify/plain_verifier.h"

#include <algorithm>
#include <functional>
#include <set>

#include "unit/verify/tables.h"

namespace weft {
namespace {

constexpr std::uint8_t kVlDrop = 15;

/// Which of the vertices (channel * 16 + VL) waits for which.
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
  std::vector<std::uint32_t> vertices;  // until it ends, is dropped or loops
};

class Plain {
 public:
  Plain(const Fabric& fabric, const Routes& routes, bool ignore_replies)
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

  Path walk(SwitchId at, PortNum in, Lid lid, EndportId owner, Sl sl) const {
    Path path;
    for (std::uint32_t hops = 0;; ++hops) {
      // The second round of a loop may use other VLs than the first; the third repeats the second.
      if (hops > 2 * fabric_.switch_count()) return path.end = WalkEnd::kLoop, path;
      const PortNum out = routes_.lfts.port(at, lid);
      if (out == kNoRoute) return path.end = WalkEnd::kUnrouted, path;
      const PortId port = fabric_.port_id(Fabric::node_of(at), out);
      if (port == kNoPort) return path.end = WalkEnd::kDeadPort, path;
      if (out == PortNum(0)) {
        path.end = Fabric::endport_of(at) == owner ? WalkEnd::kArrived : WalkEnd::kWrongEndport;
        return path;
      }
      const PortId peer = fabric_.port(port).peer;
      const std::uint8_t vl = routes_.sl2vl.vl(at, in, out, sl).value();
      if (vl == kVlDrop) path.dropped = true;
      if (peer == kNoPort) return path.end = WalkEnd::kDeadPort, path;
      const NodeId next = fabric_.port(peer).node;
      if (!fabric_.is_switch(next)) {
        path.end = fabric_.endport(owner).port == peer ? WalkEnd::kArrived : WalkEnd::kWrongEndport;
        return path;
      }
      if (!path.dropped) path.vertices.push_back(fabric_.channel_at(at, out).value() * 16 + vl);
      at = SwitchId(next.value());
      in = fabric_.port(peer).num;
    }
  }

  /// What becomes of packets that start at each switch, whatever their SL.
  void count_switches(Lid lid, EndportId owner) {
    const Endport& to = fabric_.endport(owner);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      const WalkEnd end = walk(SwitchId(s), PortNum(0), lid, owner, Sl(0)).end;
      if (end == WalkEnd::kLoop) ++verdict_.loops;
      if (end == WalkEnd::kArrived || to.sw == kNoSwitch) continue;
      const auto hosts = fabric_.endports_at(SwitchId(s));
      const bool joined = part_[s] == part_[to.sw.value()];
      // A pair that nothing needs, or that no cables connect.
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

  /// With one map for all ports the verifier takes the CAs of a switch together, the destination
  /// included. That is more than sls() only if a wrong entry at its switch leads away from it.
  std::set<Sl> sls_of_switch(EndportId from, Lid lid, const Endport& to) const {
    const Endport& source = fabric_.endport(from);
    std::set<Sl> all = sls(source, lid, to);
    if (!is_switch(from) && routes_.sl2vl.uniform())
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
    for (const Sl sl : sls(source, lid, to)) {
      const Path path = walk(source.sw, source.sw_port, lid, owner, sl);
      if (path.end != WalkEnd::kArrived || path.dropped) arrives = false;
    }
    if (arrives) ++count.arrived;
    if (is_switch(from) && is_switch(owner)) return;  // no traffic
    for (const Sl sl : sls_of_switch(from, lid, to)) {
      const Path path = walk(source.sw, source.sw_port, lid, owner, sl);
      all_.add(path.vertices);
      if (!is_switch(from) && !is_switch(owner)) cas_.add(path.vertices);
    }
  }

  /// The first SL that all maps treat like this one.
  std::uint8_t first_like(std::uint8_t sl) const {
    for (std::uint8_t other = 0;; ++other)
      if (std::ranges::all_of(routes_.sl2vl.maps(),
                              [&](const SlMap& map) { return map[other] == map[sl]; }))
        return other;
  }

  /// Whether nothing is dropped and nothing deadlocks if all traffic uses an SL.
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
        waits.add(walk(source.sw, source.sw_port, lid, owner, sl).vertices);
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
  return Plain(fabric, routes, ignore_replies).verify();
}

}  // namespace weft
