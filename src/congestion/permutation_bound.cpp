// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/permutation_bound.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"

namespace weft {
namespace {

constexpr std::uint32_t kNoIndex = RoutedNetwork::kNone;

/// Hosts with routes that differ in their first channel only: hosts with one uplink, to the same
/// switch.
struct Group {
  std::uint32_t node = 0;  // first node on all routes; an AR-capable host itself
  std::vector<std::uint32_t> hosts;
};

std::vector<Group> groups_of(const RoutedNetwork& network, std::span<const std::uint32_t> hosts) {
  std::vector<std::uint32_t> group_at(network.node_count(), kNoIndex);
  std::vector<Group> groups;
  for (const std::uint32_t host : hosts) {
    const std::uint32_t node = network.node_of_host(host);
    const std::uint32_t out = network.only_channel()[node];
    const std::uint32_t start = out == kNoIndex ? node : network.channel(out).to;
    if (out == kNoIndex && node >= network.rows()) continue;  // sends nothing
    if (group_at[start] == kNoIndex) {
      group_at[start] = static_cast<std::uint32_t>(groups.size());
      groups.push_back({start, {}});
    }
    groups[group_at[start]].hosts.push_back(host);
  }
  return groups;
}

/// Matches groups, each as often as it has hosts, with destinations.
class Matching {
 public:
  explicit Matching(std::span<const std::uint32_t> sizes)
      : sizes_(sizes), taken_(sizes.size()), reached_groups_(sizes.size(), 0) {}

  /// `choices` has at indices `ends[d]` to `ends[d + 1] - 1` the groups that reach destination d.
  /// Searches no further chains (augment()) when `enough` destinations are matched. Returns the
  /// number of matched destinations.
  std::uint32_t run(std::span<const std::uint32_t> ends, std::span<const std::uint32_t> choices,
                    std::uint32_t enough) {
    ends_ = ends;
    choices_ = choices;
    const auto destinations = static_cast<std::uint32_t>(ends.size() - 1);
    partner_.assign(destinations, kNoIndex);
    std::uint32_t matched = 0;
    for (std::uint32_t d = 0; d < destinations; ++d)
      for (std::uint32_t i = ends[d]; i < ends[d + 1] && partner_[d] == kNoIndex; ++i)
        if (taken_[choices[i]].size() < sizes_[choices[i]]) matched += take(d, choices[i]);
    for (std::uint32_t d = 0; d < destinations && matched < enough; ++d)
      if (partner_[d] == kNoIndex) matched += augment(d);
    return matched;
  }
  /// The matched group of each destination; kNoIndex: none.
  std::span<const std::uint32_t> partners() const { return partner_; }
  /// Resets the matching for another channel.
  void clear() {
    for (const std::uint32_t group : partner_)
      if (group != kNoIndex) taken_[group].clear();
  }

 private:
  std::uint32_t take(std::uint32_t destination, std::uint32_t group) {
    partner_[destination] = group;
    taken_[group].push_back(destination);
    return 1;
  }

  /// Matches the destination by a shortest chain of destinations that change their group; the last
  /// group of the chain has a free host. Returns 1, or 0 if there is no such chain.
  std::uint32_t augment(std::uint32_t destination) {
    ++search_;
    struct ChainStep {
      std::uint32_t destination, group, before;
    };
    std::vector<ChainStep> queue;
    const auto reach = [&](std::uint32_t d, std::uint32_t before) -> bool {
      for (std::uint32_t i = ends_[d]; i < ends_[d + 1]; ++i) {
        const std::uint32_t group = choices_[i];
        if (reached_groups_[group] == search_) continue;
        reached_groups_[group] = search_;
        queue.push_back({d, group, before});
        if (taken_[group].size() < sizes_[group]) return true;
      }
      return false;
    };
    bool found = reach(destination, kNoIndex);
    for (std::uint32_t q = 0; !found && q < queue.size(); ++q)
      for (const std::uint32_t d : taken_[queue[q].group])
        if (reach(d, q)) {
          found = true;
          break;
        }
    if (!found) return 0;
    for (auto at = static_cast<std::uint32_t>(queue.size() - 1); at != kNoIndex;
         at = queue[at].before) {
      const ChainStep step = queue[at];
      if (partner_[step.destination] != kNoIndex)
        std::erase(taken_[partner_[step.destination]], step.destination);
      take(step.destination, step.group);
    }
    return 1;
  }

