// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/without.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "fabric/builder.h"

namespace weft {

void copy_ports(const Fabric& fabric, std::span<const FabricBuilder::NodeIndex> index,
                const std::vector<bool>& severed, FabricBuilder& builder,
                const std::vector<PortId>* fnm) {
  const auto is_fnm = [&](PortId port) {
    return fnm == nullptr ? fabric.fnm_end(port) != nullptr
                          : std::ranges::binary_search(*fnm, port);
  };
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    const Port& port = fabric.port(PortId(p));
    if (index[port.node.value()] == kLeftOut) continue;
    FabricBuilder::PortSpec spec{.guid = port.guid,
                                 .width = port.width,
                                 .speed = port.speed,
                                 .mtu_cap = port.mtu_cap,
                                 .data_vls = port.data_vls,
                                 .lid = {},
                                 .is_fnm = is_fnm(PortId(p))};
    if (port.lid != kLidNone) spec.lid = LidRange{port.lid, port.lmc};
    CHECK(builder.describe_port(index[port.node.value()], port.num, spec).has_value());
    const PortId far = fabric.far_end(PortId(p));
    if (far == kNoPort || far.value() < p || severed[p]) continue;
    const Port& peer = fabric.port(far);
    if (index[peer.node.value()] == kLeftOut) continue;
    CHECK(builder.connect(index[port.node.value()], port.num, index[peer.node.value()], peer.num)
              .has_value());
  }
}

Fabric without(const Fabric& fabric, std::span<const NodeId> failed, std::span<const PortId> cut) {
  std::vector<bool> severed(fabric.port_count(), false);
  for (const PortId end : cut) {
    severed[end.value()] = true;
    if (const PortId peer = fabric.far_end(end); peer != kNoPort) severed[peer.value()] = true;
  }
  std::vector<FabricBuilder::NodeIndex> index(fabric.node_count(), 0);
  for (const NodeId node : failed) index[node.value()] = kLeftOut;
  FabricBuilder builder;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    if (index[n] != kLeftOut) index[n] = builder.add_node(fabric.node(NodeId(n)));
  copy_ports(fabric, index, severed, builder);
  auto built = builder.build();
  CHECK(built.has_value());
  return std::move(*built);
}

Fabric with_fnm_ports(const Fabric& fabric, const std::vector<PortId>& fnm) {
  FabricBuilder builder;
  std::vector<FabricBuilder::NodeIndex> index;
  for (const Node& node : fabric.nodes()) index.push_back(builder.add_node(node));
  copy_ports(fabric, index, std::vector<bool>(fabric.port_count(), false), builder, &fnm);
  auto built = builder.build();
  CHECK(built.has_value());
  return std::move(*built);
}

}  // namespace weft
