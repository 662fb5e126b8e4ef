// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/quality/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "congestion/metrics.h"
#include "congestion/permutation_bound.h"
#include "congestion/quality/block_ports.h"
#include "congestion/quality/flow_sets.h"
#include "congestion/quality/link_rates.h"
#include "congestion/quality/load_bound.h"
#include "congestion/quality/shortest_flows.h"
#include "congestion/routed_network.h"
#include "fabric/aggregation.h"
#include "fabric/hops.h"
#include "fabric/servers.h"
#include "routes/next_hops.h"

namespace weft {
namespace {

struct PathTally {
  unsigned hops_max = 0;
  std::uint64_t hops_sum = 0;
  std::uint64_t paths = 0;
  std::uint64_t nonminimal = 0;
  std::vector<std::uint64_t> by_hops{};  // paths by hop count

  void add(unsigned hops, std::uint64_t count) {
    hops_max = std::max(hops_max, hops);
    hops_sum += count * hops;
    paths += count;
    if (by_hops.size() <= hops) by_hops.resize(hops + 1u);
    by_hops[hops] += count;
  }
};

/// Flows of all hosts to one LID over any paths, summed along the tree of next hops.
class DestinationFlows {
 public:
  /// `hosts`: by switch. All arguments must outlive this object. `load`: by channel.
  DestinationFlows(const Fabric& fabric, const NextHops& next, std::span<const std::uint32_t> hosts,
                   std::span<std::uint64_t> load)
      : fabric_(fabric),
        next_(next),
        hosts_(hosts),
        load_(load),
        hops_(fabric.switch_count(), kNoHops),
        flow_(fabric.switch_count()) {
    for (std::uint32_t s = 0; s < hosts.size(); ++s)
      if (hosts[s] > 0) sources_.push_back(s);
  }

  /// Adds the flows of all other hosts to `host`. The table of the switch of `host` must forward to
  /// `host`.
  void add(EndportId host, const std::vector<std::uint16_t>& minimal, PathTally& tally) {
    const Endport& to = fabric_.endport(host);
    channel_ = next_.channels(to.lid);
    to_ = next_.switches(to.lid);
    for (const std::uint32_t s : reached_) hops_[s] = kNoHops;
    reached_.clear();
    reach(to.sw.value(), 0);
    for (const std::uint32_t s : sources_) measure(s);
    --flow_[to.sw.value()];  // the host does not send to itself
    count(minimal, tally);
    add_to_next_hops();
  }

 private:
  /// Sets the hop counts of a switch and of the switches on its path, by the tables; kNoHops if the
  /// LID is unreachable.
  void measure(std::uint32_t start) {
    // Local copies, here and below, so that the compiler need not reload the pointers after each
    // store.
    const SwitchId* const to = to_.data();
    const std::uint16_t* const hops = hops_.data();
    path_.clear();
    std::uint32_t at = start;
    while (hops[at] == kNoHops && to[at] != kNoSwitch && path_.size() <= fabric_.switch_count()) {
      path_.push_back(at);
      at = to[at].value();
    }
    if (hops[at] == kNoHops) return;
    std::uint16_t count = hops[at];
    for (std::size_t i = path_.size(); i-- > 0;) reach(path_[i], ++count);
  }

  void reach(std::uint32_t sw, std::uint16_t hops) {
    hops_.data()[sw] = hops;
    flow_.data()[sw] = hosts_.data()[sw];
    reached_.push_back(sw);
  }

  void count(const std::vector<std::uint16_t>& minimal, PathTally& tally) const {
    for (const std::uint32_t s : sources_) {
      if (hops_[s] == kNoHops) continue;
      const std::uint64_t here = flow_[s];
      if (here == 0) continue;
      tally.add(hops_[s] + 1u, here);
      if (hops_[s] > minimal[s]) tally.nonminimal += here;
    }
  }