  std::span<const std::uint32_t> sizes_;
  std::vector<std::vector<std::uint32_t>> taken_;  // by group, its destinations
  std::vector<std::uint32_t> reached_groups_;
  std::uint32_t search_ = 0;
  std::span<const std::uint32_t> ends_;
  std::span<const std::uint32_t> choices_;
  std::vector<std::uint32_t> partner_;
};

/// The routes from groups to hosts: which destinations and groups use each channel.
class Crossings {
 public:
  Crossings(const RoutedNetwork& network, std::span<const std::uint32_t> hosts)
      : network_(network), hosts_(hosts), groups_(groups_of(network, hosts)) {
    group_of_.assign(network.host_count(), kNoIndex);
    for (const Group& group : groups_) {
      for (const std::uint32_t host : group.hosts)
        group_of_[host] = static_cast<std::uint32_t>(sizes_.size());
      sizes_.push_back(static_cast<std::uint32_t>(group.hosts.size()));
    }
  }

  const std::vector<Group>& groups() const { return groups_; }
  std::span<const std::uint32_t> sizes() const { return sizes_; }
  /// The group of a host; kNoIndex if the host sends nothing.
  std::uint32_t group_of(std::uint32_t host) const { return group_of_[host]; }
  /// Number of hosts in `of_groups`, the groups that use the channel, without the host at the end
  /// of the channel.
  std::uint32_t sources(std::uint32_t channel, std::span<const std::uint32_t> of_groups) const {
    const std::uint32_t head = network_.channel_heads()[channel];
    const std::uint32_t own =
        network_.is_host(head) ? group_of_[network_.host_of_node(head)] : kNoIndex;
    std::uint32_t sum = 0;
    for (const std::uint32_t group : of_groups) sum += sizes_[group] - (group == own ? 1 : 0);
    return sum;
  }

  /// Calls take(channel, index of the destination, group), by destination, then group. Routes begin
  /// at the node of the group: the channels from hosts to their switch are omitted.
  template <class Take>
  void for_each(const Take& take) const {
    std::vector<std::uint32_t> route;
    for (std::uint32_t d = 0; d < hosts_.size(); ++d)
      for (std::uint32_t g = 0; g < groups_.size(); ++g) {
        const bool alone = sizes_[g] == 1 && groups_[g].hosts[0] == hosts_[d];
        if (!alone && walk(groups_[g].node, hosts_[d], route))
          for (const std::uint32_t channel : route) take(channel, d, g);
      }
  }

 private:
  bool walk(std::uint32_t at, std::uint32_t to, std::vector<std::uint32_t>& route) const {
    route.clear();
    const std::uint32_t goal = network_.node_of_host(to);
    while (at != goal) {
      const std::uint32_t channel = network_.next(at, to);
      if (channel == kNoIndex || route.size() > network_.node_count()) return false;
      route.push_back(channel);
      at = network_.channel_heads()[channel];
    }
    return true;
  }

  const RoutedNetwork& network_;
  std::span<const std::uint32_t> hosts_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> sizes_;     // by group
  std::vector<std::uint32_t> group_of_;  // by host
};

/// The routes over one channel as lists of groups by destination.
struct Lists {
  std::vector<std::uint32_t> destinations;  // indices of hosts
  std::vector<std::uint32_t> ends{0};
  std::vector<std::uint32_t> choices;

