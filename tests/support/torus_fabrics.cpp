// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/torus_fabrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "fabric/builder.h"

namespace weft {

Guid torus_guid(const std::array<unsigned, 3>& radix, const std::array<unsigned, 3>& at) {
  const unsigned x = at[0] % radix[0], y = at[1] % radix[1], z = at[2] % radix[2];
  return Guid(0x0010000000000000ull + 1 + x + radix[0] * (y + radix[1] * z));
}

TorusConfig torus_config(const std::string& shape, const std::array<unsigned, 3>& radix,
                         const std::vector<std::array<unsigned, 3>>& seeds) {
  std::string text = shape + "\n";
  bool first = true;
  for (const auto& at : seeds) {
    if (!first) text += "next_seed\n";
    first = false;
    for (unsigned d = 0; d < 3; ++d) {
      const std::string name(1, kDimensionNames[d]);
      const bool mesh = shape.starts_with("mesh");
      if (radix[d] == 1) continue;
      auto up = at, down = at;
      up[d] += 1;
      down[d] += radix[d] - 1;
      const auto link = [&](char side, const std::array<unsigned, 3>& to) {
        text += fmt::format("{}{}_link 0x{:x} 0x{:x}\n", name, side, torus_guid(radix, at).value(),
                            torus_guid(radix, to).value());
      };
      if (!mesh || at[d] + 1 < radix[d]) link('p', up);
      if ((!mesh && radix[d] == 4) || (mesh && at[d] + 1 == radix[d])) link('m', down);
      text += fmt::format("{}_dateline -{}\n", name, at[d]);
    }
  }
  auto config = parse_torus_config(LineReader::over(text, "test.conf"));
  CHECK(config.has_value());
  return *config;
}

Fabric without(const Fabric& fabric, const std::vector<SwitchId>& switches,
               const std::vector<ChannelId>& cables) {
  FabricBuilder builder;
  std::vector<FabricBuilder::NodeIndex> index(fabric.node_count());
  const auto is_removed = [&](NodeId node) {
    if (fabric.is_switch(node)) return std::ranges::count(switches, SwitchId(node.value())) > 0;
    for (const Endport& endport : fabric.endports())
      if (endport.node == node && std::ranges::count(switches, endport.sw) > 0) return true;
    return false;
  };
  std::vector<bool> removed;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    removed.push_back(is_removed(NodeId(n)));
    if (!removed.back()) index[n] = builder.add_node(fabric.node(NodeId(n)));
  }
  const auto is_cut = [&](const Port& port) {
    return std::ranges::any_of(cables, [&](ChannelId id) {
      for (const ChannelId side : {id, fabric.channel(id).reverse})
        if (fabric.port_id(Fabric::node_of(fabric.channel(side).from),
                           fabric.channel(side).from_port) == fabric.port_id(port.node, port.num))
          return true;
      return false;
    });
  };
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n))) {
      if (removed[n] || is_cut(port)) continue;
      FabricBuilder::PortSpec spec;
      spec.guid = port.guid;
      if (port.lid != kLidNone) spec.lid = LidRange{port.lid, port.lmc};
      CHECK(builder.describe_port(index[n], port.num, spec).has_value());
      if (port.peer == kNoPort) continue;
      const Port& peer = fabric.port(port.peer);
      if (!removed[peer.node.value()])
        CHECK(builder.connect(index[n], port.num, index[peer.node.value()], peer.num).has_value());
    }
  auto result = builder.build();
  CHECK(result.has_value());
  return std::move(*result);
}

}  // namespace weft
