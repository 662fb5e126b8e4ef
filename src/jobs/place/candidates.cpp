// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/place/candidates.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace weft::jobs {
namespace {

constexpr std::size_t kSeedLeavesMax = 64;
constexpr std::size_t kTourLeavesMax = 256;  // limit, since tour_of() compares all pairs

/// Number of channels on shortest paths from a node to each node.
std::vector<std::uint32_t> distances_from(const RoutedNetwork& network, std::uint32_t node) {
  std::vector<std::uint32_t> distance(network.node_count(), RoutedNetwork::kNone);
  std::vector<std::uint32_t> queue{node};
  distance[node] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const NetChannel& channel : network.channels_from(queue[i])) {
      if (distance[channel.to] != RoutedNetwork::kNone) continue;
      distance[channel.to] = distance[queue[i]] + 1;
      queue.push_back(channel.to);
    }
  return distance;
}

/// Free servers by the switch of their first host.
class Leaves {
 public:
  Leaves(const RoutedNetwork& network, std::span<const FreeServer> servers) : network_(network) {
    std::map<std::uint32_t, std::uint32_t> by_node;
    for (std::uint32_t s = 0; s < servers.size(); ++s) {
      const std::uint32_t host = network.node_of_host(servers[s].hosts.front());
      const auto channels = network.channels_from(host);
      const std::uint32_t node = channels.empty() ? host : channels.front().to;
      const auto [at, is_new] = by_node.try_emplace(node, static_cast<std::uint32_t>(node_.size()));
      if (is_new) {
        node_.push_back(node);
        servers_.push_back(0);
      }
      of_server_.push_back(at->second);
      place_.push_back(servers_[at->second]++);
    }
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(node_.size()); }
  std::uint32_t of(std::uint32_t server) const { return of_server_[server]; }
  /// The negative number of free servers of the server's leaf, as a sort key: leaves with more free
  /// servers come first.
  std::int64_t negative_free_servers(std::uint32_t server) const {
    return -std::int64_t{servers_[of_server_[server]]};
  }
  /// The position of a server in its leaf.
  std::uint32_t place(std::uint32_t server) const { return place_[server]; }

  /// Distances from a leaf to all leaves.
  std::vector<std::uint32_t> distances(std::uint32_t leaf) const {
    const auto all = distances_from(network_, node_[leaf]);
    std::vector<std::uint32_t> to;
    for (const std::uint32_t node : node_) to.push_back(all[node]);
    return to;
  }

 private:
  const RoutedNetwork& network_;
  std::vector<std::uint32_t> node_;     // by leaf, in the order of servers
  std::vector<std::uint32_t> servers_;  // by leaf: number of servers
  std::vector<std::uint32_t> of_server_;
  std::vector<std::uint32_t> place_;
};

/// Returns the leaves in the order of a short tour. At first, each next leaf is the nearest
/// remaining leaf; then parts of the tour are reversed while this makes the tour shorter. More than
/// kTourLeavesMax leaves keep their order.
std::vector<std::uint32_t> tour_of(const Leaves& leaves, std::vector<std::uint32_t> tour) {
  if (tour.size() > kTourLeavesMax || tour.size() < 3) return tour;
  std::map<std::uint32_t, std::vector<std::uint32_t>> distance;
  for (const std::uint32_t leaf : tour) distance[leaf] = leaves.distances(leaf);
  for (std::size_t i = 1; i < tour.size(); ++i) {
    const auto& from_last = distance[tour[i - 1]];
    const auto rest = std::span(tour).subspan(i);
    const auto nearest = std::ranges::min_element(
        rest, std::ranges::less{}, [&](std::uint32_t leaf) { return from_last[leaf]; });
    std::rotate(rest.begin(), nearest, nearest + 1);
  }
  const auto between = [&](std::size_t a, std::size_t b) {
    return std::int64_t{distance[tour[a % tour.size()]][tour[b % tour.size()]]};
  };
  for (bool is_better = true; is_better;) {
    is_better = false;
    for (std::size_t i = 0; i + 2 < tour.size(); ++i)
      for (std::size_t j = i + 2; j < tour.size(); ++j) {
        if (i == 0 && j + 1 == tour.size()) continue;
        const std::int64_t before = between(i, i + 1) + between(j, j + 1);
        if (between(i, j) + between(i + 1, j + 1) >= before) continue;
        std::reverse(tour.begin() + static_cast<std::ptrdiff_t>(i + 1),
                     tour.begin() + static_cast<std::ptrdiff_t>(j + 1));
        is_better = true;
      }
  }
  return tour;
}

/// Sorts the first `used` servers of an order by leaf, in the order of a short tour.
void follow_tour(const Leaves& leaves, ServerOrder& order, std::size_t used) {
  std::vector<std::uint32_t> chosen;
  std::vector<std::uint32_t> place(leaves.count(), RoutedNetwork::kNone);
  for (std::size_t i = 0; i < used; ++i) {
    const std::uint32_t leaf = leaves.of(order[i]);
    if (place[leaf] != RoutedNetwork::kNone) continue;
    place[leaf] = 0;
    chosen.push_back(leaf);
  }
  const auto tour = tour_of(leaves, std::move(chosen));
  for (std::uint32_t i = 0; i < tour.size(); ++i) place[tour[i]] = i;
  std::ranges::stable_sort(std::span(order).first(used), std::ranges::less{},
                           [&](std::uint32_t server) { return place[leaves.of(server)]; });
}

}  // namespace

std::size_t servers_used(std::span<const FreeServer> servers, const ServerOrder& order,
                         std::size_t hosts) {
  std::size_t used = 0;
  for (std::size_t found = 0; used < order.size() && found < hosts; ++used)
    found += servers[order[used]].hosts.size();
  return used;
}

std::vector<std::uint32_t> hosts_in_order(std::span<const FreeServer> servers,
                                          const ServerOrder& order, std::size_t hosts) {
  std::vector<std::uint32_t> list;
  for (const std::uint32_t server : order) {
    list.insert(list.end(), servers[server].hosts.begin(), servers[server].hosts.end());
    if (list.size() >= hosts) break;
  }
  list.resize(std::min(list.size(), hosts));
  return list;
}

std::vector<ServerOrder> candidate_orders(const RoutedNetwork& network,
                                          std::span<const FreeServer> servers, std::size_t hosts,
                                          Rng rng) {
  const Leaves leaves(network, servers);
  std::vector<ServerOrder> orders;
  const auto add = [&](const ServerOrder& order) {
    if (std::ranges::find(orders, order) == orders.end()) orders.push_back(order);
  };
  const auto add_sorted = [&](const auto& key) {
    ServerOrder order(servers.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::ranges::less{}, key);
    const std::size_t used = servers_used(servers, order, hosts);
    std::ranges::sort(std::span(order).first(used));
    add(order);
    follow_tour(leaves, order, used);
    add(order);
  };
  add_sorted([](std::uint32_t) { return 0; });
  add_sorted(
      [&](std::uint32_t s) { return std::tuple(leaves.negative_free_servers(s), leaves.of(s)); });
  add_sorted([&](std::uint32_t s) { return leaves.place(s); });
  auto seeds = rng.permutation(leaves.count());
  seeds.resize(std::min(seeds.size(), kSeedLeavesMax));
  std::ranges::sort(seeds);
  for (const std::uint32_t seed : seeds) {
    const auto distance = leaves.distances(seed);
    add_sorted([&](std::uint32_t s) {
      return std::tuple(distance[leaves.of(s)], leaves.negative_free_servers(s), leaves.of(s));
    });
  }
  return orders;
}

}  // namespace weft::jobs
