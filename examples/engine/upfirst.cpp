// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A routing engine for Weft in one file. Paths go up first, then down, so they are deadlock-free.
// The rank of a switch is its distance from a root; each LID gets a random path among equally short
// paths. docs/how-to/write-an-engine-plugin.md explains the interface.
#include <weft/engine_plugin.h>

#include <algorithm>
#include <cstdio>
#include <queue>
#include <vector>

namespace {

constexpr unsigned kUnreached = ~0u;

struct UpFirst {
  const weft_fabric& fabric;
  const weft_request& request;
  weft_tables& tables;
  std::vector<unsigned> rank;
  std::vector<uint32_t> top_down;  // switches by rank

  bool goes_up(const weft_channel& c) const {
    return rank[c.to] != rank[c.from] ? rank[c.to] < rank[c.from] : c.to < c.from;
  }

  // The root is the first root of option -a, or without roots the switch with the most links to
  // other switches.
  bool find_ranks() {
    uint32_t root = 0;
    for (uint32_t s = 0; s < fabric.switch_count; ++s)
      if (fabric.switches[s].channel_count > fabric.switches[root].channel_count) root = s;
    if (request.root_count > 0) root = request.roots[0];
    rank.assign(fabric.switch_count, kUnreached);
    rank[root] = 0;
    top_down.assign(1, root);
    for (std::size_t head = 0; head < top_down.size(); ++head) {
      const weft_switch& sw = fabric.switches[top_down[head]];
      for (uint32_t c = sw.first_channel; c < sw.first_channel + sw.channel_count; ++c) {
        const uint32_t to = fabric.channels[c].to;
        if (rank[to] != kUnreached) continue;
        rank[to] = rank[top_down[head]] + 1;
        top_down.push_back(to);
      }
    }
    std::sort(top_down.begin(), top_down.end(), [&](uint32_t a, uint32_t b) {
      return rank[a] != rank[b] ? rank[a] < rank[b] : a < b;
    });
    return top_down.size() == fabric.switch_count;
  }

  // Returns the output ports of each switch on its paths to `target`. All paths of a switch have
  // the same length.
  std::vector<std::vector<uint8_t>> ports_to(uint32_t target) const {
    std::vector<unsigned> hops(fabric.switch_count, kUnreached);
    std::vector<std::vector<uint8_t>> ports(fabric.switch_count);
    const auto offer = [&](uint32_t sw, unsigned length, uint8_t port) {
      if (length < hops[sw]) ports[sw].clear();
      if (length <= hops[sw]) ports[sw].push_back(port);
      hops[sw] = std::min(hops[sw], length);
    };
    // Switches with a down path use it, because a packet that went down must not go up again.
    std::queue<uint32_t> open({target});
    for (hops[target] = 0; !open.empty(); open.pop()) {
      const weft_switch& sw = fabric.switches[open.front()];
      for (uint32_t c = sw.first_channel; c < sw.first_channel + sw.channel_count; ++c) {
        const weft_channel& channel = fabric.channels[c];
        if (!goes_up(channel)) continue;
        if (hops[channel.to] == kUnreached) open.push(channel.to);
        offer(channel.to, hops[open.front()] + 1, channel.to_port);
      }
    }
    // All other switches go up to the nearest switch with a down path. They are computed in order
    // of rank.
    const std::vector<unsigned> down = hops;
    for (const uint32_t s : top_down)
      for (uint32_t i = 0; down[s] == kUnreached && i < fabric.switches[s].channel_count; ++i) {
        const weft_channel& channel = fabric.channels[fabric.switches[s].first_channel + i];
        if (goes_up(channel) && hops[channel.to] != kUnreached)
          offer(s, hops[channel.to] + 1, channel.from_port);
      }
    return ports;
  }

  void fill(uint32_t target, const std::vector<std::vector<uint8_t>>& ports, uint16_t lid,
            uint8_t lmc, uint8_t last_port) const {
    for (uint32_t n = lid; n < lid + (1u << lmc); ++n)
      for (uint32_t s = 0; s < fabric.switch_count; ++s) {
        uint64_t random = (request.seed + n) * 0x9E3779B97F4A7C15u + s * 0xBF58476D1CE4E5B9u;
        random ^= random >> 29;
        uint8_t& port = tables.lfts[s * tables.lft_stride + n];
        if (s == target)
          port = last_port;
        else if (!ports[s].empty())
          port = ports[s][random % ports[s].size()];
      }
  }
};

int route(const weft_fabric* fabric, const weft_request* request, weft_tables* tables) {
  UpFirst engine{*fabric, *request, *tables, {}, {}};
  if (fabric->switch_count == 0 || !engine.find_ranks()) {
    std::snprintf(tables->reason, sizeof tables->reason, "the switches are not all connected");
    return 1;
  }
  for (uint32_t s = 0; s < fabric->switch_count; ++s) {
    const auto ports = engine.ports_to(s);
    engine.fill(s, ports, fabric->switches[s].lid, fabric->switches[s].lmc, 0);
    for (uint32_t h = 0; h < fabric->host_count; ++h)
      if (const weft_host& host = fabric->hosts[h]; host.sw == s)
        engine.fill(s, ports, host.lid, host.lmc, host.sw_port);
  }
  return 0;
}

}  // namespace

extern "C" const weft_engine_interface weft_engine = {
    WEFT_ENGINE_VERSION, "up first, then down, random among equal paths", &route};
