// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/dfp/escalation.h"

#include <algorithm>
#include <utility>

#include "fabric/aggregation.h"
#include "routing/dfp/each_lid.h"
#include "routing/shapes/arrival_leaves.h"

namespace weft::dfp {

Escalation::Escalation(const Fabric& fabric, const Turns& turns, const SwitchGroups& groups,
                       unsigned lanes)
    : fabric_(fabric), turns_(turns), groups_(groups), lanes_(lanes), seen_(turns.count(), 0) {
  kind_.reserve(fabric.channel_count());
  const std::vector<bool> leaves = leaf_switches(fabric);
  for (const Channel& channel : fabric.channels()) {
    const std::uint32_t from = groups.of[channel.from.value()];
    const std::uint32_t to = groups.of[channel.to.value()];
    kind_.push_back(from == to ? Kind::kLocal : from < to ? Kind::kUp : Kind::kDown);
    to_leaf_.push_back(leaves[channel.to.value()] ? 1 : 0);
  }
}

Escalation Escalation::with_private_tables(const Fabric& fabric, const Turns& turns,
                                           const SwitchGroups& groups) {
  Escalation result(fabric, turns, groups, kLanesWithPrivateTables);
  result.arrival_leaf_ = arrival_leaves(fabric, groups);
  return result;
}

unsigned Escalation::first_lane(std::uint32_t out) const {
  return kind_[out] == Kind::kDown && lanes_ == 3 ? 1 : 0;
}

unsigned Escalation::private_lane(std::uint32_t in, std::uint32_t out) const {
  if (kind_[out] != Kind::kLocal) return 0;
  if (to_leaf_[out] == 0) return 1;
  return kind_[in] == Kind::kDown ? 1 : 0;
}

std::uint64_t Escalation::private_position(std::uint32_t channel, unsigned lane) const {
  const Channel& ends = fabric_.channel(ChannelId(channel));
  const std::uint64_t count = groups_.size.size();
  const std::uint64_t group = groups_.of[ends.from.value()];
  const std::uint64_t downward = 3 * count + 1;  // position of the first cable to a lower group
  const std::uint64_t last = downward + count;   // position after all cables between groups
  if (kind_[channel] == Kind::kUp) return 3 * group + 3;
  if (kind_[channel] == Kind::kDown) return downward + (count - 1 - group);
  if (to_leaf_[channel] != 0) {
    if (lane == 0) return 3 * group + 1;
    return is_at_arrival_leaf(ends.to) ? last : last + 2;
  }
  if (lane == 0) return 0;
  return is_at_arrival_leaf(ends.from) ? last + 1 : 3 * group + 2;
}

unsigned Escalation::lane(std::uint32_t in, std::uint32_t out) const {
  if (has_private_tables()) return private_lane(in, out);
  if (kind_[out] != Kind::kLocal) return first_lane(out);
  return kind_[in] == Kind::kUp ? std::min(1u, lanes_ - 1) : lanes_ - 1;
}

std::uint64_t Escalation::position(std::uint32_t channel, unsigned lane) const {
  if (has_private_tables()) return private_position(channel, lane);
  const Kind kind = kind_[channel];
  if (kind == Kind::kLocal && lane == 0) return 0;
  if (lanes_ == 2) return kind == Kind::kLocal ? 2 : 1;
  const std::uint64_t count = groups_.size.size();
  const std::uint64_t group = groups_.of[fabric_.channel(ChannelId(channel)).from.value()];
  if (kind == Kind::kUp) return 2 * group + 2;
  if (kind == Kind::kLocal && lane == 1) return 2 * group + 1;
  return 2 * count + 2 * (count - group) + (kind == Kind::kDown ? 1 : 0);
}

Sl2Vl Escalation::maps() const {
  Sl2Vl result(modulo_map(1));
  const auto all = [](unsigned lane) {
    SlMap map;
    map.fill(static_cast<std::uint8_t>(lane));
    return map;
  };
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
    const SwitchId sw(s);
    const auto outs = fabric_.channels_from(sw);
    const std::uint32_t first = fabric_.first_channel(sw).value();
    for (std::uint32_t i = 0; i < outs.size(); ++i) {
      if (first_lane(first + i) != 0)
        for (unsigned in = 0; in <= fabric_.node(sw).port_count; ++in)
          result.set(sw, PortNum(static_cast<std::uint8_t>(in)), outs[i].from_port,
                     all(first_lane(first + i)));
      for (std::uint32_t j = 0; j < outs.size(); ++j) {
        const unsigned lane_here = lane(turns_.reverse(first + j), first + i);
        if (i != j && lane_here != 0)
          result.set(sw, outs[j].from_port, outs[i].from_port, all(lane_here));
      }
    }
  }
  return result;
}

