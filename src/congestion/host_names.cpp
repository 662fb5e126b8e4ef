// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/host_names.h"

#include "base/text.h"

namespace weft {

HostNames::HostNames(const RoutedNetwork& network) {
  const auto add = [](auto& map, const auto& key, std::uint32_t host) {
    const auto [at, added] = map.try_emplace(key, host);
    if (!added) at->second = kSeveral;
  };
  for (std::uint32_t host = 0; host < network.host_count(); ++host) {
    const NetNode& node = network.node(network.node_of_host(host));
    add(names_, std::string_view(node.name), host);
    if (!node.label.empty()) add(labels_, std::string_view(node.label), host);
    if (node.guid != Guid{}) add(guids_, node.guid.value(), host);
  }
}

std::uint32_t HostNames::find(std::string_view text) const {
  if (const auto named = names_.find(text); named != names_.end()) return named->second;
  if (const auto labeled = labels_.find(text); labeled != labels_.end()) return labeled->second;
  if (const auto guid = parse_number<std::uint64_t>(text, 16))
    if (const auto at = guids_.find(*guid); at != guids_.end()) return at->second;
  return RoutedNetwork::kNone;
}

}  // namespace weft
