// Collects nodes and cables in any order, checks that they make sense together, and lays out the
// immutable Fabric.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

class FabricBuilder {
 public:
  using NodeIndex = std::uint32_t;  // the builder's own handle, in order of add_node

  /// What may be said about a port. Both ends of a cable may say it; the slower width and speed
  /// wins.
  struct PortSpec {
    std::optional<Guid> guid;
    std::optional<LinkWidth> width;
    std::optional<LinkSpeed> speed;
    std::optional<Mtu> mtu_cap;
    std::optional<std::uint8_t> data_vls;
    std::optional<LidRange> lid;  // on a switch, of port 0
  };

  /// Adds a node; GUIDs must be unique, which build() checks.
  NodeIndex add_node(Node node);
  Node& node(NodeIndex index) { return drafts_[index].node; }
  NodeIndex node_count() const { return static_cast<NodeIndex>(drafts_.size()); }

  /// Adds to what is known about a port; later words replace earlier ones. Fails with kBadInput on
  /// a port number that the node does not have.
  Status describe_port(NodeIndex node, PortNum port, const PortSpec& spec);

  /// Cables two ports. Saying the same cable again (from the other end) is fine. Fails with
  /// kBadInput when a port does not exist or is cabled already to somebody else; the message names
  /// the ports.
  Status connect(NodeIndex a, PortNum a_port, NodeIndex b, PortNum b_port);

  /// The fabric. Fails with kBadInput on a duplicate node GUID (naming both), or no node at all.
  /// LIDs that are invalid or held twice do not fail: they are dropped, and a line for each is
  /// added to `warnings` if given.
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

  std::vector<NodeDraft> drafts_;
};

}  // namespace weft
