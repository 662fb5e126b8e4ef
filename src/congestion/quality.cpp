// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "base/rng.h"
#include "congestion/load_bound.h"
#include "fabric/hops.h"
#include "routes/next_hops.h"

namespace weft {
namespace {

struct Tally {
  unsigned hops_max = 0;
  std::uint64_t hops_sum = 0;
  std::uint64_t paths = 0;
  std::uint64_t nonminimal = 0;
};

/// Flows of all hosts to one LID, summed along the tree of next hops.
class Gathering {
 public:
  /// `hosts`: by switch. All arguments must outlive this object.
  Gathering(const Fabric& fabric, const Routes& routes, const NextHops& next,
            std::span<const std::uint32_t> hosts)
      : fabric_(fabric),
        routes_(routes),
        next_(next),
        hosts_(hosts),
        load_(fabric.channel_count(), 0),
        hops_(fabric.switch_count(), kNoHops),
        flow_(fabric.switch_count()) {
    for (std::uint32_t s = 0; s < hosts.size(); ++s)
      if (hosts[s] > 0) sources_.push_back(s);
  }

  void add(EndportId host, const std::vector<std::uint16_t>& minimal, Tally& tally) {
    const Endport& to = fabric_.endport(host);
    if (routes_.lfts.port(to.sw, to.lid) != to.sw_port) return;
    channel_ = next_.channels(to.lid);
    to_ = next_.switches(to.lid);
    for (const std::uint32_t s : reached_) hops_[s] = kNoHops;
    reached_.assign(1, to.sw.value());
    hops_[to.sw.value()] = 0;
    for (const std::uint32_t s : sources_) measure(s);
    count(to.sw, minimal, tally);
    pass_on();
  }

  /// By channel.
  std::span<const std::uint64_t> load() const { return load_; }

 private:
  /// Hop count from a switch by following the tables; kNoHops if the LID is unreachable.
  void measure(std::uint32_t start) {
    path_.clear();
    std::uint32_t at = start;
    while (hops_[at] == kNoHops && to_[at] != kNoSwitch && path_.size() <= fabric_.switch_count()) {
      path_.push_back(at);
      at = to_[at].value();
    }
    if (hops_[at] == kNoHops) return;
    std::uint16_t hops = hops_[at];
    for (std::size_t i = path_.size(); i-- > 0;) hops_[path_[i]] = ++hops;
    reached_.insert(reached_.end(), path_.begin(), path_.end());
  }

  void count(SwitchId destination, const std::vector<std::uint16_t>& minimal, Tally& tally) {
    for (auto& level : by_hops_) level.clear();
    for (const std::uint32_t s : reached_) {
      const std::uint64_t here = hosts_[s] - (SwitchId(s) == destination ? 1u : 0u);
      flow_[s] = here;
      if (here > 0) {
        tally.hops_max = std::max(tally.hops_max, hops_[s] + 1u);
        tally.hops_sum += here * (hops_[s] + 1u);
        tally.paths += here;
        if (hops_[s] > minimal[s]) tally.nonminimal += here;
      }
      if (hops_[s] >= by_hops_.size()) by_hops_.resize(hops_[s] + std::size_t{1});
      by_hops_[hops_[s]].push_back(s);
    }
  }

  /// From the most distant switches on, each adds its own flows and those it received to its next
  /// hop.
  void pass_on() {
    for (std::size_t hops = by_hops_.size(); hops-- > 1;)
      for (const std::uint32_t s : by_hops_[hops]) {
        load_[channel_[s].value()] += flow_[s];
        flow_[to_[s].value()] += flow_[s];
      }
  }

