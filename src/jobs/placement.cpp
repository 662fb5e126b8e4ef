// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/placement.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/file.h"
#include "base/text.h"
#include "congestion/host_names.h"
#include "congestion/selection.h"
#include "fabric/formats/slurm_topology.h"

namespace weft::jobs {
namespace {

/// The number of an adapter in the last word of a description, such as "HCA-2" or "mlx5_3".
std::optional<std::uint32_t> adapter_number(std::string_view word) {
  const std::size_t digits = word.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == word.size()) return std::nullopt;
  if (word[digits] != '-' && word[digits] != '_') return std::nullopt;
  return parse_number<std::uint32_t>(word.substr(digits + 1));
}

/// Splits a description that ends with the number of an adapter into the part before and the
/// number.
std::optional<std::pair<std::string, std::uint32_t>> adapter_of(const NetNode& node) {
  const std::size_t blank = node.label.rfind(' ');
  if (blank == std::string::npos || blank == 0) return std::nullopt;
  const auto number = adapter_number(std::string_view(node.label).substr(blank + 1));
  if (!number) return std::nullopt;
  return std::pair(node.label.substr(0, blank), *number);
}

/// Returns a key that is equal for all hosts of a server, and the number that orders these hosts.
std::pair<std::string, std::uint32_t> server_key(const NetNode& node) {
  if (auto adapter = adapter_of(node)) return *std::move(adapter);
  if (node.guid != Guid{}) return {fmt::format("{:016x}", node.guid.value()), 0};
  return {node.name, 0};
}

/// Orders the servers without a taken host as the placement of the job requires.
std::vector<std::uint32_t> server_order(const JobSpec& job, const Servers& servers,
                                        const std::vector<bool>& taken, Rng& rng) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t s = 0; s < servers.hosts.size(); ++s)
    if (std::ranges::none_of(servers.hosts[s], [&](std::uint32_t host) { return taken[host]; }))
      order.push_back(s);
  if (job.placement.kind == PlacementKind::kRandom) rng.shuffle(std::span(order));
  if (job.placement.kind != PlacementKind::kFragmented) return order;
  const std::uint32_t size = job.placement.fragment;
  const auto count = static_cast<std::uint32_t>((order.size() + size - 1) / size);
  std::vector<std::uint32_t> shuffled;
  for (const std::uint32_t f : rng.permutation(count))
    for (std::size_t i = std::size_t{f} * size;
         i < std::min(order.size(), (std::size_t{f} + 1) * size); ++i)
      shuffled.push_back(order[i]);
  return shuffled;
}

Result<std::vector<std::uint32_t>> listed_hosts(const RoutedNetwork& network, const JobSpec& job,
                                                const std::vector<bool>& taken) {
  const auto names = listed_names(job.placement.hosts, job.where + ": hosts");
  if (!names) return forward(names);
  const HostNames index(network);
  std::vector<std::uint32_t> hosts;
  std::vector<bool> listed(network.host_count());
  for (const std::string& name : *names) {
    const std::uint32_t host = index.find(name);
    const auto refuse = [&](std::string_view reason) {
      return fail(Code::kBadInput, "{}: host {} {}", job.where, weft::quoted(name), reason);
    };
    if (host == RoutedNetwork::kNone) return refuse("is not in the fabric");
    if (host == HostNames::kSeveral) return refuse("is the name of several hosts");
    if (listed[host]) return refuse("is listed twice");
    if (taken[host]) return refuse("has ranks of another job");
    listed[host] = true;
    hosts.push_back(host);
  }
  return hosts;
}

std::vector<std::uint32_t> rails_first(const Servers& servers,
                                       const std::vector<std::uint32_t>& order, std::size_t count) {
  std::size_t rails = 0;
  for (const std::uint32_t s : order) rails = std::max(rails, servers.hosts[s].size());
  // Uses only as many servers as are needed if all their rails are used.
  std::size_t used = 0;
  for (std::size_t hosts = 0; used < order.size() && hosts < count; ++used)
    hosts += servers.hosts[order[used]].size();
  std::vector<std::uint32_t> hosts;
  for (std::size_t rail = 0; rail < rails; ++rail)
    for (std::size_t i = 0; i < used; ++i)
      if (rail < servers.hosts[order[i]].size()) hosts.push_back(servers.hosts[order[i]][rail]);
  return hosts;
}

}  // namespace