  /// Adds the flows of each switch, its own and those that it receives, to its next hop, which
  /// precedes it in reached_.
  void add_to_next_hops() {
    const std::uint32_t* const reached = reached_.data();
    const ChannelId* const channel = channel_.data();
    const SwitchId* const to = to_.data();
    std::uint64_t* const load = load_.data();
    std::uint64_t* const flow = flow_.data();
    for (std::size_t i = reached_.size(); i-- > 1;) {
      const std::uint32_t s = reached[i];
      load[channel[s].value()] += flow[s];
      flow[to[s].value()] += flow[s];
    }
  }

  const Fabric& fabric_;
  const NextHops& next_;
  std::span<const std::uint32_t> hosts_;
  std::vector<std::uint32_t> sources_;  // switches with hosts
  std::span<std::uint64_t> load_;
  std::span<const ChannelId> channel_;  // by switch, for the current LID
  std::span<const SwitchId> to_;
  std::vector<std::uint16_t> hops_;
  std::vector<std::uint32_t> reached_;  // switches with hops_, each after its next hop
  std::vector<std::uint64_t> flow_;     // by switch: flow to the current LID
  std::vector<std::uint32_t> path_;
};

/// Counts the paths to the hosts of some blocks of LIDs.
class PathCounter {
 public:
  /// `hosts`: by switch. All arguments must outlive this object.
  PathCounter(const Fabric& fabric, const Lfts& lfts, const PortMap& map,
              std::span<const std::uint32_t> hosts, FlowSets& sets, std::size_t task)
      : fabric_(fabric),
        lfts_(lfts),
        hosts_(hosts),
        sets_(sets),
        task_(task),
        load_(fabric.channel_count(), 0),
        ports_(fabric.switch_count()),
        flows_(map, hosts),
        next_(map),
        longer_flows_(fabric, next_, hosts, load_) {}

  void count(std::size_t block, PathTally& tally) {
    ports_.load(lfts_, block);
    std::uint64_t lids = 0;  // LIDs of the current switch
    SwitchId sw = kNoSwitch;
    for (std::size_t i = 0; i < kLftBlock; ++i) {
      const EndportId host = receiver(lid(block, i));
      if (host == kNoEndport) continue;
      if (lids != 0 && sw != fabric_.endport(host).sw)
        count(block, std::exchange(lids, 0), sw, tally);
      sw = fabric_.endport(host).sw;
      lids |= std::uint64_t{1} << i;
      sets_.follow(task_, host, ports_);
    }
    if (lids != 0) count(block, lids, sw, tally);
  }

  /// By channel.
  std::span<const std::uint64_t> load() const { return load_; }

 private:
  static Lid lid(std::size_t block, std::size_t i) {
    return Lid(static_cast<std::uint16_t>(block * kLftBlock + i));
  }

  /// The host with this base LID if the table of its switch forwards to it.
  EndportId receiver(Lid lid) const {
    const EndportId host = fabric_.endport_of(lid);
    if (host == kNoEndport || host.value() < fabric_.switch_count()) return kNoEndport;
    const Endport& endport = fabric_.endport(host);
    const bool counts = endport.lid == lid && endport.sw != kNoSwitch &&
                        lfts_.port(endport.sw, lid) == endport.sw_port &&
                        !is_aggregation_node(fabric_.node(endport.node));
    return counts ? host : kNoEndport;
  }

  void count(std::size_t block, std::uint64_t lids, SwitchId sw, PathTally& tally) {
    if (sw != switch_) hops_ = ordered_hops_from(fabric_, std::array{switch_ = sw});
    std::uint64_t longer = flows_.add(ports_, lids, hops_, load_);
    count_shortest(static_cast<unsigned>(std::popcount(lids & ~longer)), tally);
    if (longer != 0 && block_ != block) next_.load(lfts_, block_ = block);
    for (; longer != 0; longer &= longer - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(longer));
      longer_flows_.add(fabric_.endport_of(lid(block, i)), hops_.hops, tally);
    }
  }

  /// Counts the paths to `receivers` hosts of the switch, all of which are shortest.
  void count_shortest(std::uint64_t receivers, PathTally& tally) const {
    if (receivers == 0) return;
    for (const std::uint32_t s : hops_.nearest_first) {
      const std::uint64_t senders = hosts_[s] - (SwitchId(s) == switch_ ? 1u : 0u);
      if (senders == 0) continue;
      tally.add(hops_.hops[s] + 1u, receivers * senders);
    }
  }