  const Fabric& fabric_;
  const Routes& routes_;
  const NextHops& next_;
  std::span<const std::uint32_t> hosts_;
  std::vector<std::uint32_t> sources_;  // switches with hosts
  std::vector<std::uint64_t> load_;
  std::span<const ChannelId> channel_;  // by switch, for the current LID
  std::span<const SwitchId> to_;
  std::vector<std::uint16_t> hops_;
  std::vector<std::uint32_t> reached_;  // switches with hops_
  std::vector<std::uint64_t> flow_;     // of those switches
  std::vector<std::uint32_t> path_;
  std::vector<std::vector<std::uint32_t>> by_hops_{1};
};

/// The next hops that a switch may select for a LID.
class Choices {
 public:
  Choices(const Fabric& fabric, const Routes& routes, const PortMap& map, bool selects)
      : map_(map), routes_(routes) {
    if (!selects || !routes.adaptive) return;
    ways_.resize(fabric.switch_count());
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      for (const PortMask& group : routes.adaptive->groups(SwitchId(s))) {
        auto& ways = ways_[s].emplace_back();
        for_each_port(group, [&](PortNum port) {
          const PortMap::Way& way = map.way(SwitchId(s), port);
          if (way.channel != kNoChannel) ways.push_back(way);
        });
      }
  }

