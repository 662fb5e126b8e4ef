// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/transition/exposure.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "base/parallel.h"
#include "fabric/changes.h"
#include "routes/group_sl.h"
#include "sm/programming/held_trees.h"
#include "sm/transition/up_down.h"

namespace weft {
namespace {

constexpr std::size_t kLidsOfATask = 64;
constexpr std::size_t kTreesOfATask = 4;

}  // namespace

ExposureChecker::ExposureChecker(const Fabric& fabric, const HeldTables& held, const Routes& wanted,
                                 const RoutesBefore& before, std::span<const Op> ops,
                                 unsigned threads, bool ignore_replies)
    : fabric_(fabric),
      wanted_(wanted),
      before_(before),
      ops_(ops),
      threads_(threads),
      new_sls_(fabric, wanted, ignore_replies),
      old_trees_(held_trees(held, fabric)),
      has_trees_(weft::are_trees_known(held, fabric)),
      keeps_lanes_(has_one_map()),
      vls_(find_vls()) {
  if (before.routes != nullptr) old_sls_.emplace(*before.fabric, *before.routes, ignore_replies);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const Guid guid = fabric.node(SwitchId(s)).node_guid;
    held_.push_back(held.find(guid));
    const auto then = before.fabric == nullptr ? std::nullopt : before.fabric->find_node(guid);
    old_id_.push_back(then && before.fabric->is_switch(*then) ? SwitchId(then->value())
                                                              : kNoSwitch);
  }
  for (unsigned value = 1; value <= fabric.lid_top().value(); ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    const EndportId owner = fabric.endport_of(lid);
    if (owner != kNoEndport && fabric.endport(owner).sw != kNoSwitch) lids_.push_back(lid);
  }
  changing_ = find_changing(ops);
}

std::vector<Lid> ExposureChecker::find_changing(std::span<const Op> ops) const {
  std::vector<bool> changes(wanted_.lfts.blocks() * kLftBlock, false);
  for (const Op& op : ops) {
    const auto fresh = wanted_.lfts.block(SwitchId(op.node), op.index);
    for (std::size_t i = 0; i < kLftBlock; ++i) {
      const std::size_t lid = op.index * kLftBlock + i;
      if (PortNum(fresh[i]) != old_port(op.node, Lid(static_cast<std::uint16_t>(lid))))
        changes[lid] = true;
    }
  }
  std::vector<Lid> changing;
  std::ranges::copy_if(lids_, std::back_inserter(changing),
                       [&](Lid lid) { return changes[lid.value()]; });
  return changing;
}

PortNum ExposureChecker::old_port(std::uint32_t sw, Lid lid) const {
  return held_[sw] == nullptr ? kNoRoute : held_[sw]->port(lid);
}

bool ExposureChecker::is_of_host(Lid lid) const {
  const EndportId owner = fabric_.endport_of(lid);
  return owner != kNoEndport && !fabric_.is_switch(fabric_.endport(owner).node) &&
         fabric_.endport(owner).sw != kNoSwitch;
}

bool ExposureChecker::is_up_and_down() const {
  // By switch: hops to the nearest switch with hosts.
  constexpr std::uint32_t kUnseen = ~std::uint32_t{0};
  const std::uint32_t switches = fabric_.switch_count();
  std::vector<std::uint32_t> distance(switches, kUnseen), queue;
  for (std::uint32_t s = 0; s < switches; ++s)
    if (!fabric_.endports_at(SwitchId(s)).empty()) {
      distance[s] = 0;
      queue.push_back(s);
    }
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Channel& channel : fabric_.channels_from(SwitchId(queue[head])))
      if (distance[channel.to.value()] == kUnseen) {
        distance[channel.to.value()] = distance[queue[head]] + 1;
        queue.push_back(channel.to.value());
      }
  return trees_are_up_and_down(old_trees_, distance) &&
         trees_are_up_and_down(wanted_.mfts, distance) &&
         UpDownCheck(fabric_, wanted_.lfts, held_, ops_, distance).holds(threads_);
}

