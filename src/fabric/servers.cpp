// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/servers.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::size_t kDigitsMax = 3;  // of an adapter's number; more digits are a serial number

/// The first word of an adapter's description; empty if it does not name a server.
std::string_view server_word(const Node& node) {
  if (node.type != NodeType::kCa || !adapter_number(node.description)) return {};
  const std::string_view text = trim(node.description);
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  return word == "localhost" || word.starts_with("localhost.") ? std::string_view() : word;
}

/// The ports of one server.
struct ServerDraft {
  /// By port: its place (number of the adapter, then of the port), and its position in the list of
  /// all ports.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ports;
};

}  // namespace

std::optional<std::uint32_t> adapter_number(std::string_view description) {
  std::size_t before = description.size();  // the characters before the digits at the end
  while (before > 0 && description[before - 1] >= '0' && description[before - 1] <= '9') --before;
  const std::string_view digits = description.substr(before);
  if (digits.empty() || digits.size() > kDigitsMax) return {};
  if (before == 0 || description[before - 1] == ' ') return {};
  const std::size_t space = description.rfind(' ', before - 1);
  if (space == std::string_view::npos || trim(description.substr(0, space)).empty()) return {};
  return parse_number<std::uint32_t>(digits);
}

std::vector<std::vector<std::uint32_t>> ports_by_server(const Fabric& fabric,
                                                        std::span<const EndportId> ports) {
  // CAs by the word that names their server, then by number. A word is ambiguous if two CAs with
  // this word have the same number; then every CA with this word is a separate server.
  std::unordered_map<std::string_view, std::unordered_map<std::uint32_t, NodeId>> adapters;
  std::unordered_map<std::string_view, bool> is_ambiguous;
  for (const EndportId id : ports) {
    const NodeId at = fabric.endport(id).node;
    const std::string_view word = server_word(fabric.node(at));
    if (word.empty()) continue;
    const auto [known, fresh] =
        adapters[word].try_emplace(*adapter_number(fabric.node(at).description), at);
    if (known->second != at) is_ambiguous[word] = true;
  }
  std::unordered_map<std::string_view, std::uint32_t> server_of_word;
  std::unordered_map<std::uint32_t, std::uint32_t> server_of_node;
  std::vector<ServerDraft> servers;
  for (std::uint32_t i = 0; i < ports.size(); ++i) {
    const Endport& endport = fabric.endport(ports[i]);
    const Node& node = fabric.node(endport.node);
    const std::string_view word = server_word(node);
    const bool by_word = !word.empty() && !is_ambiguous.contains(word);
    const auto next = static_cast<std::uint32_t>(servers.size());
    const std::uint32_t server =
        by_word ? server_of_word.try_emplace(word, next).first->second
                : server_of_node.try_emplace(endport.node.value(), next).first->second;
    if (server == next) servers.emplace_back();
    const std::uint64_t adapter = by_word ? *adapter_number(node.description) : 0;
    servers[server].ports.push_back({adapter << 8 | fabric.port(endport.port).num.value(), i});
  }
  std::vector<std::vector<std::uint32_t>> result;
  for (ServerDraft& server : servers) {
    std::ranges::sort(server.ports);
    auto& positions = result.emplace_back();
    for (const auto& [place, position] : server.ports) positions.push_back(position);
  }
  return result;
}

}  // namespace weft