  /// The table's, or the one with the fewest flows (by channel); among equal ones the table's own,
  /// then the first.
  PortMap::Way best(SwitchId at, Lid lid, const std::vector<std::uint32_t>& flows) const {
    PortMap::Way best = map_.way(at, routes_.lfts.port(at, lid));
    if (ways_.empty()) return best;
    const ArEntry entry = routes_.adaptive->entry(at, lid);
    if (entry.state == ArState::kStatic) return best;
    std::uint32_t least = best.channel == kNoChannel ? 0xFFFFFFFF : flows[best.channel.value()];
    for (const PortMap::Way& way : ways_[at.value()][entry.group]) {
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
  std::vector<std::vector<std::vector<PortMap::Way>>> ways_;  // by switch and group
};

/// The channels of a path; false if it does not reach the destination.
bool walk(const Fabric& fabric, const Routes& routes, const Choices& choices, const Endport& from,
          const Endport& to, const std::vector<std::uint32_t>& flows,
          std::vector<std::uint32_t>& path) {
  path.clear();
  SwitchId at = from.sw;
  while (at != to.sw) {
    const PortMap::Way way = choices.best(at, to.lid, flows);
    if (way.channel == kNoChannel || path.size() > fabric.switch_count()) return false;
    path.push_back(way.channel.value());
    at = way.to;
  }
  return routes.lfts.port(at, to.lid) == to.sw_port;
}

/// Mean over the flows of one random matching of 1 / (most flows on a channel of the path).
double matching_bandwidth(const Fabric& fabric, const Routes& routes, const Choices& choices,
                          std::span<const EndportId> hosts, Rng rng) {
  const auto order = rng.permutation(static_cast<std::uint32_t>(hosts.size()));
  const std::size_t pairs = hosts.size() / 2;
  std::vector<std::vector<std::uint32_t>> paths(pairs);
  std::vector<std::uint32_t> flows(fabric.channel_count(), 0);
  std::vector<bool> arrives(pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    arrives[i] = walk(fabric, routes, choices, fabric.endport(hosts[order[2 * i + 1]]),
                      fabric.endport(hosts[order[2 * i]]), flows, paths[i]);
    if (!arrives[i]) continue;
    for (const std::uint32_t channel : paths[i]) ++flows[channel];
  }
  double sum = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    if (!arrives[i]) continue;
    std::uint32_t most = 1;
    for (const std::uint32_t channel : paths[i]) most = std::max(most, flows[channel]);
    sum += 1.0 / most;
  }
  return sum / static_cast<double>(pairs);
}

/// The loads of all paths.
struct Counts {
  std::uint64_t paths = 0;
  std::vector<std::uint64_t> load;  // by channel
};

/// The figures of all paths.
Counts count_paths(const Fabric& fabric, const Routes& routes, const PortMap& map, unsigned threads,
                   Quality& quality) {
  std::vector<std::uint32_t> hosts_at;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    hosts_at.push_back(static_cast<std::uint32_t>(fabric.endports_at(SwitchId(s)).size()));
  std::vector<std::atomic<std::uint64_t>> load(fabric.channel_count());
  std::vector<Tally> tallies(lid_blocks(fabric));
  parallel_blocks(tallies.size(), lid_blocks_per_task(fabric), threads,
                  [&](std::size_t begin, std::size_t end) {
                    NextHops next(map);
                    Gathering gathering(fabric, routes, next, hosts_at);
                    SwitchId last = kNoSwitch;
                    std::vector<std::uint16_t> minimal;
                    for (std::size_t value = begin * kLftBlock; value < end * kLftBlock; ++value) {
                      if (value % kLftBlock == 0) next.load(routes.lfts, value / kLftBlock);
                      const Lid lid(static_cast<std::uint16_t>(value));
                      const EndportId host = fabric.endport_of(lid);
                      if (host == kNoEndport || host.value() < fabric.switch_count()) continue;
                      const Endport& endport = fabric.endport(host);
                      if (endport.lid != lid || endport.sw == kNoSwitch)
                        continue;  // one flow to each base LID
                      if (endport.sw != last)
                        minimal = hops_from(fabric, std::array{last = endport.sw});
                      gathering.add(host, minimal, tallies[value / kLftBlock]);
                    }
                    for (std::size_t c = 0; c < load.size(); ++c)
                      if (gathering.load()[c] != 0)
                        load[c].fetch_add(gathering.load()[c], std::memory_order_relaxed);
                  });
  Tally sum;
  for (const Tally& tally : tallies) {
    sum.hops_max = std::max(sum.hops_max, tally.hops_max);
    sum.hops_sum += tally.hops_sum;
    sum.paths += tally.paths;
    sum.nonminimal += tally.nonminimal;
  }
  quality.hops_max = sum.hops_max;
  quality.hops_mean =
      sum.paths == 0 ? 0 : static_cast<double>(sum.hops_sum) / static_cast<double>(sum.paths);
  quality.nonminimal = sum.nonminimal;
  Counts counts{sum.paths, {}};
  double total = 0;
  double squares = 0;
  for (const auto& value : load) {
    counts.load.push_back(value.load());
    quality.link_load_max = std::max(quality.link_load_max, counts.load.back());
    total += static_cast<double>(counts.load.back());
    squares += static_cast<double>(counts.load.back()) * static_cast<double>(counts.load.back());
  }
  if (load.empty()) return counts;
  const double n = static_cast<double>(load.size());
  quality.link_load_mean = total / n;
  quality.link_load_sd =
      std::sqrt(std::max(0.0, squares / n - quality.link_load_mean * quality.link_load_mean));
  return counts;
}

void add_bound(const Fabric& fabric, const Counts& counts, unsigned threads, Quality& quality) {
  const bool shortest = quality.nonminimal == 0;
  const BoundPaths paths = shortest ? BoundPaths::kFewestHops : BoundPaths::kAny;
  if (bound_steps(fabric, paths) == 0) {
    quality.link_load_bound_basis = "not computed: the fabric is too large";
    return;
  }
  const LoadBound bound = least_load(fabric, counts.load, paths, threads);
  if (bound.pairs != counts.paths) {
    quality.link_load_bound_basis =
        fmt::format("not computed: {} paths are missing", bound.pairs - counts.paths);
    return;
  }
  quality.link_load_bound = bound.paths;
  quality.link_load_bound_basis = shortest ? "shortest paths" : "any paths";
}

}  // namespace

Quality assess(const Fabric& fabric, const Routes& routes, const QualityOptions& options) {
  const auto hosts = fabric.hosts();
  Quality quality;
  if (hosts.size() < 2) return quality;
  const PortMap map(fabric);
  const Counts counts = count_paths(fabric, routes, map, options.threads, quality);
  if (options.bound) add_bound(fabric, counts, options.threads, quality);
  const auto mean_bandwidth = [&](bool selects) {
    const Choices choices(fabric, routes, map, selects);
    std::vector<double> bandwidth(options.matchings);
    parallel_for(bandwidth.size(), options.threads, [&](std::size_t i) {
      bandwidth[i] = matching_bandwidth(fabric, routes, choices, hosts, Rng(options.seed).fork(i));
    });
    double mean = 0;
    for (const double value : bandwidth) mean += value / static_cast<double>(bandwidth.size());
    return mean;
  };
  quality.ebb = mean_bandwidth(false);
  if (routes.adaptive) quality.ebb_adaptive = mean_bandwidth(true);
  return quality;
}

}  // namespace weft