/// False if a tree has a link between switches at equal distance from the hosts, or if a copy that
/// came down may go up again: the copy enters a switch from a switch farther from the hosts, and
/// leaves it to a switch farther from the hosts by another port.
bool ExposureChecker::trees_are_up_and_down(const Mfts& trees,
                                            std::span<const std::uint32_t> distance) const {
  std::vector<PortMask> up(fabric_.switch_count()), down_into(fabric_.switch_count());
  for (const auto& [mlid, masks] : trees) {
    std::ranges::fill(up, PortMask());
    std::ranges::fill(down_into, PortMask());
    for (const auto& [sw, mask] : masks)
      for (const Channel& channel : fabric_.channels_from(sw)) {
        if (!mask[channel.from_port.value()]) continue;
        const std::uint32_t to = channel.to.value();
        if (distance[to] == distance[sw.value()]) return false;
        if (distance[to] > distance[sw.value()])
          up[sw.value()].set(channel.from_port.value());
        else
          down_into[to].set(channel.to_port.value());
      }
    for (std::size_t s = 0; s < up.size(); ++s)
      if (up[s].any() && down_into[s].any() && (up[s] | down_into[s]).count() > 1) return false;
  }
  return true;
}

bool ExposureChecker::is_too_large() const {
  std::uint64_t entries = std::uint64_t{fabric_.switch_count()} * fabric_.lid_top().value();
  for (const Trees trees : {Trees::kOld, Trees::kNew})
    for (const auto& [mlid, masks] : mfts(trees)) entries += masks.size();
  return entries > kEntriesMax;
}

bool ExposureChecker::lanes_change() const {
  if (before_.routes == nullptr) return true;
  const Routes& then = *before_.routes;
  const bool one_sl = then.path_sl.kind() == PathSl::Kind::kUniform &&
                      wanted_.path_sl.kind() == PathSl::Kind::kUniform;
  const bool same_sls = then.path_sl == wanted_.path_sl && then.sl2vl == wanted_.sl2vl &&
                        have_same_endports(*before_.fabric, fabric_);
  return (!same_sls && (!one_sl || !keeps_lanes_)) || group_sls_change();
}

/// True if a group in both the old and the new routes gets another SL.
bool ExposureChecker::group_sls_change() const {
  return std::ranges::any_of(wanted_.mfts, [&](const auto& tree) {
    return before_.routes->mfts.contains(tree.first) &&
           group_sl(*before_.routes, tree.first) != group_sl(wanted_, tree.first);
  });
}

/// SLs of requests and replies before the update; with `lanes_too` also those after the update.
PathSls::Mask ExposureChecker::sls(SwitchId source, Lid lid, bool lanes_too, From from) const {
  const auto named = [&](const PathSls& paths, const Fabric& fabric, SwitchId at) {
    const EndportId owner = fabric.endport_of(lid);
    const SwitchId to = owner == kNoEndport ? kNoSwitch : fabric.endport(owner).sw;
    if (to == kNoSwitch) return PathSls::Mask{0};
    return from == From::kCas ? paths.from_cas(at, to, lid) : paths.from_switch(at, to, lid);
  };
  PathSls::Mask found = 0;
  if (const SwitchId then = old_id_[source.value()]; old_sls_ && then != kNoSwitch)
    found |= named(*old_sls_, *before_.fabric, then);
  if (lanes_too) found |= named(new_sls_, fabric_, source);
  return found;
}

std::uint64_t ExposureChecker::sl_changes() const {
  std::uint64_t changes = 0;
  for (unsigned value = 1; value <= fabric_.lid_top().value(); ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    const EndportId owner = fabric_.endport_of(lid);
    const EndportId owner_then = before_.fabric->endport_of(lid);
    if (owner == kNoEndport || fabric_.endport(owner).sw == kNoSwitch) continue;
    if (owner_then == kNoEndport || before_.fabric->endport(owner_then).sw == kNoSwitch) continue;
    const SwitchId to = fabric_.endport(owner).sw;
    const SwitchId to_then = before_.fabric->endport(owner_then).sw;
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      if (!fabric_.endports_at(SwitchId(s)).empty() && old_id_[s] != kNoSwitch &&
          wanted_.path_sl.sl(SwitchId(s), to, lid) !=
              before_.routes->path_sl.sl(old_id_[s], to_then, lid))
        ++changes;
  }
  return changes;
}

bool ExposureChecker::has_one_map() const {
  return before_.routes != nullptr && before_.routes->sl2vl.uniform() && wanted_.sl2vl.uniform() &&
         before_.routes->sl2vl.common() == wanted_.sl2vl.common();
}

DependencyGraph ExposureChecker::no_dependencies() const {
  return {fabric_, vls_,
          keeps_lanes_ ? DependencyGraph::Lanes::kKept : DependencyGraph::Lanes::kMixed};
}

