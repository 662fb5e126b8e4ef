// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/selection.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "congestion/host_names.h"

namespace weft {
namespace {

Result<std::vector<std::uint32_t>> by_guid(const RoutedNetwork& network, bool descending) {
  std::vector<std::uint32_t> hosts(network.host_count());
  std::iota(hosts.begin(), hosts.end(), 0u);
  const auto guid = [&](std::uint32_t host) {
    return network.node(network.node_of_host(host)).guid;
  };
  for (const std::uint32_t host : hosts)
    if (guid(host) == Guid{})
      return fail(Code::kBadInput,
                  "--subset by GUID: host {} has no GUID in its name, expected H and a GUID in "
                  "hexadecimal",
                  network.describe_node(network.node_of_host(host)));
  std::ranges::stable_sort(hosts, [&](std::uint32_t a, std::uint32_t b) {
    return descending ? guid(b) < guid(a) : guid(a) < guid(b);
  });
  return hosts;
}

Result<std::vector<std::uint32_t>> listed_hosts(const RoutedNetwork& network,
                                                const SubsetSpec& subset) {
  const HostNames names(network);
  std::vector<std::uint32_t> hosts;
  std::vector<bool> taken(network.host_count());
  for (const std::string& name : subset.names) {
    const std::uint32_t host = names.find(name);
    if (host == RoutedNetwork::kNone)
      return fail(Code::kBadInput, "{}: found {}, expected the name, label or GUID of a host",
                  subset.file, quoted(name));
    if (host == HostNames::kSeveral)
      return fail(Code::kBadInput,
                  "{}: found {}, the label or GUID of several hosts: expected a name", subset.file,
                  quoted(name));
    if (taken[host])
      return fail(Code::kBadInput, "{}: host {} is listed twice", subset.file, quoted(name));
    taken[host] = true;
    hosts.push_back(host);
  }
  return hosts;
}

}  // namespace

Result<SubsetSpec> parse_subset(const std::string& text) {
  if (text == "linear_bfs") return SubsetSpec{};
  if (text == "rand") return SubsetSpec{Subset::kRandom, {}, {}};
  if (text == "guid_asc") return SubsetSpec{Subset::kGuidAscending, {}, {}};
  if (text == "guid_desc") return SubsetSpec{Subset::kGuidDescending, {}, {}};
  if (!text.starts_with("file:") || text.size() == 5)
    return fail(Code::kUsage,
                "--subset: found {}, expected rand, linear_bfs, guid_asc, guid_desc or file:PATH",
                quoted(text));
  SubsetSpec spec{Subset::kListed, text.substr(5), {}};
  const auto take = [&](const LineReader&, std::string_view line) -> Status {
    const std::string_view name = trim(line.substr(0, line.find('#')));
    if (!name.empty()) spec.names.emplace_back(name);
    return {};
  };
  if (auto status = for_each_line(spec.file, take); !status) return forward(status);
  if (spec.names.empty())
    return fail(Code::kBadInput, "{}: lists no host, expected a name, label or GUID per line",
                spec.file);
  return spec;
}

std::vector<std::uint32_t> bfs_order(const RoutedNetwork& network) {
  std::vector<std::uint32_t> hosts;
  std::vector<bool> seen(network.node_count());
  std::vector<std::uint32_t> queue;
  const auto search = [&](std::uint32_t start) {
    if (seen[start]) return;
    seen[start] = true;
    queue.assign({start});
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::uint32_t at = queue[i];
      if (network.is_host(at)) hosts.push_back(network.host_of_node(at));
      for (const NetChannel& channel : network.channels_from(at)) {
        if (seen[channel.to]) continue;
        seen[channel.to] = true;
        queue.push_back(channel.to);
      }
    }
  };
  search(network.first_node());
  for (std::uint32_t host = 0; host < network.host_count(); ++host)
    search(network.node_of_host(host));
  return hosts;
}

Result<std::vector<std::uint32_t>> choose_hosts(const RoutedNetwork& network,
                                                const SubsetSpec& subset, std::uint32_t size,
                                                Rng rng) {
  Result<std::vector<std::uint32_t>> hosts;
  switch (subset.kind) {
    case Subset::kLinearBfs:
      hosts = bfs_order(network);
      break;
    case Subset::kRandom:
      hosts = rng.permutation(network.host_count());
      break;
    case Subset::kGuidAscending:
    case Subset::kGuidDescending:
      hosts = by_guid(network, subset.kind == Subset::kGuidDescending);
      break;
    case Subset::kListed:
      hosts = listed_hosts(network, subset);
      break;
  }
  if (!hosts) return hosts;
  if (size > hosts->size())
    return fail(Code::kUsage, "--commsize: found {}, expected at most the {} hosts of {}", size,
                hosts->size(), subset.kind == Subset::kListed ? subset.file : "the network");
  if (size != 0) hosts->resize(size);
  return hosts;
}

}  // namespace weft
