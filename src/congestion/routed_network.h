// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The network of the simulator: every directed edge is a channel, including edges from and to
// hosts, and a table holds the next channel for each node and destination. All data is in flat
// arrays, so that a hop requires three memory accesses, and the network can be sent to other
// processes as bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/large_vector.h"
#include "base/result.h"
#include "fabric/fabric.h"
#include "fabric/formats/format.h"
#include "routes/routes.h"

namespace weft {

class DotEcho;

/// Names of a node; `label` is the readable name of a node, `name` its identifier in a graph.
struct NetNode {
  std::string name;   // as in a DOT file; a host's second and further ports are NODE:PORT
  std::string label;  // a fabric's node description; empty if there is none
  Guid guid{};        // of the node; 0 if the name contains no GUID
};

/// A channel: one direction of a link.
struct NetChannel {
  std::uint32_t from = 0;  // nodes
  std::uint32_t to = 0;
  std::uint32_t rate = 0;  // data rate in units of 100 Mbit/s; 0 if unknown
  std::uint8_t from_port = 0;
  std::uint8_t to_port = 0;  // 0 if unknown
  bool operator==(const NetChannel&) const = default;
};

enum class NetWalkEnd : std::uint8_t { kArrived, kUnrouted, kLoop };

/// Result of following a path.
struct NetWalk {
  NetWalkEnd end = NetWalkEnd::kArrived;
  std::uint32_t at = 0;  // the node without a next channel, or a node of the loop; else 0
};

class RoutedNetwork {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  std::uint32_t node_count() const { return static_cast<std::uint32_t>(nodes_.size()); }
  /// Hosts are numbered in file order; hosts of a fabric by node GUID and port.
  std::uint32_t host_count() const { return static_cast<std::uint32_t>(host_node_.size()); }
  std::uint32_t channel_count() const { return static_cast<std::uint32_t>(channels_.size()); }

  const NetNode& node(std::uint32_t node) const { return nodes_[node]; }
  std::uint32_t node_of_host(std::uint32_t host) const { return host_node_[host]; }
  /// Number of the host at this node; kNone for a switch.
  std::uint32_t host_of_node(std::uint32_t node) const { return node_host_[node]; }
  bool is_host(std::uint32_t node) const { return node_host_[node] != kNone; }
  /// By host: the number of the server that the port belongs to, if some server of a fabric has
  /// several ports (fabric/servers.h); else empty. Ports of a server are ordered by place().
  std::span<const std::uint32_t> servers() const { return server_; }
  std::uint32_t place(std::uint32_t host) const { return place_[host]; }
  /// The first node in the file; the first switch of a fabric.
  std::uint32_t first_node() const { return first_node_; }

  std::span<const NetChannel> channels() const { return channels_; }
  const NetChannel& channel(std::uint32_t id) const { return channels_[id]; }
  /// Ids of the channels that leave a node are consecutive, in file order (of a fabric, by port).
  std::span<const NetChannel> channels_from(std::uint32_t node) const {
    return channels().subspan(channel_begin_[node],
                              channel_begin_[node + 1] - channel_begin_[node]);
  }
  std::uint32_t first_channel(std::uint32_t node) const { return channel_begin_[node]; }

  /// Number of paths to each host: 2^LMC, the maximum over hosts. For a host with fewer LIDs, the
  /// paths are repeated.
  std::uint32_t paths() const { return paths_; }

  /// The channel by which packets on path `path` to host `to` leave a node; kNone if there is none.
  /// At the node of `to` itself the result has no meaning.
  std::uint32_t next(std::uint32_t node, std::uint32_t to, std::uint32_t path = 0) const {
    if (node >= rows_) return only_[node];
    return next_of_row(node, to * paths_ + path);
  }

  /// The channels of the AR group of a node for a path, by a table of the node; they need not
  /// contain next(). Empty if the path is static.
  std::span<const std::uint32_t> choices(std::uint32_t node, std::uint32_t to, std::uint32_t path,
                                         std::uint32_t table = 0) const {
    return of_group(group_channels_, node, to, path, table);
  }
  /// The relative traffic of each channel of choices(), by the weights of sub-groups; empty: equal
  /// shares.
  std::span<const std::uint32_t> shares(std::uint32_t node, std::uint32_t to, std::uint32_t path,
                                        std::uint32_t table = 0) const {
    if (group_shares_.empty()) return {};
    return of_group(group_shares_, node, to, path, table);
  }
  /// The table of the node at the head of a channel for packets with an SL that arrive by the
  /// channel: 0, or a private table, less than table_count().
  std::uint32_t table(std::uint32_t channel, std::uint8_t sl) const {
    return channel_tables_.empty() ? 0 : channel_tables_[channel][sl];
  }
  std::uint32_t table_count() const { return tables_; }
  /// The SL of packets from one host to another; 0 without private tables.
  std::uint8_t sl(std::uint32_t from_host, std::uint32_t to, std::uint32_t path) const {
    if (sls_.empty()) return 0;
    const std::uint32_t entry = heads_[only_[host_node_[from_host]]];
    return sls_[(std::size_t{to} * paths_ + path) * rows_ + entry];
  }
  bool is_adaptive() const { return !choice_.empty(); }

  /// Replaces `route` by the channels of the path. If the path has no next channel, `route` has the
  /// channels before the failure; if it has a loop, as many channels as the network has nodes.
  NetWalk walk(std::uint32_t from_host, std::uint32_t to_host, std::uint32_t path,
               std::vector<std::uint32_t>& route) const;

