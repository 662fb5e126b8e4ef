// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/quality/flow_sets.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/rng.h"

namespace weft {
namespace {

/// The next hops that a switch may select for a LID, by each of its tables.
class Choices {
 public:
  Choices(const Fabric& fabric, const Routes& routes, const PortMap& map, const LinkRates& rates)
      : map_(map),
        routes_(routes),
        rates_(rates),
        tables_(routes.adaptive->table_count()),
        groups_(std::size_t{fabric.switch_count()} * tables_) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      for (unsigned table = 0; table < tables_; ++table)
        for (const PortMask& group : routes.adaptive->table(table).groups(SwitchId(s))) {
          auto& next_hops = groups_[place(SwitchId(s), table)].emplace_back();
          for_each_port(group, [&](PortNum port) {
            const PortMap::Hop& next = map.hop(SwitchId(s), port);
            if (next.channel != kNoChannel) next_hops.push_back(next);
          });
        }
  }

  unsigned table_count() const { return tables_; }

  /// The next hop of the AR group with the fewest flows (by channel) relative to its rate, for
  /// packets with an SL that enter by a port; among equally loaded next hops, the table's next hop
  /// if it is one of them, then the first. Without a group, the table's next hop.
  PortMap::Hop best(SwitchId at, PortNum in, Sl sl, Lid lid,
                    const std::vector<std::uint32_t>& flows) const {
    const ArTables& all = *routes_.adaptive;
    const unsigned table = tables_ > 1 ? all.selection().table(at, in, sl) : 0;
    const PortMap::Hop own = map_.hop(at, routes_.lfts.port(at, lid));
    const ArEntry entry = all.table(table).entry(at, lid);
    if (entry.state == ArState::kStatic) return own;
    PortMap::Hop best = own;
    double least = std::numeric_limits<double>::max();
    for (const PortMap::Hop& next : groups_[place(at, table)][entry.group]) {
      const double here = load(next.channel, flows);
      if (here > least || (here == least && next.channel != own.channel)) continue;
      least = here;
      best = next;
    }
    return best;
  }

 private:
  std::size_t place(SwitchId sw, unsigned table) const {
    return std::size_t{sw.value()} * tables_ + table;
  }
  double load(ChannelId channel, const std::vector<std::uint32_t>& flows) const {
    return static_cast<double>(flows[channel.value()]) / rates_.channels[channel.value()];
  }

  const PortMap& map_;
  const Routes& routes_;
  const LinkRates& rates_;
  const unsigned tables_;
  std::vector<std::vector<std::vector<PortMap::Hop>>> groups_;  // by place()
};

/// Places one flow and stores the channels of its path in `path`; false if the flow has no path.
bool place_flow(const Fabric& fabric, const Routes& routes, const Choices& choices,
                const Endport& from, const Endport& to, std::vector<std::uint32_t>& flows,
                std::vector<std::uint32_t>& path) {
  SwitchId at = from.sw;
  PortNum in = from.sw_port;
  const Sl sl = routes.path_sl.sl(from.sw, to.sw, to.lid);
  const std::size_t hops_max = std::size_t{fabric.switch_count()} * choices.table_count();
  while (at != to.sw) {
    const PortMap::Hop next = choices.best(at, in, sl, to.lid, flows);
    if (next.channel == kNoChannel || path.size() > hops_max) return false;
    path.push_back(next.channel.value());
    at = next.to;
    if (choices.table_count() > 1) in = fabric.channel(next.channel).to_port;
  }
  if (routes.lfts.port(at, to.lid) != to.sw_port) return false;
  for (const std::uint32_t channel : path) ++flows[channel];
  return true;
}

std::uint32_t slower_of(const LinkRates& rates, const HostFlow& flow) {
  return std::min(rates.hosts[flow.from], rates.hosts[flow.to]);
}

double adaptive_bandwidth(const Fabric& fabric, const Routes& routes, const Choices& choices,
                          std::span<const EndportId> hosts, const LinkRates& rates,
                          const std::vector<HostFlow>& set) {
  if (set.empty()) return 0;
  std::vector<std::uint32_t> flows(fabric.channel_count(), 0);
  std::vector<std::vector<std::uint32_t>> paths(set.size());
  std::vector<bool> arrives(set.size());
  for (std::size_t i = 0; i < set.size(); ++i)
    arrives[i] = place_flow(fabric, routes, choices, fabric.endport(hosts[set[i].from]),
                            fabric.endport(hosts[set[i].to]), flows, paths[i]);
  double sum = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!arrives[i]) continue;
    const double rate = slower_of(rates, set[i]);
    double most = 1;
    for (const std::uint32_t channel : paths[i])
      most = std::max(most, flows[channel] * rate / rates.channels[channel]);
    sum += 1 / most;
  }
  return sum / static_cast<double>(set.size());
}

}  // namespace

DrawFlows matchings(std::size_t hosts, std::uint64_t seed) {
  return [=](std::size_t set) {
    const auto order = Rng(seed).fork(set).permutation(static_cast<std::uint32_t>(hosts));
    std::vector<HostFlow> flows;
    flows.reserve(order.size() / 2);
    for (std::size_t i = 0; i + 1 < order.size(); i += 2) flows.push_back({order[i + 1], order[i]});
    return flows;
  };
}

