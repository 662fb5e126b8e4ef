#include "sm/exposure.h"

#include <algorithm>

#include "base/parallel.h"
#include "verify/dependencies.h"

namespace weft {
namespace {

constexpr std::uint8_t kDropVl = 15;
constexpr std::size_t kLidsOfATask = 64;

}  // namespace

ExposureJudge::ExposureJudge(const Fabric& fabric, const HeldTables& held, const Routes& wanted,
                             const RoutesBefore& before, unsigned threads)
    : fabric_(fabric), wanted_(wanted), before_(before), threads_(threads) {
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const Guid guid = fabric.node(SwitchId(s)).node_guid;
    held_.push_back(held.find(guid));
    const auto then = before.fabric == nullptr ? std::nullopt : before.fabric->find_node(guid);
    old_id_.push_back(then && before.fabric->is_switch(*then) ? SwitchId(then->value())
                                                              : kNoSwitch);
  }
}

PortNum ExposureJudge::old_port(std::uint32_t sw, Lid lid) const {
  return held_[sw] == nullptr ? kNoRoute : held_[sw]->port(lid);
}

/// As the verifier does: packets between hosts count.
bool ExposureJudge::is_of_host(Lid lid) const {
  const EndportId owner = fabric_.endport_of(lid);
  return owner != kNoEndport && !fabric_.is_switch(fabric_.endport(owner).node) &&
         fabric_.endport(owner).sw != kNoSwitch;
}

bool ExposureJudge::is_up_and_down() const {
  // Ranks: hops to the next switch with hosts.
  constexpr std::uint32_t kUnseen = ~std::uint32_t{0};
  const std::uint32_t switches = fabric_.switch_count();
  std::vector<std::uint32_t> rank(switches, kUnseen), queue;
  for (std::uint32_t s = 0; s < switches; ++s)
    if (!fabric_.endports_at(SwitchId(s)).empty()) {
      rank[s] = 0;
      queue.push_back(s);
    }
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Channel& channel : fabric_.channels_from(SwitchId(queue[head])))
      if (rank[channel.to.value()] == kUnseen) {
        rank[channel.to.value()] = rank[queue[head]] + 1;
        queue.push_back(channel.to.value());
      }
  const std::size_t blocks = wanted_.lfts.blocks();
  std::vector<std::uint8_t> good(blocks, 1);
  parallel_for(blocks, threads_, [&](std::size_t block) {
    std::vector<std::uint64_t> up(switches, 0), down_into(switches, 0);
    bool carries[kLftBlock];
    for (std::size_t i = 0; i < kLftBlock; ++i)
      carries[i] = is_of_host(Lid(static_cast<std::uint16_t>(block * kLftBlock + i)));
    for (std::uint32_t s = 0; s < switches; ++s) {
      const auto take = [&](std::span<const std::uint8_t> entries) {
        for (unsigned i = 0; i < kLftBlock; ++i) {
          if (!carries[i] || entries[i] == kNoRoute.value()) continue;
          const ChannelId id = fabric_.channel_at(SwitchId(s), PortNum(entries[i]));
          if (id == kNoChannel) continue;
          const std::uint32_t to = fabric_.channel(id).to.value();
          const std::uint64_t bit = std::uint64_t{1} << i;
          if (rank[to] == rank[s]) good[block] = 0;
          if (rank[to] > rank[s])
            up[s] |= bit;
          else
            down_into[to] |= bit;
        }
      };
      const auto fresh = wanted_.lfts.block(SwitchId(s), block);
      take(fresh);
      if (held_[s] != nullptr && held_[s]->knows(block) && !held_[s]->holds(block, fresh))
        take(held_[s]->block(block));
      if (good[block] == 0) return;
    }
    for (std::uint32_t s = 0; s < switches; ++s)
      if ((up[s] & down_into[s]) != 0) good[block] = 0;
  });
  return std::ranges::all_of(good, [](std::uint8_t g) { return g == 1; });
}

bool ExposureJudge::too_large() const {
  return std::uint64_t{fabric_.switch_count()} * fabric_.lid_top().value() > kEntriesMax;
}

bool ExposureJudge::lanes_change() const {
  if (before_.routes == nullptr) return true;
  const Routes& then = *before_.routes;
  const bool one_sl = then.path_sl.kind() == PathSl::Kind::kUniform &&
                      wanted_.path_sl.kind() == PathSl::Kind::kUniform;
  const bool one_map = then.sl2vl.uniform() && wanted_.sl2vl.uniform() &&
                       then.sl2vl.common() == wanted_.sl2vl.common();
  return !one_sl || !one_map;
}

