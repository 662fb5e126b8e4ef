// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/matchings.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "base/rng.h"

namespace weft {
namespace {

/// The hosts in random order: each odd position sends to the even one before it.
std::vector<std::uint32_t> drawn(std::span<const EndportId> hosts, const QualityOptions& options,
                                 std::size_t matching) {
  return Rng(options.seed).fork(matching).permutation(static_cast<std::uint32_t>(hosts.size()));
}

double mean(const std::vector<double>& bandwidth) {
  double mean = 0;
  for (const double value : bandwidth) mean += value / static_cast<double>(bandwidth.size());
  return mean;
}

/// Sums over the pairs of a matching, in the order of the draw, 1 / most flows of the receiver's
/// path.
double mean_share(const std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& most) {
  const std::size_t pairs = order.size() / 2;
  double sum = 0;
  for (std::size_t i = 0; i < pairs; ++i)
    if (most[order[2 * i]] > 0) sum += 1.0 / most[order[2 * i]];
  return sum / static_cast<double>(pairs);
}

/// The next hops that a switch may select for a LID.
class Choices {
 public:
  Choices(const Fabric& fabric, const Routes& routes, const PortMap& map)
      : map_(map), routes_(routes), groups_(fabric.switch_count()) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      for (const PortMask& group : routes.adaptive->groups(SwitchId(s))) {
        auto& next_hops = groups_[s].emplace_back();
        for_each_port(group, [&](PortNum port) {
          const PortMap::Hop& next = map.hop(SwitchId(s), port);
          if (next.channel != kNoChannel) next_hops.push_back(next);
        });
      }
  }

  /// The table's, or the one with the fewest flows (by channel); among equal ones the table's own,
  /// then the first.
  PortMap::Hop best(SwitchId at, Lid lid, const std::vector<std::uint32_t>& flows) const {
    PortMap::Hop best = map_.hop(at, routes_.lfts.port(at, lid));
    const ArEntry entry = routes_.adaptive->entry(at, lid);
    if (entry.state == ArState::kStatic) return best;
    std::uint32_t least = best.channel == kNoChannel ? 0xFFFFFFFF : flows[best.channel.value()];
    for (const PortMap::Hop& next : groups_[at.value()][entry.group]) {
      const std::uint32_t here = flows[next.channel.value()];
      if (here >= least) continue;
      least = here;
      best = next;
    }
    return best;
  }

 private:
  const PortMap& map_;
  const Routes& routes_;
  std::vector<std::vector<std::vector<PortMap::Hop>>> groups_;  // by switch
};

/// Places one flow; the channels of its path, or false if it does not arrive.
bool place(const Fabric& fabric, const Routes& routes, const Choices& choices, const Endport& from,
           const Endport& to, std::vector<std::uint32_t>& flows, std::vector<std::uint32_t>& path) {
  SwitchId at = from.sw;
  while (at != to.sw) {
    const PortMap::Hop next = choices.best(at, to.lid, flows);
    if (next.channel == kNoChannel || path.size() > fabric.switch_count()) return false;
    path.push_back(next.channel.value());
    at = next.to;
  }
  if (routes.lfts.port(at, to.lid) != to.sw_port) return false;
  for (const std::uint32_t channel : path) ++flows[channel];
  return true;
}

/// The flows are placed in the order of the draw.
double adaptive_bandwidth(const Fabric& fabric, const Routes& routes, const Choices& choices,
                          std::span<const EndportId> hosts,
                          const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> flows(fabric.channel_count(), 0);
  std::vector<std::vector<std::uint32_t>> paths(hosts.size());
  std::vector<std::uint32_t> most(hosts.size(), 0);
  for (std::size_t i = 0; i + 1 < order.size(); i += 2)
    most[order[i]] = place(fabric, routes, choices, fabric.endport(hosts[order[i + 1]]),
                           fabric.endport(hosts[order[i]]), flows, paths[order[i]])
                         ? 1
                         : 0;
  for (std::size_t h = 0; h < hosts.size(); ++h)
    if (most[h] > 0)
      for (const std::uint32_t channel : paths[h]) most[h] = std::max(most[h], flows[channel]);
  return mean_share(order, most);
}

}  // namespace

