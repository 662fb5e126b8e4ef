// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/usage.h"

#include <algorithm>
#include <atomic>

#include "base/parallel.h"
#include "fabric/aggregation.h"
#include "routes/next_hops.h"

namespace weft {
namespace {

constexpr std::size_t kLanes = 16;

struct Source {
  SwitchId sw;
  std::uint32_t hosts = 0;
  PortNum port;  // port of the first host
};

std::vector<Source> sources_of(const Fabric& fabric) {
  std::vector<Source> sources;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    Source source{SwitchId(s), 0, {}};
    for (const EndportId id : fabric.endports_at(SwitchId(s))) {
      const Endport& host = fabric.endport(id);
      if (is_aggregation_node(fabric.node(host.node))) continue;
      if (source.hosts++ == 0) source.port = host.sw_port;
    }
    if (source.hosts > 0) sources.push_back(source);
  }
  return sources;
}

using Counters = std::vector<std::atomic<std::uint64_t>>;

/// Counts the paths from all switches with hosts to the LIDs of one block.
class Counting {
 public:
  Counting(const Fabric& fabric, const Routes& routes, const PortMap& map, bool lanes,
           Counters& load, std::array<std::atomic<std::uint64_t>, kLanes>& paths)
      : fabric_(fabric), routes_(routes), next_(map), lanes_(lanes), load_(load), paths_(paths) {}

  void count(std::size_t block, const std::vector<Source>& sources) {
    next_.load(routes_.lfts, block);
    for (std::size_t value = block * kLftBlock; value < (block + 1) * kLftBlock; ++value) {
      const Lid lid(static_cast<std::uint16_t>(value));
      const EndportId host = fabric_.endport_of(lid);
      if (host == kNoEndport || host.value() < fabric_.switch_count()) continue;
      const Endport& to = fabric_.endport(host);
      if (to.lid != lid || to.sw == kNoSwitch || routes_.lfts.port(to.sw, lid) != to.sw_port ||
          is_aggregation_node(fabric_.node(to.node)))
        continue;
      for (const Source& source : sources)
        if (source.sw != to.sw) walk(source, to);
    }
  }

 private:
  void walk(const Source& source, const Endport& to) {
    const auto channels = next_.channels(to.lid);
    const auto switches = next_.switches(to.lid);
    path_.clear();
    for (SwitchId at = source.sw; at != to.sw; at = switches[at.value()]) {
      if (channels[at.value()] == kNoChannel || path_.size() > fabric_.switch_count()) return;
      path_.push_back(channels[at.value()]);
    }
    const Sl sl = lanes_ ? routes_.path_sl.sl(source.sw, to.sw, to.lid) : Sl(0);
    unsigned used = 0;
    PortNum in = source.port;
    for (const ChannelId id : path_) {
      std::size_t vl = 0;
      if (lanes_) {
        const Channel& channel = fabric_.channel(id);
        vl = routes_.sl2vl.vl(channel.from, in, channel.from_port, sl).value() % kLanes;
        in = channel.to_port;
      }
      used |= 1u << vl;
      load_[id.value() * (lanes_ ? kLanes : 1) + vl].fetch_add(source.hosts,
                                                               std::memory_order_relaxed);
    }
    for (std::size_t vl = 0; vl < kLanes; ++vl)
      if ((used >> vl & 1) != 0) paths_[vl].fetch_add(source.hosts, std::memory_order_relaxed);
  }

  const Fabric& fabric_;
  const Routes& routes_;
  NextHops next_;
  const bool lanes_;
  Counters& load_;
  std::array<std::atomic<std::uint64_t>, kLanes>& paths_;
  std::vector<ChannelId> path_;
};

}  // namespace

Usage count_usage(const Fabric& fabric, const Routes& routes, unsigned threads) {
  const bool lanes = routes.path_sl.kind() != PathSl::Kind::kUniform || !routes.sl2vl.uniform() ||
                     routes.sl2vl.common()[0] != 0;
  const std::size_t stride = lanes ? kLanes : 1;
  Counters load(fabric.channel_count() * stride);
  std::array<std::atomic<std::uint64_t>, kLanes> paths{};
  const auto sources = sources_of(fabric);
  const PortMap map(fabric);
  parallel_blocks(lid_blocks(fabric), 1, threads, [&](std::size_t block, std::size_t) {
    Counting(fabric, routes, map, lanes, load, paths).count(block, sources);
  });
  Usage usage;
  usage.load.assign(fabric.channel_count(), 0);
  for (std::size_t vl = 0; vl < kLanes; ++vl) usage.lanes[vl].paths = paths[vl];
  for (std::size_t channel = 0; channel < usage.load.size(); ++channel)
    for (std::size_t vl = 0; vl < stride; ++vl) {
      const std::uint64_t value = load[channel * stride + vl];
      usage.load[channel] += value;
      usage.lanes[vl].hops += value;
      usage.lanes[vl].load_max = std::max(usage.lanes[vl].load_max, value);
    }
  return usage;
}

}  // namespace weft
