// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Rings. The bytes are divided among the channels. Each channel has a ring of its own. If a server
// has several ranks of the group, the ring of channel c enters and leaves servers through rail c,
// and begins within a server at the rank with index c, modulo the number of ranks in the server.
#include <algorithm>

#include "jobs/collectives/collectives.h"

namespace weft::jobs {
namespace {

/// The ranks of the group by server; servers are in the order in which they occur in the group.
std::vector<Group> by_server(const Ranks& ranks, const Group& group) {
  std::vector<Group> servers;
  std::unordered_map<std::uint32_t, std::size_t> place;
  for (const std::uint32_t rank : group) {
    const auto [at, is_new] = place.try_emplace(ranks.server(rank), servers.size());
    if (is_new) servers.emplace_back();
    servers[at->second].push_back(rank);
  }
  return servers;
}

Group ring_of(const std::vector<Group>& servers, std::uint32_t channel) {
  Group ring;
  for (const Group& server : servers)
    for (std::size_t i = 0; i < server.size(); ++i)
      ring.push_back(server[(channel + i) % server.size()]);
  return ring;
}

}  // namespace

void add_ring(Ranks& ranks, const Group& group, const CollectiveSpec& spec, std::uint32_t steps,
              std::vector<Front>& fronts) {
  const auto n = static_cast<std::uint32_t>(group.size());
  const double bytes = spec.bytes / n / spec.channels;
  const auto servers = by_server(ranks, group);
  const bool has_rails = servers.size() < group.size();
  std::vector<std::vector<OpId>> last(n);  // by index in the group, for all channels
  std::vector<std::uint32_t> place(ranks.count());
  for (std::uint32_t i = 0; i < n; ++i) place[group[i]] = i;
  for (std::uint32_t channel = 0; channel < spec.channels; ++channel) {
    const Group ring = ring_of(servers, channel);
    std::vector<std::uint32_t> connections(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t next = ring[(i + 1) % n];
      connections[i] =
          has_rails ? ranks.connect_on_rail(ring[i], next, channel) : ranks.connect(ring[i], next);
    }
    // Rank ring[i] forwards the message that it received in the previous step, after the message
    // that it sent in that step.
    std::vector<OpId> before(n), now(n);
    for (std::uint32_t step = 0; step < steps; ++step) {
      for (std::uint32_t i = 0; i < n; ++i) {
        if (step == 0) {
          now[i] = ranks.send(connections[i], bytes, fronts[ring[i]], fronts[ring[(i + 1) % n]]);
          continue;
        }
        now[i] = ranks.builder().send(connections[i], bytes);
        ranks.builder().depend(now[i], before[i]);
        ranks.builder().depend(now[i], before[(i + n - 1) % n]);
      }
      std::swap(before, now);
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      last[place[ring[i]]].push_back(before[i]);
      last[place[ring[(i + 1) % n]]].push_back(before[i]);
    }
  }
  for (std::uint32_t i = 0; i < n; ++i)
    fronts[group[i]] = last[i].size() == 2 ? Front{last[i][0], last[i][1]}
                                           : Front{ranks.builder().join(last[i]), kNoOp};
}

}  // namespace weft::jobs