/// The old one, the new one, or both where they differ.
std::vector<std::uint8_t> ExposureJudge::sls(SwitchId source, Lid lid, bool lanes_too) const {
  std::vector<std::uint8_t> found;
  const SwitchId then = old_id_[source.value()];
  if (then != kNoSwitch) {
    const EndportId owner = before_.fabric->endport_of(lid);
    const SwitchId to = owner == kNoEndport ? kNoSwitch : before_.fabric->endport(owner).sw;
    if (to != kNoSwitch) found.push_back(before_.routes->path_sl.sl(then, to, lid).value());
  }
  if (lanes_too) {
    const SwitchId to = fabric_.endport(fabric_.endport_of(lid)).sw;
    const std::uint8_t sl = wanted_.path_sl.sl(source, to, lid).value();
    if (found.empty() || found.front() != sl) found.push_back(sl);
  }
  return found;
}

std::uint64_t ExposureJudge::sl_changes() const {
  std::uint64_t changes = 0;
  for (unsigned value = 1; value <= fabric_.lid_top().value(); ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    const EndportId owner = fabric_.endport_of(lid);
    if (owner == kNoEndport || fabric_.endport(owner).sw == kNoSwitch) continue;
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      if (!fabric_.endports_at(SwitchId(s)).empty() && sls(SwitchId(s), lid, true).size() > 1)
        ++changes;
  }
  return changes;
}

/// Lanes of the graph: all that any map of either routes names, but for VL 15.
unsigned ExposureJudge::vls() const {
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

/// What one task keeps from LID to LID.
struct ExposureJudge::Scratch {
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
  DependencyGraph& graph;
  unsigned vls;
  std::vector<std::uint16_t> seen;  // by channel and lane: SLs
  std::vector<Held> queue;
};

void ExposureJudge::follow(Lid lid, Tables tables, bool lanes_too, Scratch& scratch) const {
  /// What a packet at a switch may do next.
  const auto each_way = [&](SwitchId at, PortNum in, std::uint8_t sl, const auto& take) {
    const SwitchId then = old_id_[at.value()];
    const PortNum fresh = wanted_.lfts.port(at, lid), stale = old_port(at.value(), lid);
    const PortNum ports[] = {tables == Tables::kOld ? stale : fresh,
                             tables == Tables::kBoth ? stale : kNoRoute};
    for (const PortNum out : ports) {
      const ChannelId channel = out == kNoRoute ? kNoChannel : fabric_.channel_at(at, out);
      if (channel == kNoChannel) continue;
      const std::uint8_t vl_now = wanted_.sl2vl.vl(at, in, out, Sl(sl)).value();
      const std::uint8_t vl_then =
          then == kNoSwitch ? vl_now : before_.routes->sl2vl.vl(then, in, out, Sl(sl)).value();
      if (vl_then != kDropVl) take(DependencyGraph::Vertex{channel, vl_then});
      if (lanes_too && vl_now != vl_then && vl_now != kDropVl)
        take(DependencyGraph::Vertex{channel, vl_now});
    }
  };
  scratch.queue.clear();
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
    const auto hosts = fabric_.endports_at(SwitchId(s));
    if (hosts.empty()) continue;
    for (const std::uint8_t sl : sls(SwitchId(s), lid, lanes_too))
      for (const EndportId host : hosts)
        each_way(SwitchId(s), fabric_.endport(host).sw_port, sl,
                 [&](DependencyGraph::Vertex v) { scratch.reach(v, sl); });
  }
  for (std::size_t head = 0; head < scratch.queue.size(); ++head) {
    const Scratch::Held held = scratch.queue[head];
    const Channel& channel = fabric_.channel(held.at.channel);
    each_way(channel.to, channel.to_port, held.sl, [&](DependencyGraph::Vertex v) {
      scratch.graph.add(held.at, v);
      scratch.reach(v, held.sl);
    });
  }
  for (const Scratch::Held& held : scratch.queue)
    scratch.seen[held.at.channel.value() * std::size_t{scratch.vls} + held.at.vl] = 0;
}

std::uint64_t ExposureJudge::channels_on_cycles(std::span<const Tables> tables,
                                                bool lanes_too) const {
  const unsigned lanes = vls();
  DependencyGraph graph(fabric_, lanes);
  const std::size_t lids = std::size_t{fabric_.lid_top().value()} + 1;
  parallel_blocks(lids, kLidsOfATask, threads_, [&](std::size_t begin, std::size_t end) {
    Scratch scratch(graph, fabric_.channel_count(), lanes);
    for (std::size_t value = std::max<std::size_t>(begin, 1); value < end; ++value) {
      const Lid lid(static_cast<std::uint16_t>(value));
      if (is_of_host(lid)) follow(lid, tables[value / kLftBlock], lanes_too, scratch);
    }
  });
  return graph.vertices_on_cycles();
}

}  // namespace weft
