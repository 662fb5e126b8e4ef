// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as a routed graph for the simulator, a list of hosts and a pattern, separated by
// lines "%%". Each path of an accepted graph is a sequence of adjacent channels and ends at its
// destination if the walk arrives; encoding and decoding do not change a graph of fewer than 1,000
// nodes; the pattern has messages between ranks of the listed hosts only.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/text.h"
#include "congestion/dot_echo.h"
#include "congestion/pattern.h"
#include "congestion/routed_network.h"
#include "congestion/selection.h"
#include "fuzz_target.h"

namespace {

using namespace weft;

void walk_all(const RoutedNetwork& network) {
  std::vector<std::uint32_t> route;
  const std::uint32_t hosts = std::min(network.host_count(), 16u);
  for (std::uint32_t from = 0; from < hosts; ++from)
    for (std::uint32_t to = 0; to < hosts; ++to) {
      const NetWalk walk = network.walk(from, to, 0, route);
      std::uint32_t at = network.node_of_host(from);
      for (const std::uint32_t channel : route) {
        if (network.channel(channel).from != at) std::abort();
        at = network.channel(channel).to;
      }
      if (walk.end == NetWalkEnd::kArrived && at != network.node_of_host(to)) std::abort();
      if (route.size() > network.node_count() + 1) std::abort();
    }
}

void draw_pattern(const RoutedNetwork& network, const std::string& text,
                  const std::vector<std::uint32_t>& hosts) {
  PatternSpec spec;
  spec.name = text;
  PatternInput input;
  input.ranks = static_cast<std::uint32_t>(hosts.size());
  input.network = &network;
  input.hosts = hosts;
  const auto pattern = make_pattern(spec, input);
  if (!pattern) {
    if (pattern.error().message.empty()) std::abort();
    return;
  }
  std::vector<Flow> flows;
  for (std::uint64_t level = 0; level < std::min<std::uint64_t>(pattern->levels, 8); ++level) {
    pattern->fill(level, flows);
    for (const Flow& flow : flows)
      if (flow.from >= pattern->ranks || flow.to >= pattern->ranks) std::abort();
  }
}

}  // namespace

WEFT_FUZZ_TARGET(routed_dot, data, size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  const std::size_t second = std::min(all.find("\n%%\n"), all.size());
  const std::size_t third = std::min(all.find("\n%%\n", second + 1), all.size());
  const auto part = [&](std::size_t begin, std::size_t end) {
    return begin + 4 <= end ? all.substr(begin + 4, end - begin - 4) : std::string();
  };
  LineReader lines = LineReader::over(all.substr(0, second), "graph");
  Warnings warnings;
  const auto network = read_routed_dot(lines, warnings);
  if (!network) {
    if (network.error().message.find("graph") == std::string::npos) std::abort();
    return 0;
  }
  walk_all(*network);
  if (network->node_count() < 1000 && network->host_count() < 1000) {
    const auto copy = RoutedNetwork::from_bytes(network->to_bytes());
    if (!copy || !(*copy == *network)) std::abort();
  }
  SubsetSpec subset;
  const std::string names = part(second, third);
  for (const std::string_view name : split(names, '\n'))
    if (!name.empty()) subset.names.emplace_back(name);
  if (!subset.names.empty()) subset.kind = Subset::kListed;
  const auto hosts = choose_hosts(*network, subset, 0, Rng(1));
  if (!hosts) {
    if (hosts.error().message.empty()) std::abort();
    return 0;
  }
  if (hosts->size() <= 64) draw_pattern(*network, part(third, all.size()), *hosts);
  return 0;
}