Result<std::vector<std::string>> listed_names(const std::string& hosts, const std::string& where) {
  std::vector<std::string> names;
  if (hosts.starts_with("file:")) {
    const auto take = [&](const LineReader&, std::string_view line) -> Status {
      const std::string_view name = trim(line.substr(0, line.find('#')));
      if (!name.empty()) names.emplace_back(name);
      return {};
    };
    if (auto status = for_each_line(hosts.substr(5), take); !status) return forward(status);
    return names;
  }
  std::size_t left = 1 << 20;
  auto items = expand_hostlist(hosts, left);
  if (!items) return fail(Code::kBadInput, "{}: {}", where, items.error().message);
  for (HostlistItem& item : *items)
    for (std::string& name : item.names) names.push_back(std::move(name));
  return names;
}

std::string server_name(const NetNode& node) {
  if (const auto adapter = adapter_of(node)) return adapter->first;
  return node.label.empty() ? node.name : node.label;
}

Servers find_servers(const RoutedNetwork& network, std::uint32_t server_hosts) {
  Servers servers;
  servers.of_host.resize(network.host_count());
  std::map<std::string, std::uint32_t> by_key;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> numbered;
  const auto order = bfs_order(network);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    auto [key, number] = server_key(network.node(network.node_of_host(order[i])));
    if (server_hosts > 0) {
      key = std::to_string(i / server_hosts);
      number = 0;
    }
    const auto [at, is_new] = by_key.try_emplace(key, static_cast<std::uint32_t>(by_key.size()));
    if (is_new) numbered.emplace_back();
    numbered[at->second].emplace_back(number, order[i]);
    servers.of_host[order[i]] = at->second;
  }
  for (auto& hosts : numbered) {
    std::ranges::stable_sort(hosts, std::ranges::less{},
                             &std::pair<std::uint32_t, std::uint32_t>::first);
    servers.hosts.emplace_back();
    for (const auto& [number, host] : hosts) servers.hosts.back().push_back(host);
  }
  return servers;
}

tl::unexpected<Error> error_of_missing_hosts(const JobSpec& job, std::size_t found,
                                             std::size_t wanted, std::uint32_t ranks) {
  if (ranks == 0)
    return fail(Code::kBadInput, "{}: found {} free hosts, expected at least 1", job.where, found);
  return fail(Code::kBadInput, "{}: found {} free hosts, expected {} for {} ranks", job.where,
              found, wanted, ranks);
}

Result<std::vector<RankPlace>> place_ranks(const RoutedNetwork& network, const JobSpec& job,
                                           const Servers& servers, std::uint32_t ranks,
                                           std::vector<bool>& taken, Rng rng) {
  const std::uint32_t per_host = job.placement.ranks_per_host;
  std::size_t wanted = (std::size_t{ranks} + per_host - 1) / per_host;
  std::vector<std::uint32_t> hosts;
  if (job.placement.kind == PlacementKind::kListed) {
    auto listed = listed_hosts(network, job, taken);
    if (!listed) return forward(listed);
    hosts = std::move(*listed);
  } else if (job.placement.kind == PlacementKind::kChosen) {
    hosts = job.placement.chosen;
  } else {
    const auto order = server_order(job, servers, taken, rng);
    std::size_t free = 0;
    for (const std::uint32_t s : order) free += servers.hosts[s].size();
    if (wanted == 0) wanted = free;
    if (job.placement.kind == PlacementKind::kRail)
      hosts = rails_first(servers, order, std::min(wanted, free));
    else
      for (const std::uint32_t s : order)
        hosts.insert(hosts.end(), servers.hosts[s].begin(), servers.hosts[s].end());
  }
  if (wanted == 0) wanted = hosts.size();
  if (hosts.size() < wanted || hosts.empty())
    return error_of_missing_hosts(job, hosts.size(), wanted, ranks);
  hosts.resize(wanted);
  const std::size_t count = ranks == 0 ? wanted * per_host : ranks;
  std::vector<RankPlace> places;
  for (std::size_t r = 0; r < count; ++r) {
    const std::uint32_t host = hosts[r / per_host];
    const std::uint32_t server = servers.of_host[host];
    const auto rail = std::ranges::find(servers.hosts[server], host);
    places.push_back(
        {host, server, static_cast<std::uint32_t>(rail - servers.hosts[server].begin())});
    taken[host] = true;
  }
  return places;
}

}  // namespace weft::jobs
