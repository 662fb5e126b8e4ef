// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/ns3.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft {
namespace {

/// A link in both directions without errors: "A B 100Gbps 500ns 0".
std::string ns3_link(std::uint32_t a, std::uint32_t b, const std::string& gbps, double delay_ns) {
  return fmt::format("{} {} {}Gbps {}ns 0\n", a, b, gbps, delay_ns);
}

std::string ns3_ids(std::uint32_t first, std::uint32_t end) {
  std::string text;
  for (std::uint32_t id = first; id < end; ++id)
    text += fmt::format("{}{}", id == first ? "" : " ", id);
  return text + "\n";
}

/// Node numbers by SwitchId, with leaves, which have hosts, before the other switches.
std::vector<std::uint32_t> leaves_first(const RoutedFabric& input) {
  std::vector<bool> is_leaf(input.fabric.switch_count(), false);
  for (const HostPort& port : ports_of_hosts(input))
    is_leaf[input.fabric.endport(port.endport).sw.value()] = true;
  std::vector<std::uint32_t> number(is_leaf.size());
  std::uint32_t next = 0;
  for (const bool leaves : {true, false})
    for (std::size_t s = 0; s < is_leaf.size(); ++s)
      if (is_leaf[s] == leaves) number[s] = next++;
  return number;
}

}  // namespace

void write_ns3(const RoutedFabric& input, const Ns3Options& options, const Append& append) {
  const auto hosts = static_cast<std::uint32_t>(input.hosts.size());
  const std::uint32_t nodes = hosts + input.fabric.switch_count();
  const auto links = links_of(input);
  append(fmt::format("{} {} {}\n", nodes, input.fabric.switch_count(), links.size()));
  append(ns3_ids(hosts, nodes));
  for (const ExportLink& link : links)
    append(ns3_link(link.a, link.b, gigabits(input.fabric.port(link.a_port)), options.delay_ns));
}

Result<std::uint32_t> ports_per_host(const RoutedFabric& input, std::string_view kind) {
  std::vector<std::uint32_t> count(input.hosts.size(), 0);
  for (const HostPort& port : ports_of_hosts(input)) ++count[port.host];
  if (count.empty()) return fail(Code::kBadInput, "{}: the fabric has no hosts", kind);
  for (std::size_t h = 1; h < count.size(); ++h)
    if (count[h] != count[0])
      return fail(
          Code::kBadInput,
          "{}: host {} has {} ports, host {} has {}: expected the same number of ports, one for "
          "each GPU",
          kind, input.hosts[h].name, count[h], input.hosts[0].name, count[0]);
  return count[0];
}

void write_gpus(const RoutedFabric& input, const Ns3Options& options, bool header,
                const Append& append) {
  const Fabric& fabric = input.fabric;
  const auto ports = ports_of_hosts(input);
  const auto hosts = static_cast<std::uint32_t>(input.hosts.size());
  const auto gpus = static_cast<std::uint32_t>(ports.size());
  const std::uint32_t per_host = gpus / hosts;
  const std::uint32_t nvswitches = per_host > 1 ? hosts : 0;
  const std::uint32_t first = gpus + nvswitches;
  const std::uint32_t nodes = first + fabric.switch_count();
  const auto number = leaves_first(input);
  const auto cables = fabric.cables();
  const std::size_t links = ports.size() + cables.size() + (nvswitches > 0 ? gpus : 0);
  append(header ? fmt::format("{} {} {} {} {} {}\n", nodes, per_host, nvswitches,
                              fabric.switch_count(), links, options.gpu_type)
                : fmt::format("{} {} {}\n", nodes, nvswitches + fabric.switch_count(), links));
  append(ns3_ids(gpus, nodes));
  if (nvswitches > 0)
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu)
      append(ns3_link(gpu, gpus + ports[gpu].host, fmt::format("{}", options.nvlink_gbps),
                      kNvlinkDelayNs));
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    const Endport& endport = fabric.endport(ports[gpu].endport);
    append(ns3_link(gpu, first + number[endport.sw.value()], gigabits(fabric.port(endport.port)),
                    options.delay_ns));
  }
  for (const ChannelId id : cables) {
    const Channel& channel = fabric.channel(id);
    const Port& port =
        fabric.port(fabric.port_id(Fabric::node_of(channel.from), channel.from_port));
    append(ns3_link(first + number[channel.from.value()], first + number[channel.to.value()],
                    gigabits(port), options.delay_ns));
  }
}

}  // namespace weft
