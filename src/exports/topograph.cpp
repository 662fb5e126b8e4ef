// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/topograph.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "fabric/builder.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover.h"

namespace weft {
namespace {

constexpr auto kLeftOut = ~FabricBuilder::NodeIndex{0};
constexpr std::string_view kHead = "#\n# Topology file: of `weft export topograph`\n#\n";

/// The second word of the description if there are two, otherwise a number within the host.
std::string adapter_name(const Node& node, std::size_t number) {
  const auto words = split_words(node.description);
  return words.size() == 2 ? std::string(words[1]) : fmt::format("HCA-{}", number);
}

}  // namespace

Result<std::string> topograph_text(const Fabric& fabric, const std::vector<Host>& hosts,
                                   const std::vector<std::string>& switch_names) {
  FabricBuilder builder;
  std::vector<FabricBuilder::NodeIndex> index(fabric.node_count(), kLeftOut);
  const auto add = [&](NodeId id, std::string description) {
    Node node = fabric.node(id);
    node.description = std::move(description);
    index[id.value()] = builder.add_node(std::move(node));
  };
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) add(NodeId(s), switch_names[s]);
  for (const Host& host : hosts)
    for (std::size_t i = 0; i < host.adapters.size(); ++i)
      add(host.adapters[i], host.name + " " + adapter_name(fabric.node(host.adapters[i]), i + 1));
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    const Port& port = fabric.port(PortId(p));
    if (index[port.node.value()] == kLeftOut) continue;
    FabricBuilder::PortSpec spec{.guid = port.guid,
                                 .width = port.width,
                                 .speed = port.speed,
                                 .mtu_cap = port.mtu_cap,
                                 .data_vls = port.data_vls,
                                 .lid = {}};
    if (port.lid != kLidNone) spec.lid = LidRange{port.lid, port.lmc};
    CHECK(builder.describe_port(index[port.node.value()], port.num, spec).has_value());
    if (port.peer == kNoPort || port.peer.value() < p) continue;
    const Port& peer = fabric.port(port.peer);
    if (index[peer.node.value()] == kLeftOut) continue;
    CHECK(builder.connect(index[port.node.value()], port.num, index[peer.node.value()], peer.num)
              .has_value());
  }
  const auto named = builder.build();
  if (!named) return forward(named);
  std::string text(kHead);
  write_ibnetdiscover(*named, [&](std::string_view part) { text += part; });
  return text;
}

}  // namespace weft
