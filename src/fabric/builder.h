// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Collects nodes and cables in any order, checks their consistency, and builds the immutable
// Fabric.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

class FabricBuilder {
 public:
  using NodeIndex = std::uint32_t;  // in order of add_node; valid in this builder only

  /// Properties of a port; a missing value is the default of Port. Both ends of a cable may give
  /// width and speed; the slower value is used.
  struct PortSpec {
    /// On a switch, only that of port 0 is used; default: the node GUID. On other nodes the default
    /// is the node GUID plus the port number.
    std::optional<Guid> guid;
    std::optional<LinkWidth> width;
    std::optional<LinkSpeed> speed;
    std::optional<Mtu> mtu_cap;
    std::optional<std::uint8_t> data_vls;
    std::optional<LidRange> lid;  // on a switch, the LIDs of port 0
    bool may_share_guid = false;  // with other ports of its node, without a warning
    /// A fabric-management port. A cable between two switches with such a port at an end is an FNM
    /// link (FnmEnd). At a CA or router, and with a cable to a CA or router, it has no effect.
    bool is_fnm = false;
  };

  /// Adds a node. build() checks that GUIDs are unique.
  NodeIndex add_node(Node node);
  /// Valid until the next add_node(). The type and the number of ports must not be changed.
  Node& node(NodeIndex index) { return drafts_[index].node; }
  NodeIndex node_count() const { return static_cast<NodeIndex>(drafts_.size()); }

  /// Sets properties of a port; later values replace earlier ones, but a true flag stays true.
  /// Fails with kBadInput on a port number that the node does not have.
  Status describe_port(NodeIndex node, PortNum port, const PortSpec& spec);

  /// Adds a cable between two ports. A cable may be added again, also with its ends exchanged.
  /// Fails with kBadInput if a port does not exist or has a cable to another port, if a port is
  /// port 0, or if both ports are the same; the message names the ports.
  Status connect(NodeIndex a, PortNum a_port, NodeIndex b, PortNum b_port);

  /// Builds the fabric. Fails with kBadInput on a duplicate node GUID (naming both nodes), or
  /// without nodes. Invalid or duplicate LIDs do not fail: they are dropped, and `warnings`, if
  /// given, gets a line for each, and a line for each port GUID of several ports
  /// (PortSpec::may_share_guid).
  Result<Fabric> build(std::vector<std::string>* warnings = nullptr) const;

 private:
  struct PortDraft {
    PortSpec spec;
    bool cabled = false;
    NodeIndex peer = 0;
    PortNum peer_port;
  };
  struct NodeDraft {
    Node node;
    std::vector<PortDraft> ports;  // by number, 0 included
  };
  Result<PortDraft*> draft(NodeIndex node, PortNum port);
  /// Node indexes in the order of the fabric: switches first, then by GUID.
  std::vector<NodeIndex> sorted_nodes() const;
  // Steps of build(), in this order.
  Status add_nodes(std::span<const NodeIndex> order, Fabric& fabric) const;
  void add_ports(std::span<const NodeIndex> order, Fabric& fabric) const;
  /// Adds a port to Fabric::fnm_ends() and returns true, if it belongs there.
  bool add_fnm_end(const NodeDraft& node, const PortDraft& port, FnmEnd end, Fabric& fabric) const;
  static void add_channels(Fabric& fabric);
  static void add_endports(Fabric& fabric);
  void index_port_guids(std::span<const NodeIndex> order, Fabric& fabric,
                        std::vector<std::string>* warnings) const;
  static void assign_lids(Fabric& fabric, std::vector<std::string>* warnings);

  std::vector<NodeDraft> drafts_;
};

}  // namespace weft