FlowSets::FlowSets(const Fabric& fabric, const PortMap& map, std::span<const EndportId> hosts,
                   const LinkRates& rates, std::size_t sets, const DrawFlows& draw,
                   std::size_t tasks, unsigned threads)
    : fabric_(fabric),
      map_(map),
      hosts_(hosts),
      rates_(rates),
      threads_(threads),
      host_at_(fabric.endport_count()),
      flows_(sets),
      senders_(sets),
      slower_(rates.equal ? 0 : sets),
      parts_(tasks) {
  for (std::uint32_t h = 0; h < hosts.size(); ++h) host_at_[hosts[h].value()] = h;
  parallel_for(sets, threads, [&](std::size_t set) { take(set, draw(set)); });
  for (Part& part : parts_) part.paths.resize(sets);
}

void FlowSets::take(std::size_t set, std::span<const HostFlow> flows) {
  flows_[set] = static_cast<std::uint32_t>(flows.size());
  senders_[set].assign(hosts_.size(), kNoSender);
  for (const HostFlow& flow : flows)
    senders_[set][flow.to] =
        static_cast<std::uint16_t>(fabric_.endport(hosts_[flow.from]).sw.value());
  if (rates_.equal) return;
  slower_[set].assign(hosts_.size(), 0);
  for (const HostFlow& flow : flows) slower_[set][flow.to] = slower_of(rates_, flow);
}

void FlowSets::follow(std::size_t task, EndportId host, const BlockPorts& ports) {
  const Endport& to = fabric_.endport(host);
  const std::uint32_t receiver = host_at_[host.value()];
  Part& part = parts_[task];
  part.receivers.push_back(receiver);
  for (std::size_t set = 0; set < senders_.size(); ++set) {
    const std::uint16_t from = senders_[set][receiver];
    if (from == kNoSender)
      part.paths[set].lengths.push_back(kNoPath);
    else
      add(SwitchId(from), to, ports, part.paths[set]);
  }
}

void FlowSets::add(SwitchId at, const Endport& to, const BlockPorts& ports, Paths& paths) const {
  const std::size_t begin = paths.hops.size();
  while (at != to.sw) {
    const PortNum port = ports.port(at, to.lid);
    const PortMap::Hop& next = map_.hop(at, port);
    if (next.channel == kNoChannel || paths.hops.size() - begin > fabric_.switch_count()) {
      paths.hops.resize(begin);
      paths.lengths.push_back(kNoPath);
      return;
    }
    paths.hops.push_back(port.value());
    at = next.to;
  }
  paths.lengths.push_back(static_cast<std::uint16_t>(paths.hops.size() - begin));
}

/// The channels of all paths of a set, one after the other.
std::vector<std::uint32_t> FlowSets::channels(std::size_t set) const {
  std::vector<std::uint32_t> channels;
  for (const Part& part : parts_) {
    const Paths& paths = part.paths[set];
    channels.reserve(channels.size() + paths.hops.size());
    const std::uint8_t* hop = paths.hops.data();
    for (std::size_t i = 0; i < part.receivers.size(); ++i) {
      if (paths.lengths[i] == kNoPath) continue;
      SwitchId at(senders_[set][part.receivers[i]]);
      for (const std::uint8_t* const end = hop + paths.lengths[i]; hop < end; ++hop) {
        const PortMap::Hop& next = map_.hop(at, PortNum(*hop));
        channels.push_back(next.channel.value());
        at = next.to;
      }
    }
  }
  return channels;
}

/// Mean share of the flows of a set; 0 for a flow without a path. `share` returns the share of a
/// flow from its receiver and the largest load on its path (0 if the path has no channel).
template <class Load, class Share>
double FlowSets::mean_share(std::size_t set, std::span<const std::uint32_t> channels,
                            const std::vector<Load>& load, Share share) const {
  double sum = 0;
  const std::uint32_t* channel = channels.data();
  for (const Part& part : parts_) {
    const Paths& paths = part.paths[set];
    for (std::size_t i = 0; i < part.receivers.size(); ++i) {
      if (paths.lengths[i] == kNoPath) continue;
      Load most = 0;
      for (const std::uint32_t* const end = channel + paths.lengths[i]; channel < end; ++channel)
        most = std::max(most, load[*channel]);
      sum += share(part.receivers[i], most);
    }
  }
  return sum / flows_[set];
}

double FlowSets::bandwidth(std::size_t set) const {
  if (flows_[set] == 0) return 0;
  const std::vector<std::uint32_t> channels = this->channels(set);
  // Each host sends one flow at most, and there are fewer LIDs than 2^16.
  std::vector<std::uint16_t> flows(fabric_.channel_count(), 0);
  for (const std::uint32_t channel : channels) ++flows[channel];
  if (rates_.equal)
    return mean_share(set, channels, flows, [](std::uint32_t, std::uint16_t most) {
      return 1.0 / std::max<std::uint16_t>(most, 1);
    });
  std::vector<double> times(flows.size());
  for (std::size_t c = 0; c < times.size(); ++c) times[c] = 1.0 * flows[c] / rates_.channels[c];
  return mean_share(set, channels, times, [&](std::uint32_t receiver, double most) {
    return 1.0 / std::max(most * slower_[set][receiver], 1.0);
  });
}

std::vector<double> FlowSets::bandwidths() const {
  std::vector<double> each(senders_.size());
  parallel_for(each.size(), threads_, [&](std::size_t set) { each[set] = bandwidth(set); });
  return each;
}

std::vector<double> adaptive_bandwidths(const Fabric& fabric, const Routes& routes,
                                        const PortMap& map, std::span<const EndportId> hosts,
                                        const LinkRates& rates, std::size_t sets,
                                        const DrawFlows& draw, unsigned threads) {
  const Choices choices(fabric, routes, map, rates);
  std::vector<double> each(sets);
  parallel_for(sets, threads, [&](std::size_t set) {
    each[set] = adaptive_bandwidth(fabric, routes, choices, hosts, rates, draw(set));
  });
  return each;
}

}  // namespace weft