  static constexpr std::size_t kNoBlock = ~std::size_t{0};

  const Fabric& fabric_;
  const Lfts& lfts_;
  std::span<const std::uint32_t> hosts_;
  FlowSets& sets_;
  const std::size_t task_;
  std::vector<std::uint64_t> load_;
  BlockPorts ports_;
  ShortestFlows flows_;
  NextHops next_;
  std::size_t block_ = kNoBlock;  // block of next_
  DestinationFlows longer_flows_;
  SwitchId switch_ = kNoSwitch;
  OrderedHops hops_;  // hops from switch_
};

/// The number of paths, and the loads of all paths.
struct Counts {
  std::uint64_t paths = 0;
  std::vector<std::uint64_t> load;  // by channel
};

/// The distances of the measured shifts: first evenly spaced distances, then distances between
/// groups that are not among these.
struct ShiftDistances {
  std::vector<std::uint32_t> distances;
  std::size_t even = 0;  // number of evenly spaced distances
};

/// At most `most` multiples of `group` below `hosts`, evenly selected.
std::vector<std::uint32_t> group_distances(std::size_t hosts, std::size_t group, std::size_t most) {
  std::vector<std::uint32_t> distances;
  const std::size_t multiples = group == 0 ? 0 : (hosts - 1) / group;
  const std::size_t count = std::min(multiples, most);
  for (std::size_t i = 0; i < count; ++i)
    distances.push_back(static_cast<std::uint32_t>(group * (1 + i * multiples / count)));
  return distances;
}

/// `group`: hosts of a group; 0: no groups. If not all shifts are measured, shifts between groups
/// are at most a quarter of them, or one shift.
ShiftDistances shift_distances(std::size_t hosts, std::size_t group,
                               const QualityOptions& options) {
  ShiftDistances result;
  if (!options.shifts) return result;
  const std::size_t all = hosts - 1;
  const std::size_t most = std::clamp<std::size_t>(options.shift_flows / hosts, 1, all);
  std::vector<std::uint32_t> between;
  if (most < all) between = group_distances(hosts, group, std::max<std::size_t>(most / 4, 1));
  result.even = std::max<std::size_t>(most - between.size(), 1);
  for (std::size_t i = 0; i < result.even; ++i)
    result.distances.push_back(static_cast<std::uint32_t>(1 + i * all / result.even));
  std::erase_if(between, [&](std::uint32_t distance) {
    return std::ranges::binary_search(result.distances, distance);
  });
  result.distances.insert(result.distances.end(), between.begin(), between.end());
  return result;
}

/// The number of hosts of the largest group; 0 without groups. `ports`: several_ports().
std::size_t hosts_of_group(const Fabric& fabric, std::span<const EndportId> hosts,
                           const std::vector<std::vector<std::uint32_t>>& ports,
                           std::span<const std::uint32_t> groups) {
  if (groups.empty()) return 0;
  std::vector<std::size_t> count(std::ranges::max(groups) + std::size_t{1}, 0);
  const std::size_t peers = ports.empty() ? hosts.size() : ports.size();
  for (std::size_t i = 0; i < peers; ++i)
    ++count[groups[fabric.endport(hosts[ports.empty() ? i : ports[i][0]]).sw.value()]];
  return std::ranges::max(count);
}

std::vector<HostFlow> shift(std::size_t hosts, std::uint32_t distance) {
  std::vector<HostFlow> flows;
  flows.reserve(hosts);
  for (std::uint32_t from = 0; from < hosts; ++from)
    flows.push_back({from, static_cast<std::uint32_t>((from + distance) % hosts)});
  return flows;
}

/// Sets of flows between ports from sets of flows between hosts. Each port of a host sends to the
/// port at the same place of the other host, as collective communication libraries do; ports
/// without such a counterpart send nothing.
DrawFlows between_ports(DrawFlows of_hosts, std::vector<std::vector<std::uint32_t>> ports) {
  return [of_hosts = std::move(of_hosts), ports = std::move(ports)](std::size_t set) {
    std::vector<HostFlow> flows;
    for (const HostFlow& flow : of_hosts(set)) {
      const auto& from = ports[flow.from];
      const auto& to = ports[flow.to];
      for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i)
        flows.push_back({from[i], to[i]});
    }
    return flows;
  };
}

