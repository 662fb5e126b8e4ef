// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/printable.h"
#include "base/text.h"
#include "exports/hostlist.h"
#include "fabric/aggregation.h"
#include "routing/shapes/levels.h"

namespace weft {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

/// Keeps characters that Slurm, Prometheus and DNS all accept; others become '_'.
std::string plain(std::string_view text) {
  std::string name(text);
  for (char& c : name)
    if (!is_plain(c)) c = '_';
  return name;
}

std::string_view first_word(std::string_view text) {
  const auto words = split_words(text);
  return words.empty() ? std::string_view() : words.front();
}

/// The name in a description of a managed switch: "MF0;SYSTEM:MODEL/ASIC".
std::string name_of_managed(std::string_view text) {
  const std::size_t semicolon = text.find(';');
  const std::size_t colon = text.find(':', semicolon);
  if (semicolon == std::string_view::npos || colon == std::string_view::npos) return {};
  std::string name = plain(text.substr(semicolon + 1, colon - semicolon - 1));
  const std::size_t slash = text.find('/', colon);
  if (slash == std::string_view::npos) return name;
  const std::string_view asic = first_word(text.substr(slash + 1));
  if (asic.empty() || asic == "U1") return name;
  std::string part(asic);
  std::ranges::replace(part, '/', '-');
  return name + "-" + plain(part);
}

bool is_factory_name(std::string_view description) {
  const std::string_view word = first_word(description);
  return word.empty() || word == "localhost" || word.starts_with("localhost.") ||
         description.find("Mellanox Technologies") != std::string_view::npos ||
         description.find("HCA-") == 0;
}

const std::string* in_map(const NamesByGuid& names, const Node& node) {
  const auto found = names.find(node.node_guid);
  return found == names.end() ? nullptr : &found->second;
}

std::string preferred_name(const NamesByGuid& names, const Node& node) {
  if (const std::string* mapped = in_map(names, node)) return plain(first_word(*mapped));
  if (std::string name = name_of_managed(node.description); !name.empty()) return name;
  return plain(first_word(node.description));
}

}  // namespace

std::vector<std::string> switch_names(const Fabric& fabric, const NamesByGuid& names) {
  std::vector<std::string> result;
  std::unordered_map<std::string, unsigned> uses;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    result.push_back(preferred_name(names, fabric.node(SwitchId(s))));
    ++uses[result.back()];
  }
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (result[s].empty() || uses[result[s]] > 1)
      result[s] = fmt::format("S-{:016x}", fabric.node(SwitchId(s)).node_guid.value());
  return result;
}

std::vector<Host> hosts_of(const Fabric& fabric, const NamesByGuid& names) {
  std::map<std::string, Host> by_name;
  for (const Endport& endport : fabric.endports()) {
    const Node& node = fabric.node(endport.node);
    if (node.type != NodeType::kCa || endport.sw == kNoSwitch || is_aggregation_node(node))
      continue;
    const std::string* mapped = in_map(names, node);
    const bool named = mapped != nullptr || !is_factory_name(node.description);
    const std::string name = named ? plain(first_word(mapped ? *mapped : node.description))
                                   : fmt::format("H-{:016x}", node.node_guid.value());
    Host& host = by_name[name];
    host.name = name;
    host.named = named;
    if (host.adapters.empty() || host.adapters.back() != endport.node)
      host.adapters.push_back(endport.node);
    host.leaves.push_back(endport.sw);
  }
  std::vector<Host> hosts;
  for (auto& [name, host] : by_name) {
    std::ranges::sort(host.leaves);
    host.leaves.erase(std::unique(host.leaves.begin(), host.leaves.end()), host.leaves.end());
    hosts.push_back(std::move(host));
  }
  std::ranges::sort(hosts, natural_less, &Host::name);
  return hosts;
}

std::string node_name_map(const Fabric& fabric, const NamesByGuid& names) {
  const auto of_switches = switch_names(fabric, names);
  std::string text;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const Node& node = fabric.node(NodeId(n));
    const std::string* mapped = in_map(names, node);
    std::string name = mapped                        ? *mapped
                       : fabric.is_switch(NodeId(n)) ? of_switches[n]
                       : node.description.empty() ? fmt::format("H-{:016x}", node.node_guid.value())
                                                  : node.description;
    for (char& c : name)
      if (c == '"' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '_';
    text += fmt::format("0x{:016x} \"{}\"\n", node.node_guid.value(), without_controls(trim(name)));
  }
  return text;
}

}  // namespace weft
