// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/plugin/plain_fabric.h"

#include <cstring>

#include "ib/rates.h"

namespace weft::plugin {

namespace {

/// Appends `count` objects at an offset that is aligned for their type, and returns the offset.
template <class T>
std::uint64_t append(std::vector<std::uint8_t>& bytes, const T* data, std::size_t count) {
  constexpr std::size_t kAlign = alignof(std::max_align_t);
  bytes.resize((bytes.size() + kAlign - 1) / kAlign * kAlign);
  const std::size_t place = bytes.size();
  const auto* begin = reinterpret_cast<const std::uint8_t*>(data);
  bytes.insert(bytes.end(), begin, begin + count * sizeof(T));
  return place;
}

/// The name at the offset that the pointer `place` contains.
const char* text_at(std::span<const std::uint8_t> request, const char* place) {
  return reinterpret_cast<const char*>(request.data()) + reinterpret_cast<std::uintptr_t>(place);
}

}  // namespace

PlainFabric::PlainFabric(const Fabric& fabric, unsigned vls_max, std::span<const SwitchId> roots)
    : lid_top_(fabric.lid_top().value()), vls_max_(vls_max) {
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) add_switch(fabric, SwitchId(s));
  for (const Channel& channel : fabric.channels()) add_channel(fabric, channel);
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
    add_host(fabric, fabric.endport(EndportId(e)));
  for (const SwitchId root : roots) roots_.push_back(root.value());
}

std::vector<std::uint8_t> PlainFabric::bytes(RequestHead head) const {
  std::vector<std::uint8_t> bytes(sizeof head);
  const std::uint64_t names = append(bytes, names_.data(), names_.size());
  const auto placed = [&](auto nodes) {
    for (auto& node : nodes)
      node.name =
          reinterpret_cast<const char*>(names + reinterpret_cast<std::uintptr_t>(node.name));
    return nodes;
  };
  const auto switches = placed(switches_);
  const auto hosts = placed(hosts_);
  head.switches = append(bytes, switches.data(), switches.size());
  head.channels = append(bytes, channels_.data(), channels_.size());
  head.hosts = append(bytes, hosts.data(), hosts.size());
  head.roots = append(bytes, roots_.data(), roots_.size());
  head.switch_count = static_cast<std::uint32_t>(switches.size());
  head.channel_count = static_cast<std::uint32_t>(channels_.size());
  head.host_count = static_cast<std::uint32_t>(hosts.size());
  head.root_count = static_cast<std::uint32_t>(roots_.size());
  head.lid_top = lid_top_;
  head.vls_max = vls_max_;
  append(bytes, "", 1);  // aligns the end, so that the start of the request is aligned
  bytes.resize((bytes.size() + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) *
               alignof(std::max_align_t));
  head.size = bytes.size();
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

weft_fabric fabric_in(std::span<std::uint8_t> request) {
  const auto& head = *reinterpret_cast<const RequestHead*>(request.data());
  auto* switches = reinterpret_cast<weft_switch*>(request.data() + head.switches);
  auto* hosts = reinterpret_cast<weft_host*>(request.data() + head.hosts);
  for (auto& node : std::span(switches, head.switch_count)) node.name = text_at(request, node.name);
  for (auto& node : std::span(hosts, head.host_count)) node.name = text_at(request, node.name);
  weft_fabric fabric{};
  fabric.size = sizeof fabric;
  fabric.switch_count = head.switch_count;
  fabric.channel_count = head.channel_count;
  fabric.host_count = head.host_count;
  fabric.switches = switches;
  fabric.channels = reinterpret_cast<const weft_channel*>(request.data() + head.channels);
  fabric.hosts = hosts;
  fabric.lid_top = head.lid_top;
  fabric.vls_max = head.vls_max;
  return fabric;
}

/// Adds a name and returns its offset, in the type of the `name` members.
const char* PlainFabric::add_name(const std::string& name) {
  const std::size_t place = names_.size();
  names_.append(name.c_str(), std::strlen(name.c_str()) + 1);
  return reinterpret_cast<const char*>(place);
}

void PlainFabric::add_switch(const Fabric& fabric, SwitchId sw) {
  const Node& node = fabric.node(sw);
  const Endport& port0 = fabric.endport(Fabric::endport_of(sw));
  weft_switch plain{};
  plain.guid = node.node_guid.value();
  plain.name = add_name(node.description);
  plain.first_channel = fabric.first_channel(sw).value();
  plain.channel_count = static_cast<std::uint32_t>(fabric.channels_from(sw).size());
  plain.lid = port0.lid.value();
  plain.lmc = port0.lmc;
  plain.port_count = node.port_count;
  switches_.push_back(plain);
}

void PlainFabric::add_channel(const Fabric& fabric, const Channel& channel) {
  const Port& port = fabric.ports(channel.from)[channel.from_port.value()];
  weft_channel plain{};
  plain.from = channel.from.value();
  plain.to = channel.to.value();
  plain.reverse = channel.reverse.value();
  plain.rate = 100 * data_rate_of(rate_code(port.width, port.speed));
  plain.from_port = channel.from_port.value();
  plain.to_port = channel.to_port.value();
  channels_.push_back(plain);
}

void PlainFabric::add_host(const Fabric& fabric, const Endport& endport) {
  const Node& node = fabric.node(endport.node);
  weft_host plain{};
  plain.port_guid = fabric.port(endport.port).guid.value();
  plain.node_guid = node.node_guid.value();
  plain.name = add_name(node.description);
  plain.sw = endport.sw == kNoSwitch ? WEFT_NO_SWITCH : endport.sw.value();
  plain.lid = endport.lid.value();
  plain.lmc = endport.lmc;
  plain.sw_port = endport.sw_port.value();
  hosts_.push_back(plain);
}

}  // namespace weft::plugin