  /// A node in messages: "S1", or 'leaf 3' (S0002c903000e0b72).
  std::string describe_node(std::uint32_t node) const;
  /// Both nodes of a channel, with the ports if they are known.
  std::string describe_channel(std::uint32_t channel) const;

  /// Converts the network to bytes, for machines of the same architecture, and back. Fails with
  /// kBadInput on other bytes.
  std::vector<std::byte> to_bytes() const;
  static Result<RoutedNetwork> from_bytes(std::span<const std::byte> bytes);

  bool operator==(const RoutedNetwork& other) const;

  // For inner loops: the stored next hops.
  /// Nodes below rows() have a table entry for each destination; each other node is a host that
  /// uses a single channel for all destinations.
  std::uint32_t rows() const { return rows_; }
  std::span<const std::uint32_t> channel_begin() const { return channel_begin_; }
  std::span<const std::uint32_t> only_channel() const { return only_; }
  std::span<const std::uint32_t> channel_heads() const { return heads_; }
  /// By destination (host * paths() + path), then node: the position of the next channel among the
  /// channels that leave the node. One of the two tables is empty: narrow is used if no node has
  /// more than 254 channels.
  std::span<const std::uint8_t> narrow_table() const { return narrow_; }
  std::span<const std::uint32_t> wide_table() const { return wide_; }
  static constexpr std::uint8_t kNarrowNone = 0xFF;

 private:
  friend class NetworkBuilder;
  std::span<const std::uint32_t> of_group(std::span<const std::uint32_t> values, std::uint32_t node,
                                          std::uint32_t to, std::uint32_t path,
                                          std::uint32_t table) const {
    if (choice_.empty() || node >= rows_) return {};
    const std::size_t destination = (std::size_t{table} * host_count() + to) * paths_ + path;
    const std::uint16_t choice = choice_[destination * rows_ + node];
    if (choice == kNoChoice) return {};
    const std::uint32_t group = first_group_[node] + choice;
    return values.subspan(group_begin_[group], group_begin_[group + 1] - group_begin_[group]);
  }
  std::uint32_t next_of_row(std::uint32_t node, std::uint32_t destination) const {
    const std::size_t at = std::size_t{destination} * rows_ + node;
    if (!narrow_.empty())
      return narrow_[at] == kNarrowNone ? kNone : channel_begin_[node] + narrow_[at];
    return wide_[at] == kNone ? kNone : channel_begin_[node] + wide_[at];
  }

  std::vector<NetNode> nodes_;  // nodes with rows first
  std::uint32_t rows_ = 0;
  std::uint32_t first_node_ = 0;
  std::uint32_t paths_ = 1;
  std::vector<std::uint32_t> host_node_;
  std::vector<std::uint32_t> node_host_;
  std::vector<std::uint32_t> server_, place_;  // by host; see servers()
  std::vector<NetChannel> channels_;
  std::vector<std::uint32_t> channel_begin_;  // by node, plus the end
  std::vector<std::uint32_t> heads_;          // by channel, the node at its head
  std::vector<std::uint32_t> only_;           // by node; kNone for nodes with rows
  LargeVector<std::uint8_t> narrow_;
  LargeVector<std::uint32_t> wide_;

  static constexpr std::uint16_t kNoChoice = 0xFFFF;
  std::uint32_t tables_ = 1;                   // tables of each node, private tables included
  LargeVector<std::uint16_t> choice_;          // by table, destination, node: AR group; or empty
  std::vector<std::uint32_t> first_group_;     // by node with a row
  std::vector<std::uint32_t> group_begin_;     // by group, in group_channels_; plus the end
  std::vector<std::uint32_t> group_channels_;  // ascending within a group
  std::vector<std::uint32_t> group_shares_;    // as group_channels_; empty: 1 each
  std::vector<std::array<std::uint8_t, kSlCount>> channel_tables_;  // by SL; see table()
  LargeVector<std::uint8_t> sls_;  // by destination, then node at which packets enter; see sl()
};

/// Hosts are CA and router ports that are cabled to a switch and have a LID, except aggregation
/// nodes; cables from CA to CA are omitted. Fails with kBadInput if there is no host, or the table
/// would be too large.
Result<RoutedNetwork> network_of(const Fabric& fabric, const Lfts& lfts,
                                 const ArTables* adaptive = nullptr);
/// As network_of() with the tables of the routes, private tables included. The paths of packets
/// have the SLs of the routes.
Result<RoutedNetwork> network_of(const Fabric& fabric, const Routes& routes);

/// By PortId of the fabric: the channel that leaves by the port in network_of(fabric, ...), or
/// kNone.
std::vector<std::uint32_t> channels_by_port(const Fabric& fabric, const RoutedNetwork& network);

/// Reads a routed graph in the format of ORCS. Nodes with names that begin with H are hosts. The
/// next hop to a destination is the first edge of the node, in file order, with a comment that is
/// "*" or lists the destination. Names in a list are separated by blanks, commas, tabs or newlines.
/// Listed names that are no nodes of the graph cause a warning. `echo`, if not null, receives the
/// text of the graph, so that the graph can be written again. Fails with kBadInput if the graph is
/// not directed, or has no host or no lists.
Result<RoutedNetwork> read_routed_dot(LineReader& lines, Warnings& warnings,
                                      DotEcho* echo = nullptr);

}  // namespace weft
