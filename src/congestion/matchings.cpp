// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/matchings.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "base/rng.h"

namespace weft {
namespace {

constexpr std::uint32_t kNoHost = 0xFFFFFFFF;
// Paths of so many matchings are kept at once: limits the memory. Each group reads all tables.
constexpr std::size_t kMatchingsAtOnce = 25;

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

/// The paths of several matchings, found LID by LID: the next hops of a LID are read once for all.
class StaticPaths {
 public:
  StaticPaths(const Fabric& fabric, const Routes& routes, const PortMap& map,
              std::span<const EndportId> hosts, const QualityOptions& options)
      : fabric_(fabric),
        routes_(routes),
        map_(map),
        hosts_(hosts),
        options_(options),
        host_at_(fabric.endport_count(), kNoHost),
        blocks_per_task_(lid_blocks_per_task(fabric)),
        parts_((lid_blocks(fabric) + blocks_per_task_ - 1) / blocks_per_task_) {
    for (std::uint32_t h = 0; h < hosts.size(); ++h) host_at_[hosts[h].value()] = h;
  }

  /// Bandwidth of the matchings from `first` on.
  void measure(std::size_t first, std::span<double> bandwidth) {
    orders_.resize(bandwidth.size());
    senders_.resize(bandwidth.size());
    parallel_for(bandwidth.size(), options_.threads, [&](std::size_t m) {
      orders_[m] = drawn(hosts_, options_, first + m);
      senders_[m].assign(hosts_.size(), kNoHost);
      for (std::size_t i = 0; i + 1 < orders_[m].size(); i += 2)
        senders_[m][orders_[m][i]] = orders_[m][i + 1];
    });
    parallel_blocks(lid_blocks(fabric_), blocks_per_task_, options_.threads,
                    [&](std::size_t begin, std::size_t end) {
                      follow(begin, end, parts_[begin / blocks_per_task_]);
                    });
    parallel_for(bandwidth.size(), options_.threads,
                 [&](std::size_t m) { bandwidth[m] = mean_share(orders_[m], most_flows(m)); });
  }

 private:
  /// The paths of a matching to the LIDs of a task, one after the other.
  struct Paths {
    std::vector<std::uint32_t> receivers;
    std::vector<std::uint32_t> ends;  // by receiver: the end of its path in `channels`
    std::vector<std::uint32_t> channels;

    void clear() {
      receivers.clear();
      ends.clear();
      channels.clear();
    }
  };
  using Part = std::vector<Paths>;  // by matching

  void follow(std::size_t begin, std::size_t end, Part& part) const {
    part.resize(orders_.size());
    for (Paths& paths : part) paths.clear();
    NextHops next(map_);
    for (std::size_t value = begin * kLftBlock; value < end * kLftBlock; ++value) {
      if (value % kLftBlock == 0) next.load(routes_.lfts, value / kLftBlock);
      const Lid lid(static_cast<std::uint16_t>(value));
      const EndportId endport = fabric_.endport_of(lid);
      if (endport == kNoEndport || host_at_[endport.value()] == kNoHost) continue;
      const Endport& to = fabric_.endport(endport);
      if (to.lid != lid || routes_.lfts.port(to.sw, lid) != to.sw_port) continue;
      const std::uint32_t receiver = host_at_[endport.value()];
      for (std::size_t m = 0; m < orders_.size(); ++m) {
        const std::uint32_t sender = senders_[m][receiver];
        if (sender == kNoHost) continue;
        const SwitchId from = fabric_.endport(hosts_[sender]).sw;
        add(from, to.sw, next.channels(lid), next.switches(lid), receiver, part[m]);
      }
    }
  }

  /// Adds the path if it arrives.
  void add(SwitchId at, SwitchId to, std::span<const ChannelId> channels,
           std::span<const SwitchId> switches, std::uint32_t receiver, Paths& paths) const {
    const ChannelId* const next_channel = channels.data();
    const SwitchId* const next_switch = switches.data();
    const std::size_t begin = paths.channels.size();
    while (at != to) {
      const ChannelId channel = next_channel[at.value()];
      if (channel == kNoChannel || paths.channels.size() - begin > fabric_.switch_count()) {
        paths.channels.resize(begin);
        return;
      }
      paths.channels.push_back(channel.value());
      at = next_switch[at.value()];
    }
    paths.receivers.push_back(receiver);
    paths.ends.push_back(static_cast<std::uint32_t>(paths.channels.size()));
  }

