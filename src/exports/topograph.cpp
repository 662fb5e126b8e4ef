// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/topograph.h"

#include <algorithm>

#include "base/text.h"
#include "fabric/builder.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover.h"
#include "fabric/without.h"

namespace weft {
namespace {

constexpr std::string_view kHead = "#\n# Topology file: of `weft export topograph`\n#\n";

/// The second word of the description if it has two, otherwise the number of the adapter in its
/// host.
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
  copy_ports(fabric, index, std::vector<bool>(fabric.port_count(), false), builder);
  const auto named = builder.build();
  if (!named) return forward(named);
  std::string text(kHead);
  write_ibnetdiscover(*named, [&](std::string_view part) { text += part; });
  return text;
}

}  // namespace weft
