#include "routing/dfp/lanes.h"

#include <algorithm>
#include <optional>

#include "routes/next_hops.h"
#include "routing/shared/acyclic_turns.h"
#include "routing/shared/destinations.h"
#include "routing/shared/lanes.h"
#include "routing/shared/turns.h"

namespace weft::dfp {
namespace {

constexpr std::uint64_t kSearches = 256;  // of each lane, in visits of each channel

/// Calls body(lid, channels, switches) for each LID that hosts are sent packets to, or switches by
/// hosts, with the next hops of all switches.
template <class Body>
void each_lid(const Fabric& fabric, const Lfts& lfts, const Body& body) {
  const PortMap map(fabric);
  NextHops hops(map);
  std::optional<std::size_t> loaded;
  for (std::uint32_t value = 1; value <= fabric.lid_top().value(); ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    const EndportId owner = fabric.endport_of(lid);
    if (owner == kNoEndport || !fabric.endport(owner).addressed()) continue;
    if (const std::size_t block = value / kLftBlock; loaded != block) {
      hops.load(lfts, block);
      loaded = block;
    }
    body(lid, hops.channels(lid), hops.switches(lid));
  }
}

/// VL 1 from a cable between groups on, as far as the two ports of a switch can tell: from one
/// cable within a group to another a packet stays within the group that it is sent to (SL 0), but
/// packets of switches without hosts, the spines of a dragonfly+, go so before they leave theirs
/// (SL 1).
class Escalation {
 public:
  Escalation(const Fabric& fabric, const std::vector<bool>& global)
      : fabric_(fabric), global_(global), turns_(fabric), seen_(turns_.count(), 0) {}

  /// Whether packets between hosts, and between hosts and switches, make no circle so.
  bool serves(const Lfts& lfts) {
    std::vector<std::uint16_t> passed(std::size_t{4} * fabric_.switch_count(), 0);
    each_lid(fabric_, lfts, [&](Lid lid, auto channels, auto switches) {
      const bool to_host = !fabric_.is_switch(fabric_.endport(fabric_.endport_of(lid)).node);
      for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
        const unsigned sl = sl_from(SwitchId(s));
        if (sl == 1 && !to_host) continue;  // switches send each other nothing
        unsigned vl = 0;
        for (std::uint32_t at = s; channels[at] != kNoChannel;) {
          std::uint16_t& mark = passed[4 * at + 2 * sl + vl];
          if (mark == lid.value()) break;
          mark = lid.value();
          const std::uint32_t in = channels[at].value();
          at = switches[at].value();
          if (channels[at] == kNoChannel) break;
          const std::uint32_t out = channels[at].value();
          vl = see(in, vl, out, lane(in, out, sl));
        }
      }
    });
    return acyclic();
  }

  Sl2Vl maps() const {
    Sl2Vl result(modulo_map(1));
    for (std::uint32_t in = 0; in < turns_.channel_count(); ++in) {
      const Channel& from = fabric_.channel(ChannelId(in));
      for (std::uint32_t i = 0; i < turns_.outs(in); ++i) {
        const std::uint32_t out = turns_.first_out(in) + i;
        SlMap map{};
        for (unsigned sl = 0; sl < kSlCount; ++sl)
          map[sl] = static_cast<std::uint8_t>(lane(in, out, sl % 2));
        if (map != result.common())
          result.set(from.to, from.to_port, fabric_.channel(ChannelId(out)).from_port, map);
      }
    }
    return result;
  }

  PathSl path_sl() const {
    const std::uint32_t count = fabric_.switch_count();
    std::vector<std::uint8_t> table;
    for (std::uint32_t s = 0; s < count; ++s)
      table.insert(table.end(), count, static_cast<std::uint8_t>(sl_from(SwitchId(s))));
    if (std::ranges::find(table, std::uint8_t{1}) == table.end()) return {};
    return PathSl::by_switch_pair(count, std::move(table));
  }

 private:
  unsigned sl_from(SwitchId sw) const { return fabric_.endports_at(sw).empty() ? 1 : 0; }

  unsigned lane(std::uint32_t in, std::uint32_t out, unsigned sl) const {
    if (global_[out]) return 0;
    return global_[in] || sl == 0 ? 1 : 0;
  }

  /// Bits of a turn: from VL 0 to 0, from 0 to 1, from 1 to 0, from 1 to 1.
  unsigned see(std::uint32_t in, unsigned from, std::uint32_t out, unsigned to) {
    seen_[turns_.turn(in, out)] |= static_cast<std::uint8_t>(1u << (2 * from + to));
    return to;
  }

