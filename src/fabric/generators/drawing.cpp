// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/generators/drawing.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "fabric/builder.h"
#include "fabric/fnm_rings.h"
#include "fabric/generators/parameters.h"

namespace weft {
namespace {

constexpr std::uint64_t kSwitchGuids = 0x0010000000000000;
constexpr std::uint64_t kHostGuids = 0x0020000000000000;
constexpr std::uint64_t kGuidsPerAdapter = 16;  // at least
/// Limit of ports over all switches, because a short spec can require much memory.
constexpr std::uint64_t kAllPortsMax = 1u << 21;
constexpr std::uint64_t kProductMax = std::uint64_t{1} << 40;

std::string count(std::uint64_t n) { return n >= kProductMax ? "over 2^40" : fmt::format("{}", n); }

template <class Factors>
std::uint64_t saturating_product(const Factors& factors) {
  std::uint64_t value = 1;
  for (const std::uint64_t factor : factors) {
    if (factor == 0) return 0;
    value = value > kProductMax / factor ? kProductMax : value * factor;
  }
  return value;
}

}  // namespace

std::uint64_t product(std::span<const unsigned> factors) { return saturating_product(factors); }
std::uint64_t product(std::initializer_list<std::uint64_t> factors) {
  return saturating_product(factors);
}

Result<Drawing> Drawing::start(const Parameters& parameters, const DrawingSize& size,
                               unsigned model_ports) {
  if (size.switches + size.hosts > kUnicastLidCount) {
    return parameters.refuse(
        fmt::format("{} switches and {} {}", count(size.switches), count(size.hosts), size.word),
        fmt::format("at most {} together: each takes one of the unicast LIDs", kUnicastLidCount));
  }
  if (size.ports > kSwitchPortsMax)
    return parameters.refuse(fmt::format("a switch with {} ports in use", count(size.ports)),
                             fmt::format("at most {}", kSwitchPortsMax));
  const auto needed = static_cast<unsigned>(size.ports);
  const unsigned radix = parameters.number_or("radix", std::max({needed, model_ports, 1u}));
  if (radix < needed)
    return parameters.refuse("radix", fmt::format("radix={}", radix),
                             fmt::format("at least {}: so many ports are in use", needed));
  if (size.switches * radix > kAllPortsMax)
    return parameters.refuse("radix", fmt::format("{} switches of {} ports", size.switches, radix),
                             fmt::format("at most {} ports in all", kAllPortsMax));
  Drawing drawing(radix);
  drawing.switches_.reserve(size.switches);
  drawing.adapters_.reserve(size.hosts);
  drawing.host_ports_.reserve(size.hosts);
  return drawing;
}

Drawing::Switch Drawing::add_switch(std::string name) {
  switches_.push_back({std::move(name), reserved_});
  return static_cast<Switch>(switches_.size() - 1);
}

std::uint8_t Drawing::take_port(Switch at) {
  CHECK(switches_[at].ports < radix_);
  return static_cast<std::uint8_t>(++switches_[at].ports);
}

void Drawing::cable(Switch a, Switch b, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const std::uint8_t a_port = take_port(a);
    cables_.push_back({a, b, a_port, take_port(b)});
  }
}

void Drawing::cable_at(Switch a, unsigned a_port, Switch b, unsigned b_port) {
  CHECK(a_port >= 1 && a_port <= reserved_ && b_port >= 1 && b_port <= reserved_);
  cables_.push_back({a, b, static_cast<std::uint8_t>(a_port), static_cast<std::uint8_t>(b_port)});
}

void Drawing::add_hosts(Switch at, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    adapters_.push_back({++hosts_, 0, 1, true});
    host_ports_.push_back({at, take_port(at)});
  }
}

void Drawing::add_server(std::span<const Switch> places) {
  ++hosts_;
  for (std::size_t a = 0; a < places.size(); ++a)
    adapters_.push_back({hosts_, static_cast<std::uint8_t>(a), 1, places.size() == 1});
  for (const Switch at : places) host_ports_.push_back({at, take_port(at)});
}

void Drawing::add_hosts_everywhere(unsigned per_switch) {
  for (Switch at = 0; at < switch_count(); ++at) add_hosts(at, per_switch);
}

Status Drawing::repeat_in_planes(const Parameters& parameters, unsigned planes) {
  const std::size_t switches = switches_.size(), cables = cables_.size();
  if ((switches + host_ports_.size()) * planes > kUnicastLidCount)
    return parameters.refuse(
        "planes",
        fmt::format("{} switches and {} ports of hosts", switches * planes,
                    host_ports_.size() * planes),
        fmt::format("at most {} together: each takes one of the unicast LIDs", kUnicastLidCount));
  if (switches * planes * radix_ > kAllPortsMax)
    return parameters.refuse("planes",
                             fmt::format("{} switches of {} ports", switches * planes, radix_),
                             fmt::format("at most {} ports in all", kAllPortsMax));
  planes_ = planes;
  for (unsigned plane = 1; plane < planes; ++plane) {
    const auto first = static_cast<Switch>(plane * switches);
    for (std::size_t i = 0; i < switches; ++i) switches_.push_back(SwitchDraft(switches_[i]));
    for (std::size_t i = 0; i < cables; ++i) {
      const Cable cable = cables_[i];
      cables_.push_back({first + cable.a, first + cable.b, cable.a_port, cable.b_port});
    }
  }
  for (std::size_t i = 0; i < switches_.size(); ++i)
    switches_[i].name = fmt::format("plane{}-{}", i / switches + 1, switches_[i].name);
  std::vector<HostPort> ports;
  ports.reserve(host_ports_.size() * planes);
  for (const HostPort& port : host_ports_)
    for (unsigned plane = 0; plane < planes; ++plane)
      ports.push_back({static_cast<Switch>(plane * switches) + port.at, port.port});
  host_ports_ = std::move(ports);
  for (Adapter& adapter : adapters_)
    adapter.ports = static_cast<std::uint8_t>(adapter.ports * planes);
  return {};
}

