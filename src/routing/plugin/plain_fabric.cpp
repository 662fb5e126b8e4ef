// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/plugin/plain_fabric.h"

#include "ib/rates.h"

namespace weft::plugin {

PlainFabric::PlainFabric(const Fabric& fabric, unsigned vls_max) {
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) add_switch(fabric, SwitchId(s));
  for (const Channel& channel : fabric.channels()) add_channel(fabric, channel);
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
    add_host(fabric, fabric.endport(EndportId(e)));
  view_.size = sizeof view_;
  view_.switch_count = fabric.switch_count();
  view_.channel_count = fabric.channel_count();
  view_.host_count = static_cast<std::uint32_t>(hosts_.size());
  view_.switches = switches_.data();
  view_.channels = channels_.data();
  view_.hosts = hosts_.data();
  view_.lid_top = fabric.lid_top().value();
  view_.vls_max = vls_max;
}

void PlainFabric::add_switch(const Fabric& fabric, SwitchId sw) {
  const Node& node = fabric.node(sw);
  const Endport& port0 = fabric.endport(Fabric::endport_of(sw));
  weft_switch plain{};
  plain.guid = node.node_guid.value();
  plain.name = node.description.c_str();
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
  plain.name = node.description.c_str();
  plain.sw = endport.sw == kNoSwitch ? WEFT_NO_SWITCH : endport.sw.value();
  plain.lid = endport.lid.value();
  plain.lmc = endport.lmc;
  plain.sw_port = endport.sw_port.value();
  hosts_.push_back(plain);
}

}  // namespace weft::plugin