  /// Kahn's order of pairs of a channel and a VL.
  bool acyclic() const {
    std::vector<std::uint32_t> waited(std::size_t{2} * turns_.channel_count(), 0);
    const auto each = [&](std::uint32_t vertex, auto&& body) {
      const std::uint32_t in = vertex / 2;
      for (std::uint32_t i = 0; i < turns_.outs(in); ++i) {
        const std::uint32_t out = turns_.first_out(in) + i;
        const unsigned bits = seen_[turns_.turn(in, out)] >> (2 * (vertex % 2));
        if ((bits & 1) != 0) body(2 * out);
        if ((bits & 2) != 0) body(2 * out + 1);
      }
    };
    for (std::uint32_t v = 0; v < waited.size(); ++v)
      each(v, [&](std::uint32_t next) { ++waited[next]; });
    std::vector<std::uint32_t> free;
    for (std::uint32_t v = 0; v < waited.size(); ++v)
      if (waited[v] == 0) free.push_back(v);
    for (std::size_t head = 0; head < free.size(); ++head)
      each(free[head], [&](std::uint32_t next) {
        if (--waited[next] == 0) free.push_back(next);
      });
    return free.size() == waited.size();
  }

  const Fabric& fabric_;
  const std::vector<bool>& global_;
  const Turns turns_;
  std::vector<std::uint8_t> seen_;  // by turn
};

/// Each path on the first lane where it closes no circle. By source switch and LID; nothing where
/// that takes more than `lanes_max`.
std::optional<std::vector<std::uint8_t>> lane_by_path(const Fabric& fabric, const Lfts& lfts,
                                                      unsigned lanes_max, unsigned& used) {
  const Turns turns(fabric);
  const std::size_t stride = std::size_t{fabric.lid_top().value()} + 1;
  std::vector<std::uint8_t> lanes(fabric.switch_count() * stride, 0);
  std::vector<AcyclicTurns> held;
  std::vector<std::uint32_t> path;
  bool fits = true;
  each_lid(fabric, lfts, [&](Lid lid, auto channels, auto switches) {
    for (std::uint32_t s = 0; fits && s < fabric.switch_count(); ++s) {
      if (fabric.endports_at(SwitchId(s)).empty()) continue;
      path.clear();
      for (std::uint32_t at = s; channels[at] != kNoChannel && path.size() <= fabric.switch_count();
           at = switches[at].value())
        path.push_back(channels[at].value());
      if (path.size() < 2) continue;
      std::size_t lane = 0;
      while (lane < held.size() && !held[lane].add_path(path)) ++lane;
      if (lane == held.size()) {
        fits = lane < lanes_max;
        if (!fits) return;
        held.emplace_back(turns, kSearches * fabric.channel_count());
        fits = held.back().add_path(path);
      }
      lanes[s * stride + lid.value()] = static_cast<std::uint8_t>(lane);
    }
  });
  used = static_cast<unsigned>(std::max<std::size_t>(held.size(), 1));
  if (!fits) return std::nullopt;
  return lanes;
}

}  // namespace

Status lay_lanes(const Fabric& fabric, const std::vector<bool>& global, unsigned available,
                 unsigned threads, Routes& routes) {
  routes.vls = routes.vls_needed = 1;
  if (one_lane_does(fabric, Turns(fabric), routes.lfts, threads)) return {};
  if (available < 2) return fail(Code::kOutOfVls, "dfp needs 2 virtual lanes here, there is 1");
  if (Escalation escalation(fabric, global); escalation.serves(routes.lfts)) {
    routes.vls = routes.vls_needed = 2;
    routes.sl2vl = escalation.maps();
    routes.path_sl = escalation.path_sl();
    return {};
  }
  auto lanes = lane_by_path(fabric, routes.lfts, available, routes.vls_needed);
  if (!lanes)
    return fail(Code::kOutOfVls, "dfp needs more than {} virtual lanes, there are no more",
                available);
  routes.vls = spread_over_lanes(fabric, *lanes, routes.vls_needed, available, threads);
  routes.sl2vl = Sl2Vl(modulo_map(routes.vls));
  routes.path_sl =
      PathSl::by_switch_and_lid(fabric.switch_count(), fabric.lid_top(), std::move(*lanes));
  return {};
}

}  // namespace weft::dfp