Matchings::Matchings(const Fabric& fabric, const PortMap& map, std::span<const EndportId> hosts,
                     const QualityOptions& options, std::size_t tasks)
    : fabric_(fabric),
      map_(map),
      hosts_(hosts),
      options_(options),
      host_at_(fabric.endport_count()),
      senders_(options.matchings),
      parts_(tasks) {
  for (std::uint32_t h = 0; h < hosts.size(); ++h) host_at_[hosts[h].value()] = h;
  parallel_for(senders_.size(), options.threads, [&](std::size_t m) {
    const auto order = drawn(hosts, options, m);
    senders_[m].assign(hosts.size(), kNoSender);
    for (std::size_t i = 0; i + 1 < order.size(); i += 2)
      senders_[m][order[i]] =
          static_cast<std::uint16_t>(fabric.endport(hosts[order[i + 1]]).sw.value());
  });
  for (Part& part : parts_) part.paths.resize(senders_.size());
}

void Matchings::follow(std::size_t task, EndportId host, const BlockPorts& ports) {
  const Endport& to = fabric_.endport(host);
  const std::uint32_t receiver = host_at_[host.value()];
  Part& part = parts_[task];
  part.receivers.push_back(receiver);
  for (std::size_t m = 0; m < senders_.size(); ++m) {
    const std::uint16_t from = senders_[m][receiver];
    if (from == kNoSender)
      part.paths[m].lengths.push_back(kNoPath);
    else
      add(SwitchId(from), to, ports, part.paths[m]);
  }
}

void Matchings::add(SwitchId at, const Endport& to, const BlockPorts& ports, Paths& paths) const {
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

/// The channels of all paths of a matching, one after the other.
std::vector<std::uint32_t> Matchings::channels(std::size_t matching) const {
  std::vector<std::uint32_t> channels;
  for (const Part& part : parts_) {
    const Paths& paths = part.paths[matching];
    channels.reserve(channels.size() + paths.hops.size());
    const std::uint8_t* hop = paths.hops.data();
    for (std::size_t i = 0; i < part.receivers.size(); ++i) {
      if (paths.lengths[i] == kNoPath) continue;
      SwitchId at(senders_[matching][part.receivers[i]]);
      for (const std::uint8_t* const end = hop + paths.lengths[i]; hop < end; ++hop) {
        const PortMap::Hop& next = map_.hop(at, PortNum(*hop));
        channels.push_back(next.channel.value());
        at = next.to;
      }
    }
  }
  return channels;
}

double Matchings::bandwidth(std::size_t matching) const {
  const std::vector<std::uint32_t> channels = this->channels(matching);
  // Half of the hosts send one flow each, and there are fewer LIDs than 2^16.
  std::vector<std::uint16_t> flows(fabric_.channel_count(), 0);
  for (const std::uint32_t channel : channels) ++flows[channel];
  std::vector<std::uint32_t> most(hosts_.size(), 0);
  const std::uint32_t* channel = channels.data();
  for (const Part& part : parts_) {
    const Paths& paths = part.paths[matching];
    for (std::size_t i = 0; i < part.receivers.size(); ++i) {
      if (paths.lengths[i] == kNoPath) continue;
      std::uint16_t here = 1;
      for (const std::uint32_t* const end = channel + paths.lengths[i]; channel < end; ++channel)
        here = std::max(here, flows[*channel]);
      most[part.receivers[i]] = here;
    }
  }
  return mean_share(drawn(hosts_, options_, matching), most);
}

double Matchings::mean_bandwidth() const {
  std::vector<double> each(senders_.size());
  parallel_for(each.size(), options_.threads, [&](std::size_t m) { each[m] = bandwidth(m); });
  return mean(each);
}

double mean_adaptive_bandwidth(const Fabric& fabric, const Routes& routes, const PortMap& map,
                               std::span<const EndportId> hosts, const QualityOptions& options) {
  const Choices choices(fabric, routes, map);
  std::vector<double> bandwidth(options.matchings);
  parallel_for(bandwidth.size(), options.threads, [&](std::size_t m) {
    bandwidth[m] = adaptive_bandwidth(fabric, routes, choices, hosts, drawn(hosts, options, m));
  });
  return mean(bandwidth);
}

}  // namespace weft
