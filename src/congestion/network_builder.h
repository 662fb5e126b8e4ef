// Puts a RoutedNetwork together: nodes and edges first, in the file's order, then the next hops.
// Used by the readers of this folder only.
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

  /// A host that picks its channel by the destination, as a switch does.
  void give_row(Index host) { has_row_[host] = true; }
  bool has_row(Index node) const { return has_row_[node]; }

  /// Settles nodes and channels; from here on only next hops may be set. Fails with kBadInput where
  /// there is no host, or the table would be too large.
  Status lay_out(const std::string& source, std::uint32_t paths);

  /// Of those without a row: the one edge that they send by.
  void set_only(Index node, Index edge);
  /// The first edge that is set counts. `destination` is a node that is a host.
  void set_next(Index node, Index destination, Index edge);
  void set_next_to_all(Index node, Index edge);
  /// Overwrites; `place` is that of the edge among those that leave the node.
  void set_place(Index node, std::uint32_t destination_path, std::uint32_t place);

  /// Nodes with a row may choose: the groups of each, as places, in order of `node`; every node
  /// with a row has its turn. Then the group that a node has for a destination.
  void add_groups(Index node, const std::vector<std::vector<std::uint32_t>>& groups);
  void set_choice(Index node, std::uint32_t destination_path, std::uint16_t group);

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
