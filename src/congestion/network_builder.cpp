// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/network_builder.h"

#include <algorithm>

#include "base/check.h"

namespace weft {
namespace {
constexpr std::size_t kTableMax = std::size_t{1} << 34;  // entries
}

NetworkBuilder::Index NetworkBuilder::add_node(NetNode node, bool host) {
  nodes_.push_back(std::move(node));
  is_host_.push_back(host);
  has_row_.push_back(!host);
  return node_count() - 1;
}

NetworkBuilder::Index NetworkBuilder::add_edge(Index tail, Index head, std::uint32_t rate,
                                               std::uint8_t tail_port, std::uint8_t head_port) {
  edges_.push_back({tail, head, {0, 0, rate, tail_port, head_port}});
  return static_cast<Index>(edges_.size() - 1);
}

Status NetworkBuilder::lay_out(const std::string& source, std::uint32_t paths) {
  const Index count = node_count();
  node_of_.assign(count, 0);
  net_.node_host_.assign(count, RoutedNetwork::kNone);
  net_.paths_ = paths;
  std::uint32_t next = 0;
  for (Index i = 0; i < count; ++i)
    if (has_row_[i]) node_of_[i] = next++;
  net_.rows_ = next;
  for (Index i = 0; i < count; ++i)
    if (!has_row_[i]) node_of_[i] = next++;
  for (Index i = 0; i < count; ++i) {
    if (!is_host_[i]) continue;
    net_.node_host_[node_of_[i]] = net_.host_count();
    net_.host_node_.push_back(node_of_[i]);
  }
  if (net_.host_count() == 0)
    return fail(Code::kBadInput,
                "{}: found no host, expected at least one (a graph's hosts are the nodes "
                "with names that begin with H)",
                source);
  net_.first_node_ = node_of_[0];
  net_.only_.assign(count, RoutedNetwork::kNone);

  std::vector<std::uint32_t>& begin = net_.channel_begin_;
  begin.assign(count + std::size_t{1}, 0);
  for (const Edge& edge : edges_) ++begin[node_of_[edge.tail] + std::size_t{1}];
  const std::uint32_t most = *std::ranges::max_element(begin);
  for (Index i = 0; i < count; ++i) begin[i + std::size_t{1}] += begin[i];
  std::vector<std::uint32_t> place(begin.begin(), begin.end() - 1);
  net_.channels_.resize(edges_.size());
  net_.heads_.resize(edges_.size());
  for (Edge& edge : edges_) {
    const std::uint32_t channel = place[node_of_[edge.tail]]++;
    edge.channel.from = node_of_[edge.tail];
    edge.channel.to = node_of_[edge.head];
    channel_of_edge_.push_back(channel);
    net_.heads_[channel] = edge.channel.to;
    net_.channels_[channel] = edge.channel;
  }
  const std::size_t entries = std::size_t{net_.host_count()} * paths * net_.rows_;
  if (entries > kTableMax)
    return fail(
        Code::kBadInput,
        "{}: found {} hosts and {} nodes with forwarding tables, expected a product of at most "
        "{}",
        source, net_.host_count(), net_.rows_, kTableMax / paths);
  if (most < RoutedNetwork::kNarrowNone)
    net_.narrow_.assign(entries, RoutedNetwork::kNarrowNone);
  else
    net_.wide_.assign(entries, RoutedNetwork::kNone);
  for (Index i = 0; i < count; ++i) {
    nodes_[i].name.shrink_to_fit();
    net_.nodes_.emplace_back();
  }
  for (Index i = 0; i < count; ++i) net_.nodes_[node_of_[i]] = nodes_[i];
  return {};
}

bool NetworkBuilder::fill(std::size_t at, std::uint32_t place) {
  if (!net_.narrow_.empty()) {
    if (net_.narrow_[at] != RoutedNetwork::kNarrowNone) return false;
    net_.narrow_[at] = static_cast<std::uint8_t>(place);
  } else {
    if (net_.wide_[at] != RoutedNetwork::kNone) return false;
    net_.wide_[at] = place;
  }
  return true;
}

void NetworkBuilder::set_only(Index node, Index edge) {
  net_.only_[node_of_[node]] = channel_of_edge_[edge];
}

void NetworkBuilder::set_next(Index node, Index destination, Index edge) {
  const std::uint32_t row = node_of_[node];
  const std::uint32_t place = channel_of_edge_[edge] - net_.channel_begin_[row];
  for (std::uint32_t path = 0; path < net_.paths_; ++path)
    fill(std::size_t{host_of(destination) * net_.paths_ + path} * net_.rows_ + row, place);
}

void NetworkBuilder::set_next_to_all(Index node, Index edge) {
  const std::uint32_t row = node_of_[node];
  const std::uint32_t place = channel_of_edge_[edge] - net_.channel_begin_[row];
  for (std::size_t to = 0; to < std::size_t{net_.host_count()} * net_.paths_; ++to)
    fill(to * net_.rows_ + row, place);
}

void NetworkBuilder::add_groups(Index node, const std::vector<std::vector<std::uint32_t>>& groups,
                                const std::vector<std::vector<std::uint32_t>>& shares) {
  CHECK(net_.first_group_.size() == node_of_[node]);
  if (net_.group_begin_.empty()) {
    net_.group_begin_.push_back(0);
    net_.choice_.assign(std::size_t{net_.tables_} * net_.host_count() * net_.paths_ * net_.rows_,
                        RoutedNetwork::kNoChoice);
  }
  net_.first_group_.push_back(static_cast<std::uint32_t>(net_.group_begin_.size() - 1));
  for (const auto& places : groups) {
    for (const std::uint32_t place : places)
      net_.group_channels_.push_back(net_.channel_begin_[node_of_[node]] + place);
    net_.group_begin_.push_back(static_cast<std::uint32_t>(net_.group_channels_.size()));
  }
  if (shares.empty() && net_.group_shares_.empty()) return;
  std::size_t before = net_.group_channels_.size();
  for (const auto& places : groups) before -= places.size();
  net_.group_shares_.resize(before, 1);
  for (const auto& of_group : shares)
    net_.group_shares_.insert(net_.group_shares_.end(), of_group.begin(), of_group.end());
  net_.group_shares_.resize(net_.group_channels_.size(), 1);
}

void NetworkBuilder::set_tables(std::uint32_t count) {
  CHECK(net_.first_group_.empty());
  net_.tables_ = count;
  net_.channel_tables_.resize(net_.channel_count());
}

void NetworkBuilder::set_table(Index edge, Sl sl, std::uint8_t table) {
  net_.channel_tables_[channel_of_edge_[edge]][sl.value()] = table;
}

void NetworkBuilder::set_sl(Index node, std::uint32_t destination_path, Sl sl) {
  if (net_.sls_.empty())
    net_.sls_.assign(std::size_t{net_.host_count()} * net_.paths_ * net_.rows_, 0);
  net_.sls_[std::size_t{destination_path} * net_.rows_ + node_of_[node]] = sl.value();
}

void NetworkBuilder::set_choice(Index node, std::uint32_t destination_path, std::uint16_t group,
                                std::uint32_t table) {
  const std::size_t destination =
      std::size_t{table} * net_.host_count() * net_.paths_ + destination_path;
  net_.choice_[destination * net_.rows_ + node_of_[node]] = group;
}

void NetworkBuilder::set_place(Index node, std::uint32_t destination_path, std::uint32_t place) {
  fill(std::size_t{destination_path} * net_.rows_ + node_of_[node], place);
}

}  // namespace weft