  void add(std::uint32_t destination, std::uint32_t group) {
    if (destinations.empty() || destinations.back() != destination) {
      destinations.push_back(destination);
      ends.push_back(ends.back());
    }
    choices.push_back(group);
    ++ends.back();
  }
};

ChannelBound bound_of(std::uint32_t channel, const Lists& lists, const Crossings& crossings,
                      Matching& matching) {
  ChannelBound bound;
  bound.channel = channel;
  bound.destinations = static_cast<std::uint32_t>(lists.destinations.size());
  std::vector<std::uint32_t> groups = lists.choices;
  std::ranges::sort(groups);
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  bound.sources = crossings.sources(channel, groups);
  bound.flows =
      matching.run(lists.ends, lists.choices, std::min(bound.sources, bound.destinations));
  matching.clear();
  return bound;
}

/// The channel of a host to its switch carries at most one message, that of the host.
void bound_injections(const RoutedNetwork& network, const Crossings& crossings,
                      std::span<const std::uint32_t> hosts, std::vector<ChannelBound>& bounds) {
  std::vector<std::uint32_t> reached(crossings.groups().size(), 0);
  std::vector<std::uint32_t> last(crossings.groups().size(), kNoIndex);
  crossings.for_each([&](std::uint32_t, std::uint32_t d, std::uint32_t g) {
    reached[g] += last[g] == d ? 0 : 1;
    last[g] = d;
  });
  std::vector<bool> is_chosen(network.host_count());
  for (const std::uint32_t host : hosts) is_chosen[host] = true;
  for (std::uint32_t g = 0; g < crossings.groups().size(); ++g)
    for (const std::uint32_t host : crossings.groups()[g].hosts) {
      const std::uint32_t out = network.only_channel()[network.node_of_host(host)];
      if (out == kNoIndex) continue;
      // If the group has other hosts, it also has a source for messages to the host itself.
      const bool itself = crossings.sizes()[g] > 1 && is_chosen[host] &&
                          network.next(network.channel(out).to, host) != kNoIndex;
      const std::uint32_t others = reached[g] - (itself ? 1 : 0);
      if (others > 0) bounds[out] = {out, 1, others, 1};
    }
}

}  // namespace

std::vector<ChannelBound> permutation_bounds(const RoutedNetwork& network,
                                             std::span<const std::uint32_t> hosts,
                                             unsigned threads) {
  constexpr std::uint64_t kAtOnce = 1 << 24;  // pairs of destination and group in memory
  const Crossings crossings(network, hosts);
  std::vector<ChannelBound> bounds(network.channel_count());
  std::vector<std::uint64_t> count(network.channel_count(), 0);
  for (std::uint32_t c = 0; c < bounds.size(); ++c) bounds[c].channel = c;
  crossings.for_each(
      [&](std::uint32_t channel, std::uint32_t, std::uint32_t) { ++count[channel]; });
  std::vector<Lists> lists;
  for (std::uint32_t begin = 0; begin < bounds.size();) {
    std::uint32_t end = begin;
    for (std::uint64_t sum = 0; end < bounds.size() && (end == begin || sum <= kAtOnce); ++end)
      sum += count[end];
    lists.assign(end - begin, {});
    crossings.for_each([&](std::uint32_t channel, std::uint32_t d, std::uint32_t g) {
      if (channel >= begin && channel < end) lists[channel - begin].add(d, g);
    });
    parallel_blocks(lists.size(), 64, threads, [&](std::size_t from, std::size_t to) {
      Matching matching(crossings.sizes());
      for (std::size_t i = from; i < to; ++i)
        bounds[begin + i] =
            bound_of(begin + static_cast<std::uint32_t>(i), lists[i], crossings, matching);
    });
    begin = end;
  }
  bound_injections(network, crossings, hosts, bounds);
  return bounds;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> worst_pairs(
    const RoutedNetwork& network, std::span<const std::uint32_t> hosts, std::uint32_t channel) {
  const Crossings crossings(network, hosts);
  Lists lists;
  crossings.for_each([&](std::uint32_t crossed, std::uint32_t d, std::uint32_t g) {
    if (crossed == channel) lists.add(d, g);
  });
  Matching matching(crossings.sizes());
  matching.run(lists.ends, lists.choices, static_cast<std::uint32_t>(hosts.size()));
  std::vector<std::vector<std::uint32_t>> sources;  // unmatched, by group
  for (const Group& group : crossings.groups()) sources.push_back(group.hosts);
  // Destinations that are hosts of the matched group are first, while another host of the group is
  // unmatched.
  std::vector<std::size_t> order(lists.destinations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(), [&](std::size_t i) {
    return crossings.group_of(hosts[lists.destinations[i]]) == matching.partners()[i];
  });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const std::size_t i : order) {
    const std::uint32_t group = matching.partners()[i];
    if (group == kNoIndex) continue;
    std::vector<std::uint32_t>& free = sources[group];
    const std::uint32_t to = hosts[lists.destinations[i]];
    if (free.back() == to) std::swap(free.back(), free.front());
    pairs.emplace_back(free.back(), to);
    free.pop_back();
  }
  return pairs;
}

}  // namespace weft