  /// By receiver: the most flows on a channel of its path, at least 1; 0 for a flow that does not
  /// arrive, and for senders.
  std::vector<std::uint32_t> most_flows(std::size_t matching) const {
    std::vector<std::uint32_t> flows(fabric_.channel_count(), 0);
    for (const Part& part : parts_)
      for (const std::uint32_t channel : part[matching].channels) ++flows.data()[channel];
    std::vector<std::uint32_t> most(hosts_.size(), 0);
    for (const Part& part : parts_) {
      const Paths& paths = part[matching];
      std::uint32_t at = 0;
      for (std::size_t i = 0; i < paths.receivers.size(); ++i) {
        std::uint32_t here = 1;
        for (; at < paths.ends[i]; ++at) here = std::max(here, flows[paths.channels[at]]);
        most[paths.receivers[i]] = here;
      }
    }
    return most;
  }

  const Fabric& fabric_;
  const Routes& routes_;
  const PortMap& map_;
  const std::span<const EndportId> hosts_;
  const QualityOptions& options_;
  std::vector<std::uint32_t> host_at_;  // by endport: its position in hosts_, or kNoHost
  const std::size_t blocks_per_task_;
  std::vector<std::vector<std::uint32_t>> orders_;  // by matching
  std::vector<std::vector<std::uint32_t>>
      senders_;              // by matching and host: the host that sends to it
  std::vector<Part> parts_;  // by task
};

/// The next hops that a switch may select for a LID.
class Choices {
 public:
  Choices(const Fabric& fabric, const Routes& routes, const PortMap& map)
      : map_(map), routes_(routes), groups_(fabric.switch_count()) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      for (const PortMask& group : routes.adaptive->groups(SwitchId(s))) {
        auto& next_hops = groups_[s].emplace_back();
        for_each_port(group, [&](PortNum port) {
          const PortMap::Way& way = map.way(SwitchId(s), port);
          if (way.channel != kNoChannel) next_hops.push_back(way);
        });
      }
  }

  /// The table's, or the one with the fewest flows (by channel); among equal ones the table's own,
  /// then the first.
  PortMap::Way best(SwitchId at, Lid lid, const std::vector<std::uint32_t>& flows) const {
    PortMap::Way best = map_.way(at, routes_.lfts.port(at, lid));
    const ArEntry entry = routes_.adaptive->entry(at, lid);
    if (entry.state == ArState::kStatic) return best;
    std::uint32_t least = best.channel == kNoChannel ? 0xFFFFFFFF : flows[best.channel.value()];
    for (const PortMap::Way& way : groups_[at.value()][entry.group]) {
      const std::uint32_t here = flows[way.channel.value()];
      if (here >= least) continue;
      least = here;
      best = way;
    }
    return best;
  }

 private:
  const PortMap& map_;
  const Routes& routes_;
  std::vector<std::vector<std::vector<PortMap::Way>>> groups_;  // by switch
};

/// Places one flow; the channels of its path, or false if it does not arrive.
bool place(const Fabric& fabric, const Routes& routes, const Choices& choices, const Endport& from,
           const Endport& to, std::vector<std::uint32_t>& flows, std::vector<std::uint32_t>& path) {
  SwitchId at = from.sw;
  while (at != to.sw) {
    const PortMap::Way way = choices.best(at, to.lid, flows);
    if (way.channel == kNoChannel || path.size() > fabric.switch_count()) return false;
    path.push_back(way.channel.value());
    at = way.to;
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

double mean_bandwidth(const Fabric& fabric, const Routes& routes, const PortMap& map,
                      std::span<const EndportId> hosts, const QualityOptions& options) {
  StaticPaths paths(fabric, routes, map, hosts, options);
  std::vector<double> bandwidth(options.matchings);
  for (std::size_t m = 0; m < bandwidth.size(); m += kMatchingsAtOnce)
    paths.measure(
        m, std::span(bandwidth).subspan(m, std::min(kMatchingsAtOnce, bandwidth.size() - m)));
  return mean(bandwidth);
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