std::vector<std::uint32_t> Escalation::with_lanes(std::span<const std::uint32_t> path) const {
  std::vector<std::uint32_t> vertices;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const unsigned vl = i == 0 ? first_lane(path[0]) : lane(path[i - 1], path[i]);
    vertices.push_back(path[i] * lanes_ + vl);
  }
  return vertices;
}

void Escalation::add_traffic(const Lfts& lfts, const std::vector<bool>& left_out) {
  std::vector<std::uint16_t> passed(std::size_t{lanes_} * fabric_.channel_count(), 0);
  each_lid(fabric_, lfts, [&](Lid lid, auto channels, auto switches) {
    const Endport& to = fabric_.endport(fabric_.endport_of(lid));
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      if (channels[s] == kNoChannel || !is_traffic(fabric_, SwitchId(s), to)) continue;
      if (!left_out.empty() && left_out[std::size_t{s} * fabric_.switch_count() + to.sw.value()])
        continue;
      std::uint32_t in = channels[s].value();
      unsigned vl = first_lane(in);
      std::uint32_t at = switches[s].value();
      while (passed[vertex(in, vl)] != lid.value()) {
        passed[vertex(in, vl)] = lid.value();
        if (channels[at] == kNoChannel) break;
        const std::uint32_t out = channels[at].value();
        const unsigned next = lane(in, out);
        add_dependency(in, vl, out, next);
        in = out;
        vl = next;
        at = switches[at].value();
      }
    }
  });
}

/// Calls dependency(in, its lane, out, its lane) for all selections of ports by packets of the
/// sources, until a call returns false. `passed`: by vertex, the last stamp of a call that visited
/// it.
template <class Dependency>
void Escalation::follow_choices(const Routes& routes, Lid lid, std::span<const SwitchId> sources,
                                std::vector<std::uint32_t>& passed, std::uint32_t stamp,
                                const Dependency& dependency) const {
  const ArTables* const adaptive = routes.adaptive ? &*routes.adaptive : nullptr;
  std::vector<std::uint32_t> open;
  const auto each_choice = [&](SwitchId at, PortNum in, const auto& body) {
    for_each_choice(routes.lfts, adaptive, at, in, Sl(0), lid, [&](PortNum port) {
      const ChannelId out = port == kNoRoute ? kNoChannel : fabric_.channel_at(at, port);
      if (out != kNoChannel) body(out.value());
    });
  };
  const auto enter = [&](std::uint32_t channel, unsigned vl) {
    const auto v = static_cast<std::uint32_t>(vertex(channel, vl));
    if (std::exchange(passed[v], stamp) != stamp) open.push_back(v);
  };
  const auto start = [&](SwitchId at, PortNum in) {
    each_choice(at, in, [&](std::uint32_t out) { enter(out, first_lane(out)); });
  };
  for (const SwitchId from : sources) {
    start(from, PortNum(0));
    for (const EndportId host : fabric_.endports_at(from))
      start(from, fabric_.endport(host).sw_port);
  }
  bool goes_on = true;
  while (!open.empty() && goes_on) {
    const std::uint32_t in = open.back() / lanes_;
    const unsigned vl = open.back() % lanes_;
    open.pop_back();
    const Channel& held = fabric_.channel(ChannelId(in));
    each_choice(held.to, held.to_port, [&](std::uint32_t out) {
      goes_on = goes_on && dependency(in, vl, out, lane(in, out));
      enter(out, lane(in, out));
    });
  }
}

/// The switches with packets with SL 0 to a LID.
std::vector<SwitchId> Escalation::sources_of(const Routes& routes, Lid lid) const {
  const Endport& to = fabric_.endport(fabric_.endport_of(lid));
  std::vector<SwitchId> sources;
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
    if (is_traffic(fabric_, SwitchId(s), to) && routes.path_sl.sl(SwitchId(s), to.sw, lid) == Sl(0))
      sources.push_back(SwitchId(s));
  return sources;
}

