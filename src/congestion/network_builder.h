// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Builds a RoutedNetwork: nodes and edges first, in file order, then the next hops. Used by the
// readers of this folder only.
#pragma once

#include "congestion/routed_network.h"

namespace weft {

class NetworkBuilder {
 public:
  using Index = std::uint32_t;  // of a node or an edge, in the order in which they were added

  Index add_node(NetNode node, bool host);
  Index add_edge(Index tail, Index head, std::uint32_t rate = 0, std::uint8_t tail_port = 0,
                 std::uint8_t head_port = 0);
  Index node_count() const { return static_cast<Index>(nodes_.size()); }
  const std::string& name(Index node) const { return nodes_[node].name; }
  bool is_host(Index node) const { return is_host_[node]; }

  /// Gives a host a table row, with a next hop for each destination, as switches have.
  void add_row(Index host) { has_row_[host] = true; }
  bool has_row(Index node) const { return has_row_[node]; }

  /// Assigns the numbers of nodes and channels; afterwards no nodes, edges or rows can be added.
  /// `source` is the name for messages, `paths` the number of paths to each host. Fails with
  /// kBadInput if there is no host, or the table would be too large.
  Status lay_out(const std::string& source, std::uint32_t paths);

  /// Sets the only edge of a node without a row.
  void set_only(Index node, Index edge);
  /// Sets the next hop for all paths to the host `destination`; a next hop that is set remains.
  void set_next(Index node, Index destination, Index edge);
  void set_next_to_all(Index node, Index edge);
  /// As set_next(), for one path: `destination_path` is the number of the host times the number of
  /// paths, plus the path. `place` is the position of the edge among the edges that leave the node.
  void set_place(Index node, std::uint32_t destination_path, std::uint32_t place);

  /// Sets the number of tables of each node, private tables included, before add_groups().
  void set_tables(std::uint32_t count);
  /// Sets the table of the node at the head of an edge for packets with an SL.
  void set_table(Index edge, Sl sl, std::uint8_t table);
  /// Sets the SL of packets that enter at a node with a row, after lay_out().
  void set_sl(Index node, std::uint32_t destination_path, Sl sl);
  /// Adds the AR groups of a node with a row, each a list of places. Must be called for all nodes
  /// with a row, in order of `node`. Then set_choice() sets a node's group for a destination.
  /// `shares` has the relative traffic of each place; empty: equal for all places of a node.
  void add_groups(Index node, const std::vector<std::vector<std::uint32_t>>& groups,
                  const std::vector<std::vector<std::uint32_t>>& shares = {});
  void set_choice(Index node, std::uint32_t destination_path, std::uint16_t group,
                  std::uint32_t table = 0);

  /// Sets servers() and place() of the RoutedNetwork, by host. Call it after lay_out().
  void set_servers(std::vector<std::uint32_t> server, std::vector<std::uint32_t> place) {
    net_.server_ = std::move(server);
    net_.place_ = std::move(place);
  }

  std::uint32_t channel_of(Index edge) const { return channel_of_edge_[edge]; }
  std::uint32_t host_of(Index node) const { return net_.node_host_[node_of_[node]]; }
  RoutedNetwork take() { return std::move(net_); }

 private:
  struct Edge {
    Index tail, head;
    NetChannel channel;
  };
  bool fill(std::size_t at, std::uint32_t place);

  std::vector<NetNode> nodes_;
  std::vector<bool> is_host_;
  std::vector<bool> has_row_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> node_of_;  // by index, in the network
  std::vector<std::uint32_t> channel_of_edge_;
  RoutedNetwork net_;
};

}  // namespace weft