/// Number of VLs in the graphs: includes all VLs in the maps of the old and new routes, except 15;
/// 1 if the old routes are unknown.
unsigned ExposureChecker::find_vls() const {
  if (before_.routes == nullptr) return 1;
  unsigned count = 1;
  const auto consider = [&](const SlMap& map) {
    for (const std::uint8_t vl : map)
      if (vl != kDropVl) count = std::max(count, vl + 1u);
  };
  const auto survey = [&](const Fabric& fabric, const Sl2Vl& sl2vl) {
    consider(sl2vl.common());
    if (sl2vl.uniform()) return;
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      for (unsigned in = 0; in <= fabric.node(SwitchId(s)).port_count; ++in)
        for (unsigned out = 0; out <= fabric.node(SwitchId(s)).port_count; ++out)
          consider(sl2vl.map(SwitchId(s), PortNum(static_cast<std::uint8_t>(in)),
                             PortNum(static_cast<std::uint8_t>(out))));
  };
  survey(fabric_, wanted_.sl2vl);
  survey(*before_.fabric, before_.routes->sl2vl);
  return count;
}

/// Buffers of one task, used again for each LID.
struct ExposureChecker::Scratch {
  struct Held {
    DependencyGraph::Vertex at;
    std::uint8_t sl;
  };
  Scratch(DependencyGraph& all, std::size_t channels, unsigned lanes)
      : graph(all), vls(lanes), seen(channels * lanes, 0) {}
  void reach(DependencyGraph::Vertex v, std::uint8_t sl) {
    std::uint16_t& mask = seen[v.channel.value() * std::size_t{vls} + v.vl];
    if ((mask >> sl & 1) != 0) return;
    mask = static_cast<std::uint16_t>(mask | 1u << sl);
    queue.push_back({v, sl});
  }
  /// Clears `seen` for the next LID or tree.
  void end() {
    for (const Held& held : queue)
      seen[held.at.channel.value() * std::size_t{vls} + held.at.vl] = 0;
  }
  DependencyGraph& graph;
  unsigned vls;
  std::vector<std::uint16_t> seen;  // by channel and VL: SLs
  std::vector<Held> queue;
};

/// Calls take(vertex) for the VLs that packets of an SL use on a port.
template <class Take>
void ExposureChecker::each_lane(SwitchId at, PortNum in, PortNum out, std::uint8_t sl,
                                bool lanes_too, const Take& take) const {
  const ChannelId channel = out == kNoRoute ? kNoChannel : fabric_.channel_at(at, out);
  if (channel == kNoChannel) return;
  const SwitchId then = old_id_[at.value()];
  const std::uint8_t vl_now = wanted_.sl2vl.vl(at, in, out, Sl(sl)).value();
  const std::uint8_t vl_then =
      then == kNoSwitch ? vl_now : before_.routes->sl2vl.vl(then, in, out, Sl(sl)).value();
  if (vl_then != kDropVl) take(DependencyGraph::Vertex{channel, vl_then});
  if (lanes_too && vl_now != vl_then && vl_now != kDropVl)
    take(DependencyGraph::Vertex{channel, vl_now});
}

/// Adds the dependencies of packets to a LID. `state_of`: the state of the entry for `lid` at a
/// switch.
template <class StateOf>
void ExposureChecker::follow(Lid lid, const StateOf& state_of, bool lanes_too,
                             Scratch& scratch) const {
  /// Calls `take` for the possible next hops of a packet at a switch.
  const auto each_next_hop = [&](SwitchId at, PortNum in, std::uint8_t sl, const auto& take) {
    const EntryState state = state_of(at, lid);
    if (state != EntryState::kOld)
      each_lane(at, in, wanted_.lfts.port(at, lid), sl, lanes_too, take);
    if (state != EntryState::kNew)
      each_lane(at, in, old_port(at.value(), lid), sl, lanes_too, take);
  };
  scratch.queue.clear();
  const bool of_host = is_of_host(lid);
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
    const auto enter = [&](PortNum in, PathSls::Mask sls) {
      for (std::uint8_t sl = 0; sl < kSlCount; ++sl)
        if ((sls >> sl & 1) != 0)
          each_next_hop(SwitchId(s), in, sl,
                        [&](DependencyGraph::Vertex v) { scratch.reach(v, sl); });
    };
    const auto hosts = fabric_.endports_at(SwitchId(s));
    const PathSls::Mask of_cas =
        hosts.empty() ? PathSls::Mask{0} : sls(SwitchId(s), lid, lanes_too, From::kCas);
    for (const EndportId host : hosts) enter(fabric_.endport(host).sw_port, of_cas);
    if (of_host) enter(PortNum(0), sls(SwitchId(s), lid, lanes_too, From::kPort0));
  }
  for (std::size_t head = 0; head < scratch.queue.size(); ++head) {
    const Scratch::Held held = scratch.queue[head];
    const Channel& channel = fabric_.channel(held.at.channel);
    each_next_hop(channel.to, channel.to_port, held.sl, [&](DependencyGraph::Vertex v) {
      scratch.graph.add(held.at, v);
      scratch.reach(v, held.sl);
    });
  }
  scratch.end();
}