/// The random matchings, then the shifts.
DrawFlows quality_flows(std::size_t hosts, const QualityOptions& options,
                        std::vector<std::uint32_t> distances) {
  return [matching = matchings(hosts, options.seed), distances = std::move(distances), hosts,
          count = options.matchings](std::size_t set) {
    return set < count ? matching(set) : shift(hosts, distances[set - count]);
  };
}

/// Ports by server. Empty, so that each port is a server, if no server has several ports, or if
/// there is only one server.
std::vector<std::vector<std::uint32_t>> several_ports(const Fabric& fabric,
                                                      std::span<const EndportId> ports) {
  auto servers = ports_by_server(fabric, ports);
  if (servers.size() < 2 || servers.size() == ports.size()) servers.clear();
  return servers;
}

/// `bandwidths`: by index in the distances. `all`: number of distances that exist. Mean and error
/// are those of the evenly spaced distances.
ShiftQuality describe_shifts(ShiftDistances measured, std::vector<double> bandwidths,
                             std::size_t all) {
  ShiftQuality shifts;
  shifts.measured = static_cast<std::uint32_t>(measured.distances.size());
  shifts.worst = std::ranges::min(bandwidths);
  for (std::size_t i = bandwidths.size(); i-- > 0;)
    if (bandwidths[i] == shifts.worst &&
        (shifts.worst_distance == 0 || measured.distances[i] < shifts.worst_distance))
      shifts.worst_distance = measured.distances[i];
  shifts.even = measured.even;
  const std::vector<double> sample(bandwidths.begin(),
                                   bandwidths.begin() + static_cast<std::ptrdiff_t>(shifts.even));
  // The variance of the mean of a sample without repetition has the factor of the part that is not
  // in the sample (Cochran, Sampling Techniques, 1977).
  shifts.unmeasured = 1 - static_cast<double>(shifts.even) / static_cast<double>(all);
  if (shifts.unmeasured > 0)
    shifts.error = statistics(sample).error99 * std::sqrt(shifts.unmeasured);
  for (const double bandwidth : sample)
    shifts.mean += bandwidth / static_cast<double>(sample.size());
  shifts.distances = std::move(measured.distances);
  shifts.bandwidths = std::move(bandwidths);
  return shifts;
}

/// The largest load, where a path counts fastest rate / rate.
double timed_load(const LinkRates& rates, std::span<const std::uint64_t> load) {
  if (load.empty()) return 0;
  const double fastest = std::ranges::max(rates.channels);
  double most = 0;
  for (std::size_t c = 0; c < load.size(); ++c)
    most = std::max(most, static_cast<double>(load[c]) * fastest / rates.channels[c]);
  return most;
}

/// The share of the slowest host's rate at which all hosts can send. `most`: the largest load by
/// time. `paths`: number of paths between all hosts.
double all_to_all(const LinkRates& rates, double most, std::uint64_t paths) {
  const auto hosts = static_cast<double>(rates.hosts.size());
  const double peers = static_cast<double>(paths) / hosts;  // n - 1 on a connected fabric
  if (peers == 0) return 0;
  const double host_most = std::ranges::min(rates.hosts) / peers;  // rate of each pair
  if (most == 0) return 1;
  return std::min(1.0, std::ranges::max(rates.channels) / most / host_most);
}

