// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/routed_network.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "congestion/blob.h"

namespace weft {
namespace {
constexpr std::uint64_t kMagic = 0x344e54454e544657;  // "WFTNETN4"
}

NetWalk RoutedNetwork::walk(std::uint32_t from_host, std::uint32_t to_host, std::uint32_t path,
                            std::vector<std::uint32_t>& route) const {
  route.clear();
  const std::uint32_t goal = host_node_[to_host];
  std::uint32_t at = host_node_[from_host];
  while (at != goal) {
    const std::uint32_t channel = next(at, to_host, path);
    if (channel == kNone) return {NetWalkEnd::kUnrouted, at};
    route.push_back(channel);
    at = heads_[channel];
    if (route.size() < node_count()) continue;
    // If there are as many hops as nodes, some node was visited twice. The first node that recurs
    // is part of the loop.
    std::vector<bool> seen(node_count());
    for (const std::uint32_t id : route) {
      if (seen[channels_[id].from]) return {NetWalkEnd::kLoop, channels_[id].from};
      seen[channels_[id].from] = true;
    }
    return {NetWalkEnd::kLoop, at};
  }
  return {};
}

std::string RoutedNetwork::describe_node(std::uint32_t node) const {
  const NetNode& n = nodes_[node];
  if (n.label.empty() || n.label == n.name) return "\"" + n.name + "\"";
  return "'" + n.label + "' (" + n.name + ")";
}

std::string RoutedNetwork::describe_channel(std::uint32_t id) const {
  const NetChannel& c = channels_[id];
  std::string text = describe_node(c.from);
  if (c.from_port != 0) text += fmt::format(" port {}", c.from_port);
  text += " to " + describe_node(c.to);
  if (c.to_port != 0) text += fmt::format(" port {}", c.to_port);
  return text;
}

std::vector<std::byte> RoutedNetwork::to_bytes() const {
  BlobWriter blob;
  blob.value(kMagic);
  blob.value(rows_);
  blob.value(first_node_);
  blob.value(paths_);
  blob.array(host_node_);
  blob.array(node_host_);
  blob.array(server_);
  blob.array(place_);
  blob.array(channels_);
  blob.array(channel_begin_);
  blob.array(heads_);
  blob.array(only_);
  blob.array(narrow_);
  blob.array(wide_);
  blob.array(choice_);
  blob.array(first_group_);
  blob.array(group_begin_);
  blob.array(group_channels_);
  blob.array(group_shares_);
  blob.value(tables_);
  blob.array(channel_tables_);
  blob.array(sls_);
  for (const NetNode& node : nodes_) {
    blob.text(node.name);
    blob.text(node.label);
    blob.value(node.guid);
  }
  return blob.take();
}

Result<RoutedNetwork> RoutedNetwork::from_bytes(std::span<const std::byte> bytes) {
  BlobReader blob(bytes);
  RoutedNetwork net;
  std::uint64_t magic = 0;
  blob.value(magic);
  blob.value(net.rows_);
  blob.value(net.first_node_);
  blob.value(net.paths_);
  blob.array(net.host_node_);
  blob.array(net.node_host_);
  blob.array(net.server_);
  blob.array(net.place_);
  blob.array(net.channels_);
  blob.array(net.channel_begin_);
  blob.array(net.heads_);
  blob.array(net.only_);
  blob.array(net.narrow_);
  blob.array(net.wide_);
  blob.array(net.choice_);
  blob.array(net.first_group_);
  blob.array(net.group_begin_);
  blob.array(net.group_channels_);
  blob.array(net.group_shares_);
  blob.value(net.tables_);
  blob.array(net.channel_tables_);
  blob.array(net.sls_);
  for (std::size_t i = 0; i < net.node_host_.size() && blob.good(); ++i) {
    NetNode node;
    blob.text(node.name);
    blob.text(node.label);
    blob.value(node.guid);
    net.nodes_.push_back(std::move(node));
  }
  const std::size_t table = net.host_node_.size() * net.paths_ * net.rows_;
  if (magic != kMagic || !blob.at_end() || net.only_.size() != net.nodes_.size() ||
      (!net.server_.empty() && net.server_.size() != net.host_node_.size()) ||
      net.place_.size() != net.server_.size() || net.rows_ > net.nodes_.size() ||
      net.channel_begin_.size() != net.nodes_.size() + 1 ||
      net.heads_.size() != net.channels_.size() || net.narrow_.size() + net.wide_.size() != table ||
      (!net.group_shares_.empty() && net.group_shares_.size() != net.group_channels_.size()) ||
      (!net.channel_tables_.empty() && net.channel_tables_.size() != net.channels_.size()) ||
      (!net.sls_.empty() && net.sls_.size() != table) ||
      (net.is_adaptive() &&
       (net.choice_.size() != table * net.tables_ || net.first_group_.size() != net.rows_)))
    return fail(Code::kBadInput, "found {} bytes that are no routed network of this version",
                bytes.size());
  return net;
}

bool RoutedNetwork::operator==(const RoutedNetwork& other) const {
  return to_bytes() == other.to_bytes();
}

}  // namespace weft