struct ExposureChecker::Tree {
  std::vector<const PortMask*> masks;  // by switch; null: no entry
  std::vector<std::uint8_t> sls;       // SLs of the group's packets
};

/// The tree of a group, with the SLs of its packets. Members keep the SL that the group had when
/// they joined.
ExposureChecker::Tree ExposureChecker::tree_of(Trees trees, Lid mlid, bool lanes_too) const {
  Tree tree{std::vector<const PortMask*>(fabric_.switch_count(), nullptr), {}};
  for (const auto& [sw, mask] : mfts(trees).at(mlid)) tree.masks[sw.value()] = &mask;
  const bool is_new = !before_.routes->mfts.contains(mlid) && wanted_.mfts.contains(mlid);
  const std::uint8_t then = group_sl(is_new ? wanted_ : *before_.routes, mlid).value();
  tree.sls.push_back(then);
  if (const std::uint8_t now = group_sl(wanted_, mlid).value();
      lanes_too && now != then && wanted_.mfts.contains(mlid))
    tree.sls.push_back(now);
  return tree;
}

/// Adds the dependencies of packets on a tree. Any host at a switch of the tree may send: tables do
/// not list the members, and senders need not be members.
void ExposureChecker::flood(const Tree& tree, bool lanes_too, Scratch& scratch) const {
  const auto each_copy = [&](SwitchId at, PortNum in, std::uint8_t sl, const auto& take) {
    const PortMask* mask = tree.masks[at.value()];
    if (mask == nullptr) return;
    for (const Channel& channel : fabric_.channels_from(at))
      if (channel.from_port != in && (*mask)[channel.from_port.value()])
        each_lane(at, in, channel.from_port, sl, lanes_too, take);
  };
  scratch.queue.clear();
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
    if (tree.masks[s] == nullptr) continue;
    for (const EndportId host : fabric_.endports_at(SwitchId(s)))
      for (const std::uint8_t sl : tree.sls)
        each_copy(SwitchId(s), fabric_.endport(host).sw_port, sl,
                  [&](DependencyGraph::Vertex v) { scratch.reach(v, sl); });
    if (!(*tree.masks[s])[0]) continue;
    for (const std::uint8_t sl : tree.sls)
      each_copy(SwitchId(s), PortNum(0), sl,
                [&](DependencyGraph::Vertex v) { scratch.reach(v, sl); });
  }
  for (std::size_t head = 0; head < scratch.queue.size(); ++head) {
    const Scratch::Held held = scratch.queue[head];
    const Channel& channel = fabric_.channel(held.at.channel);
    each_copy(channel.to, channel.to_port, held.sl, [&](DependencyGraph::Vertex v) {
      scratch.graph.add(held.at, v);
      scratch.reach(v, held.sl);
    });
  }
  scratch.end();
}

DependencyGraph ExposureChecker::multicast_dependencies(Trees trees, bool lanes_too) const {
  DependencyGraph graph = no_dependencies();
  std::vector<Lid> mlids;
  for (const auto& [mlid, masks] : mfts(trees)) mlids.push_back(mlid);
  parallel_blocks(mlids.size(), kTreesOfATask, threads_, [&](std::size_t begin, std::size_t end) {
    Scratch scratch(graph, fabric_.channel_count(), vls_);
    for (std::size_t i = begin; i < end; ++i)
      flood(tree_of(trees, mlids[i], lanes_too), lanes_too, scratch);
  });
  return graph;
}

/// Buffers of one task: the next hops of one LID, and the VLs of its packets.
struct ExposureChecker::Hops {
  explicit Hops(std::size_t switches) : next(switches), vls(switches), waits(switches, 0) {}
  std::vector<std::array<ChannelId, 2>> next;  // by switch: of the new entry and of the old entry
  std::vector<std::uint16_t> vls;              // by switch: VLs of packets that pass it, as bits
  std::vector<std::uint8_t> waits;             // by switch: 1 if it is in the queue
  std::vector<std::uint32_t> queue;            // switches that more packets reach
};

/// The VLs (bits) of packets from the CAs at a switch and from its port 0.
std::uint16_t ExposureChecker::own_vls(SwitchId at, Lid lid, bool of_host, bool lanes_too) const {
  PathSls::Mask named = 0;
  if (!fabric_.endports_at(at).empty()) named |= sls(at, lid, lanes_too, From::kCas);
  if (of_host) named |= sls(at, lid, lanes_too, From::kPort0);
  return lanes_of(wanted_, named);
}