/// The expected share of the paths without a failed cable, after the failure of one, two and three
/// of the cables between switches, drawn at random.
std::array<double, 3> kept_shares(const PathTally& tally, std::size_t cables) {
  std::array<double, 3> kept{};
  for (std::size_t hops = 0; hops < tally.by_hops.size(); ++hops) {
    if (tally.by_hops[hops] == 0) continue;
    const std::size_t used = hops - 1;  // cables between switches
    double share = static_cast<double>(tally.by_hops[hops]) / static_cast<double>(tally.paths);
    for (std::size_t failed = 0; failed < kept.size(); ++failed) {
      if (used > 0)
        share *= cables > used + failed ? static_cast<double>(cables - used - failed) /
                                              static_cast<double>(cables - failed)
                                        : 0;
      kept[failed] += share;
    }
  }
  return kept;
}

/// Counts of all paths.
Counts count_paths(const Fabric& fabric, const Routes& routes, const PortMap& map,
                   std::span<const EndportId> hosts, const LinkRates& rates,
                   const QualityOptions& options, Quality& quality) {
  const std::vector<std::uint32_t> hosts_at = traffic_ports_by_switch(fabric);
  std::vector<std::atomic<std::uint64_t>> load(fabric.channel_count());
  std::vector<PathTally> tallies(lid_blocks(fabric));
  const std::size_t task_blocks = lid_blocks_per_task(fabric);
  const auto ports = several_ports(fabric, hosts);
  const std::size_t peers = ports.empty() ? hosts.size() : ports.size();
  const auto shifts =
      shift_distances(peers, hosts_of_group(fabric, hosts, ports, options.groups), options);
  DrawFlows draw = quality_flows(peers, options, shifts.distances);
  if (!ports.empty()) draw = between_ports(std::move(draw), ports);
  FlowSets sets(fabric, map, hosts, rates, options.matchings + shifts.distances.size(), draw,
                tallies.size() / task_blocks + 1, options.threads);
  parallel_blocks(
      tallies.size(), task_blocks, options.threads, [&](std::size_t begin, std::size_t end) {
        PathCounter counter(fabric, routes.lfts, map, hosts_at, sets, begin / task_blocks);
        for (std::size_t block = begin; block < end; ++block) counter.count(block, tallies[block]);
        for (std::size_t c = 0; c < load.size(); ++c)
          if (counter.load()[c] != 0)
            load[c].fetch_add(counter.load()[c], std::memory_order_relaxed);
      });
  std::vector<double> bandwidths = sets.bandwidths();
  if (!shifts.distances.empty())
    quality.shifts = describe_shifts(
        shifts, {bandwidths.begin() + options.matchings, bandwidths.end()}, peers - 1);
  bandwidths.resize(options.matchings);
  const Statistics ebb = statistics(bandwidths);
  quality.ebb = ebb.mean;
  quality.ebb_error = ebb.error99;
  quality.matchings = std::move(bandwidths);
  PathTally sum;
  for (const PathTally& tally : tallies) {
    for (unsigned hops = 0; hops < tally.by_hops.size(); ++hops)
      if (tally.by_hops[hops] > 0) sum.add(hops, tally.by_hops[hops]);
    sum.nonminimal += tally.nonminimal;
  }
  quality.hops_max = sum.hops_max;
  quality.hops_mean =
      sum.paths == 0 ? 0 : static_cast<double>(sum.hops_sum) / static_cast<double>(sum.paths);
  quality.nonminimal = sum.nonminimal;
  quality.kept = kept_shares(sum, fabric.cables().size());
  Counts counts{sum.paths, {}};
  double total = 0;
  double squares = 0;
  for (const auto& value : load) {
    counts.load.push_back(value.load());
    quality.link_load_max = std::max(quality.link_load_max, counts.load.back());
    total += static_cast<double>(counts.load.back());
    squares += static_cast<double>(counts.load.back()) * static_cast<double>(counts.load.back());
  }
  quality.timed_load_max = timed_load(rates, counts.load);
  quality.alltoall = all_to_all(rates, quality.timed_load_max, sum.paths);
  if (load.empty()) return counts;
  const double n = static_cast<double>(load.size());
  quality.link_load_mean = total / n;
  quality.link_load_sd =
      std::sqrt(std::max(0.0, squares / n - quality.link_load_mean * quality.link_load_mean));
  return counts;
}