void Escalation::add_choices(const Routes& routes) {
  std::vector<std::uint32_t> passed(std::size_t{lanes_} * fabric_.channel_count(), 0);
  each_lid(fabric_, routes.lfts, [&](Lid lid, auto, auto) {
    follow_choices(routes, lid, sources_of(routes, lid), passed, lid.value(),
                   [&](std::uint32_t in, unsigned vl, std::uint32_t out, unsigned next) {
                     add_dependency(in, vl, out, next);
                     return true;
                   });
  });
}

std::vector<Escalation::Packet> Escalation::irregular_choices(const Routes& routes) const {
  std::vector<std::uint32_t> passed(std::size_t{lanes_} * fabric_.channel_count(), 0);
  std::uint32_t stamp = 0;
  std::vector<Packet> packets;
  each_lid(fabric_, routes.lfts, [&](Lid lid, auto, auto) {
    const auto is_in_order = [&](std::span<const SwitchId> sources) {
      bool in_order = true;
      follow_choices(routes, lid, sources, passed, ++stamp,
                     [&](std::uint32_t in, unsigned vl, std::uint32_t out, unsigned next) {
                       in_order = position(in, vl) < position(out, next);
                       return in_order;
                     });
      return in_order;
    };
    const auto sources = sources_of(routes, lid);
    if (is_in_order(sources)) return;
    for (const SwitchId& source : sources)
      if (!is_in_order(std::span(&source, 1))) packets.push_back({source, lid});
  });
  return packets;
}

bool Escalation::is_acyclic() const { return std::ranges::count(core(), true) == 0; }

template <class Body>
void Escalation::each_next(std::size_t from, const Body& body) const {
  const auto in = static_cast<std::uint32_t>(from / lanes_);
  const auto vl = static_cast<unsigned>(from % lanes_);
  for (std::uint32_t i = 0; i < turns_.outs(in); ++i) {
    const std::uint32_t out = turns_.first_out(in) + i;
    const std::uint16_t bits = seen_[turns_.turn(in, out)];
    if (bits == 0) continue;
    for (unsigned to = 0; to < lanes_; ++to)
      if ((bits & bit(vl, to)) != 0) body(vertex(out, to));
  }
}

std::vector<bool> Escalation::core() const {
  const std::size_t count = std::size_t{lanes_} * turns_.channel_count();
  std::vector<std::uint32_t> ins(count, 0), outs(count, 0);
  std::vector<std::vector<std::uint32_t>> before(count);
  for (std::size_t v = 0; v < count; ++v)
    each_next(v, [&](std::size_t next) {
      ++ins[next];
      ++outs[v];
      before[next].push_back(static_cast<std::uint32_t>(v));
    });
  std::vector<bool> inside(count, true);
  std::vector<std::size_t> todo;
  const auto drop = [&](std::size_t v) {
    inside[v] = false;
    todo.push_back(v);
  };
  for (std::size_t v = 0; v < count; ++v)
    if (ins[v] == 0 || outs[v] == 0) drop(v);
  while (!todo.empty()) {
    const std::size_t v = todo.back();
    todo.pop_back();
    each_next(v, [&](std::size_t next) {
      if (--ins[next] == 0 && inside[next]) drop(next);
    });
    for (const std::uint32_t previous : before[v])
      if (--outs[previous] == 0 && inside[previous]) drop(previous);
  }
  return inside;
}

std::vector<Escalation::Packet> Escalation::irregular_packets(const Lfts& lfts, bool every) const {
  std::vector<bool> inside = core();
  if (every) inside.assign(inside.size(), true);
  if (std::ranges::count(inside, true) == 0) return {};
  const std::size_t switches = fabric_.switch_count();
  std::vector<Packet> packets;
  each_lid(fabric_, lfts, [&](Lid lid, auto channels, auto next) {
    const Endport& to = fabric_.endport(fabric_.endport_of(lid));
    for (std::uint32_t s = 0; s < switches; ++s) {
      if (channels[s] == kNoChannel || !is_traffic(fabric_, SwitchId(s), to)) continue;
      std::uint32_t in = channels[s].value();
      unsigned vl = first_lane(in);
      std::uint32_t at = next[s].value();
      for (std::size_t hops = 0; channels[at] != kNoChannel && hops < switches; ++hops) {
        const std::uint32_t out = channels[at].value();
        const unsigned after = lane(in, out);
        if (inside[vertex(in, vl)] && inside[vertex(out, after)] &&
            position(in, vl) >= position(out, after)) {
          packets.push_back({SwitchId(s), lid});
          break;
        }
        in = out;
        vl = after;
        at = next[at].value();
      }
    }
  });
  return packets;
}

}  // namespace weft::dfp