/// Same result as follow(), for packets that keep their VLs: the next hops of these packets do not
/// depend on the input port.
template <class StateOf>
void ExposureChecker::follow_on_lanes(Lid lid, const StateOf& state_of, bool lanes_too, Hops& hops,
                                      DependencyGraph& graph) const {
  const auto channel = [&](SwitchId at, PortNum port) {
    return port == kNoRoute ? kNoChannel : fabric_.channel_at(at, port);
  };
  const bool of_host = is_of_host(lid);
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
    const SwitchId at(s);
    const EntryState state = state_of(at, lid);
    const ChannelId fresh =
        state == EntryState::kOld ? kNoChannel : channel(at, wanted_.lfts.port(at, lid));
    const ChannelId old = state == EntryState::kNew ? kNoChannel : channel(at, old_port(s, lid));
    hops.next[s] = {fresh, old == fresh ? kNoChannel : old};
    hops.vls[s] = own_vls(at, lid, of_host, lanes_too);
    hops.waits[s] = 1;
    hops.queue.push_back(s);
  }
  for (std::size_t head = 0; head < hops.queue.size(); ++head) {
    const std::uint32_t s = hops.queue[head];
    hops.waits[s] = 0;
    for (const ChannelId out : hops.next[s]) {
      if (out == kNoChannel) continue;
      const std::uint32_t to = fabric_.channel(out).to.value();
      if ((hops.vls[s] & ~hops.vls[to]) == 0) continue;
      hops.vls[to] |= hops.vls[s];
      if (std::exchange(hops.waits[to], std::uint8_t{1}) == 0) hops.queue.push_back(to);
    }
  }
  hops.queue.clear();
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
    for (const ChannelId out : hops.next[s]) {
      if (out == kNoChannel || hops.vls[s] == 0) continue;
      for (const ChannelId further : hops.next[fabric_.channel(out).to.value()])
        if (further != kNoChannel) graph.add_vls(out, further, hops.vls[s]);
    }
}

template <class StateOf>
void ExposureChecker::follow_all(std::span<const Lid> lids, const StateOf& state_of, bool lanes_too,
                                 DependencyGraph& graph) const {
  parallel_blocks(lids.size(), kLidsOfATask, threads_, [&](std::size_t begin, std::size_t end) {
    const auto part = lids.subspan(begin, end - begin);
    if (keeps_lanes_) {
      Hops hops(fabric_.switch_count());
      for (const Lid lid : part) follow_on_lanes(lid, state_of, lanes_too, hops, graph);
      return;
    }
    Scratch scratch(graph, fabric_.channel_count(), vls_);
    for (const Lid lid : part) follow(lid, state_of, lanes_too, scratch);
  });
}

DependencyGraph ExposureChecker::lasting_dependencies() const {
  std::vector<Lid> lasting;
  std::ranges::set_difference(lids_, changing_, std::back_inserter(lasting));
  DependencyGraph graph = no_dependencies();
  follow_all(
      lasting, [](SwitchId, Lid) { return EntryState::kNew; }, false, graph);
  return graph;
}

template <class StateOf>
std::uint64_t ExposureChecker::count_on_cycles(std::span<const Lid> lids, const StateOf& state_of,
                                               bool lanes_too,
                                               const DependencyGraph* others) const {
  DependencyGraph graph = no_dependencies();
  if (others != nullptr) graph.add(*others);
  follow_all(lids, state_of, lanes_too, graph);
  return graph.is_acyclic() ? 0 : graph.vertices_on_cycles();
}

std::uint64_t ExposureChecker::channels_on_cycles(std::span<const EntryState> blocks,
                                                  const DependencyGraph* others) const {
  const auto of_block = [&](SwitchId, Lid lid) { return blocks[lid.value() / kLftBlock]; };
  return count_on_cycles(changing_, of_block, false, others);
}

std::uint64_t ExposureChecker::channels_on_cycles(const EntryTimes& times, std::uint32_t round,
                                                  const DependencyGraph* others) const {
  const auto of_round = [&](SwitchId at, Lid lid) { return times.during(round, at, lid); };
  return count_on_cycles(changing_, of_round, false, others);
}

std::uint64_t ExposureChecker::channels_on_cycles_of_new_tables(
    const DependencyGraph* others) const {
  const auto all_new = [](SwitchId, Lid) { return EntryState::kNew; };
  return count_on_cycles(lids_, all_new, true, others);
}

}  // namespace weft