void add_bounds(const Fabric& fabric, const LinkRates& rates, const Counts& counts,
                unsigned threads, Quality& quality) {
  const bool shortest = quality.nonminimal == 0;
  const BoundPaths paths = shortest ? BoundPaths::kFewestHops : BoundPaths::kAny;
  if (bound_steps(fabric, paths) == 0) {
    quality.link_load_bound_basis = "not computed: the fabric is too large";
    return;
  }
  LoadBound bound = least_load(fabric, counts.load, paths, threads);
  if (bound.pairs != counts.paths) {
    quality.link_load_bound_basis =
        fmt::format("not computed: {} paths are missing", bound.pairs - counts.paths);
    return;
  }
  quality.link_load_bound = bound.paths;
  quality.link_load_bound_basis = shortest ? "shortest paths" : "any paths";
  const bool equal = std::ranges::adjacent_find(rates.channels, std::ranges::not_equal_to()) ==
                     rates.channels.end();
  LoadBound timed = equal ? bound : least_load(fabric, counts.load, paths, threads, rates.channels);
  quality.timed_load_bound = equal ? static_cast<double>(bound.paths) : timed.timed;
  quality.bound_lengths = std::move(bound.lengths);
  quality.timed_bound_lengths = std::move(timed.lengths);
  quality.alltoall_bound = all_to_all(rates, *quality.timed_load_bound, counts.paths);
}

void add_worst_permutation(const Fabric& fabric, const Routes& routes, const LinkRates& rates,
                           unsigned threads, Quality& quality) {
  if (std::uint64_t{fabric.switch_count()} * rates.hosts.size() > kPermutationPairsMost) return;
  const auto network = network_of(fabric, routes.lfts);
  if (!network) return;
  std::vector<std::uint32_t> all(network->host_count());
  std::iota(all.begin(), all.end(), 0u);
  const double fastest = rates.channels.empty() ? 1 : std::ranges::max(rates.channels);
  std::uint32_t most = 0;
  double most_timed = 0;
  for (const ChannelBound& bound : permutation_bounds(*network, all, threads)) {
    const NetChannel& channel = network->channel(bound.channel);
    if (network->is_host(channel.from) || network->is_host(channel.to)) continue;
    most = std::max(most, bound.flows);
    most_timed = std::max(most_timed, bound.flows * fastest / std::max(1u, channel.rate));
  }
  quality.permutation_flows = most;
  quality.timed_permutation_flows = most_timed;
}

void add_adaptive(const Fabric& fabric, const Routes& routes, const PortMap& map,
                  std::span<const EndportId> hosts, const LinkRates& rates,
                  const QualityOptions& options, Quality& quality) {
  const auto ports = several_ports(fabric, hosts);
  DrawFlows draw = matchings(ports.empty() ? hosts.size() : ports.size(), options.seed);
  if (!ports.empty()) draw = between_ports(std::move(draw), ports);
  quality.adaptive_matchings = adaptive_bandwidths(fabric, routes, map, hosts, rates,
                                                   options.matchings, draw, options.threads);
  const Statistics all = statistics(quality.adaptive_matchings);
  quality.ebb_adaptive = all.mean;
  quality.ebb_adaptive_error = all.error99;
}

}  // namespace

Quality assess(const Fabric& fabric, const Routes& routes, const QualityOptions& options) {
  const auto hosts = traffic_hosts(fabric);
  Quality quality;
  if (hosts.size() < 2) return quality;
  const PortMap map(fabric);
  const LinkRates rates = link_rates(fabric, hosts);
  const Counts counts = count_paths(fabric, routes, map, hosts, rates, options, quality);
  if (options.permutations) add_worst_permutation(fabric, routes, rates, options.threads, quality);
  if (options.lid_paths)
    quality.lid_paths = assess_lid_paths(fabric, routes.lfts, hosts, options.threads);
  if (options.bound) add_bounds(fabric, rates, counts, options.threads, quality);
  if (routes.adaptive) add_adaptive(fabric, routes, map, hosts, rates, options, quality);
  return quality;
}

}  // namespace weft
