// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "credits/random_traffic.h"

#include <utility>

#include "base/check.h"

namespace weft::credits {

HostPaths::HostPaths(const Fabric& fabric, const Routes& routes)
    : hosts_(fabric.hosts()),
      index_(fabric.endport_count(), 0),
      requests_(hosts_.size() * hosts_.size()),
      replies_(requests_.size()) {
  for (std::size_t i = 0; i < hosts_.size(); ++i) index_[hosts_[i].value()] = i;
  for (std::size_t from = 0; from < hosts_.size(); ++from) {
    for (std::size_t to = 0; to < hosts_.size(); ++to) {
      if (from == to) continue;
      const Lid lid = fabric.endport(hosts_[to]).lid;
      const Sl sl = routes.path_sl.sl(fabric, hosts_[from], lid);
      auto request = lane_path(fabric, routes, hosts_[from], lid, sl);
      auto reply = lane_path(fabric, routes, hosts_[to], fabric.endport(hosts_[from]).lid, sl);
      CHECK(request && reply);
      requests_[from * hosts_.size() + to] = std::move(*request);
      replies_[from * hosts_.size() + to] = std::move(*reply);
    }
  }
}

Traffic uniform_traffic(const HostPaths& paths, bool replies) {
  return [&paths, replies](EndportId source, Rng& rng) {
    const std::size_t from = paths.index_of(source);
    std::size_t to = rng.below(paths.hosts().size() - 1);
    if (to >= from) ++to;
    return Demand{&paths.request(from, to), replies ? &paths.reply(from, to) : nullptr};
  };
}

Traffic matched_traffic(const HostPaths& paths, std::uint64_t seed) {
  const std::size_t hosts = paths.hosts().size();
  const auto order = Rng(seed).permutation(static_cast<std::uint32_t>(hosts));
  std::vector<std::size_t> partner(hosts);
  for (std::size_t i = 0; i < hosts; ++i) partner[i] = i;
  for (std::size_t i = 0; i + 1 < hosts; i += 2) {
    partner[order[i]] = order[i + 1];
    partner[order[i + 1]] = order[i];
  }
  return [&paths, partner = std::move(partner)](EndportId source, Rng&) {
    const std::size_t from = paths.index_of(source);
    if (partner[from] == from) return Demand{};
    return Demand{&paths.request(from, partner[from]), nullptr};
  };
}

double throughput(const Fabric& fabric, const HostPaths& paths, const Traffic& traffic,
                  CreditOptions options, CreditSimulator::Time flits) {
  CreditSimulator simulator(fabric, paths.hosts(), traffic, options);
  simulator.run(flits);
  const std::uint64_t before = simulator.delivered();
  simulator.run(flits);
  return static_cast<double>((simulator.delivered() - before) * options.flits) /
         static_cast<double>(flits * paths.hosts().size());
}

}  // namespace weft::credits