Status Drawing::add_fnm_rings(const Parameters& parameters) {
  CHECK(planes_ > 1);
  const unsigned ports = radix_ + kFnmLinksOfAsic;
  if (ports > kSwitchPortsMax)
    return parameters.refuse(
        "fnm", fmt::format("a switch with {} ports and {} FNM ports", radix_, kFnmLinksOfAsic),
        fmt::format("at most {} in all", kSwitchPortsMax));
  if (switches_.size() * ports > kAllPortsMax)
    return parameters.refuse("fnm", fmt::format("{} switches of {} ports", switches_.size(), ports),
                             fmt::format("at most {} ports in all", kAllPortsMax));
  fnm_ports_ = kFnmLinksOfAsic;
  return {};
}

void Drawing::remove_plane(unsigned plane) {
  const std::size_t switches = switches_.size() / planes_;
  for (std::size_t i = 0; i < switches; ++i)
    remove(static_cast<Switch>((plane - 1) * switches + i));
}

Result<Fabric> Drawing::finish(LinkWidth width, LinkSpeed speed) const {
  FabricBuilder builder;
  FabricBuilder::PortSpec link;
  link.width = width;
  link.speed = speed;
  link.mtu_cap = Mtu::k4096;
  FabricBuilder::PortSpec fnm;
  fnm.is_fnm = true;
  const auto add = [&](NodeType type, std::uint64_t guid, unsigned ports, std::string name) {
    Node node;
    node.type = type;
    node.node_guid = node.system_guid = Guid(guid);
    node.port_count = static_cast<std::uint8_t>(ports);
    node.description = std::move(name);
    return builder.add_node(std::move(node));
  };
  const auto connect = [&](FabricBuilder::NodeIndex a, std::uint8_t a_port,
                           FabricBuilder::NodeIndex b, std::uint8_t b_port) {
    CHECK(builder.describe_port(a, PortNum(a_port), link).has_value());
    CHECK(builder.describe_port(b, PortNum(b_port), link).has_value());
    CHECK(builder.connect(a, PortNum(a_port), b, PortNum(b_port)).has_value());
  };
  std::vector<FabricBuilder::NodeIndex> index(switches_.size());
  const std::size_t systems = switches_.size() / planes_;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (switches_[i].dead) continue;
    index[i] = add(NodeType::kSwitch, kSwitchGuids + i + 1, radix_ + fnm_ports_, switches_[i].name);
    builder.node(index[i]).system_guid = Guid(kSwitchGuids + i % systems + 1);
  }
  const auto fnm_port = [&](unsigned number) { return static_cast<std::uint8_t>(radix_ + number); };
  for (std::size_t i = 0; i < switches_.size() && fnm_ports_ > 0; ++i) {
    if (is_dead(static_cast<Switch>(i))) continue;
    for (unsigned number = 1; number <= fnm_ports_; ++number)
      CHECK(builder.describe_port(index[i], PortNum(fnm_port(number)), fnm).has_value());
    const std::size_t next = (i + systems) % switches_.size();
    if (!is_dead(static_cast<Switch>(next)))
      connect(index[i], fnm_port(1), index[next], fnm_port(2));
  }
  std::uint64_t guids_per_adapter = kGuidsPerAdapter;
  for (const Adapter& adapter : adapters_)  // a GUID for the node and one for each port
    guids_per_adapter =
        std::max(guids_per_adapter, std::bit_ceil(adapter.ports + std::uint64_t{1}));
  std::size_t first = 0;  // first port of the adapter
  for (std::size_t i = 0; i < adapters_.size(); ++i) {
    const Adapter& adapter = adapters_[i];
    const auto ports = std::span(host_ports_).subspan(first, adapter.ports);
    first += adapter.ports;
    if (std::ranges::all_of(ports, [&](const HostPort& port) { return is_dead(port.at); }))
      continue;
    const auto node =
        add(NodeType::kCa, kHostGuids + guids_per_adapter * (i + 1), adapter.ports,
            adapter.alone ? fmt::format("host-{}", adapter.host)
                          : fmt::format("host-{} mlx5_{}", adapter.host, adapter.number));
    for (std::uint8_t p = 0; p < adapter.ports; ++p)
      if (!is_dead(ports[p].at))
        connect(node, static_cast<std::uint8_t>(p + 1), index[ports[p].at], ports[p].port);
  }
  for (const Cable& cable : cables_)
    if (is_whole(cable)) connect(index[cable.a], cable.a_port, index[cable.b], cable.b_port);
  return builder.build();
}

}  // namespace weft
