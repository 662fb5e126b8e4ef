// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The fabric as an immutable graph in flat arrays: nodes, ports, the channels between switches, and
// the endport of each LID. FabricBuilder builds a Fabric once; afterwards it is const and may be
// shared between threads. Switches are sorted by GUID, and so are the other nodes, so that a
// topology gives the same Fabric in whatever order it was read or discovered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/strong.h"
#include "ib/enums.h"
#include "ib/ids.h"

namespace weft {

using NodeId =
    Strong<struct NodeIdTag, std::uint32_t>;  // dense: switches first, then CAs and routers
using SwitchId =
    Strong<struct SwitchIdTag, std::uint32_t>;  // dense; the same number as the switch's NodeId
using PortId =
    Strong<struct PortIdTag, std::uint32_t>;  // dense over all ports, port 0 of every node included
using ChannelId =
    Strong<struct ChannelIdTag, std::uint32_t>;  // dense over directed switch-to-switch channels
using EndportId =
    Strong<struct EndportIdTag, std::uint32_t>;  // dense over ports that can have LIDs; see Endport

inline constexpr PortId kNoPort{0xFFFFFFFF};
inline constexpr SwitchId kNoSwitch{0xFFFFFFFF};
inline constexpr ChannelId kNoChannel{0xFFFFFFFF};
inline constexpr EndportId kNoEndport{0xFFFFFFFF};

struct Node {
  NodeType type = NodeType::kCa;
  Guid node_guid;
  Guid system_guid;
  std::uint32_t vendor_id = 0;
  std::uint16_t device_id = 0;
  std::uint32_t revision = 0;
  std::uint8_t port_count = 0;  // physical ports, 1..port_count; switches also have port 0
  bool enhanced_port0 = false;
  std::string description;
};

/// The properties of a port that routing and reports use. Port 0 of a CA is a placeholder that is
/// never connected.
struct Port {
  NodeId node;
  PortNum num;
  Guid guid;  // on a switch, the GUID of its port 0
  PortId peer = kNoPort;
  LinkWidth width = LinkWidth::k4x;   // active; equal on both ends
  LinkSpeed speed = LinkSpeed::kSdr;  // active; equal on both ends
  Mtu mtu_cap = Mtu::k2048;
  std::uint8_t data_vls = 8;  // data VLs that the port can operate: 1, 2, 4, 8 or 15
  Lid lid{};                  // base LID as read or assigned; 0 if there is none
  std::uint8_t lmc = 0;
};

/// One direction of a cable between two different switches. A loopback cable of a switch has no
/// channels.
struct Channel {
  SwitchId from;
  PortNum from_port;
  SwitchId to;
  PortNum to_port;
  ChannelId reverse;
};

/// A port that can have LIDs: port 0 of a switch (EndportId s is SwitchId s), then each connected
/// port of a CA or router, sorted by node and port number. `sw`/`sw_port` is the switch port that
/// forwards packets to the endport: for a switch its own port 0; kNoSwitch if a CA is cabled to
/// another CA.
struct Endport {
  PortId port;
  NodeId node;
  SwitchId sw;
  PortNum sw_port;
  Lid lid{};
  std::uint8_t lmc = 0;

  /// Whether the endport has a LID and is cabled to a switch, or is port 0 of a switch with a LID.
  bool addressed() const { return sw != kNoSwitch && lid != kLidNone; }
};

/// A fabric-management (FNM) port of a switch. The links of such ports carry directed-route SMPs
/// only. They are no cables of the graph: their ports have neither a peer nor a channel.
struct FnmEnd {
  PortId port = kNoPort;
  PortId peer = kNoPort;  // the other end of its link; kNoPort without a link
  bool operator==(const FnmEnd&) const = default;
};

struct LidRange {
  Lid base{};
  std::uint8_t lmc = 0;
  bool operator==(const LidRange&) const = default;
};

class Fabric {
 public:
  std::uint32_t node_count() const { return static_cast<std::uint32_t>(nodes_.size()); }
  std::uint32_t switch_count() const { return switch_count_; }
  std::uint32_t port_count() const { return static_cast<std::uint32_t>(ports_.size()); }
  std::uint32_t channel_count() const { return static_cast<std::uint32_t>(channels_.size()); }
  std::uint32_t endport_count() const { return static_cast<std::uint32_t>(endports_.size()); }
  /// The FNM ports of switches and the switch ports at the other ends of their links, sorted by
  /// port.
  std::span<const FnmEnd> fnm_ends() const { return fnm_ends_; }
  /// The entry of fnm_ends() of a port; null if there is none.
  const FnmEnd* fnm_end(PortId port) const;
  /// The other end of the cable or FNM link of a port; kNoPort if there is none. Directed routes
  /// may contain both.
  PortId far_end(PortId port) const;
  /// Number of CAs and routers: both are end nodes for routing.
  std::uint32_t ca_count() const { return node_count() - switch_count_; }
  /// Number of all cables, then of cables between switches. Both include loopback cables, but no
  /// FNM links.
  std::uint32_t link_count() const { return link_count_; }
  std::uint32_t switch_link_count() const { return switch_link_count_; }

  bool is_switch(NodeId node) const { return node.value() < switch_count_; }
  static NodeId node_of(SwitchId sw) { return NodeId(sw.value()); }
  static EndportId endport_of(SwitchId sw) { return EndportId(sw.value()); }

  const Node& node(NodeId id) const { return nodes_[id.value()]; }
  const Node& node(SwitchId id) const { return nodes_[id.value()]; }
  std::span<const Node> nodes() const { return nodes_; }

  /// Ports of a node indexed by port number, 0 included.
  std::span<const Port> ports(NodeId node) const { return part(ports_, port_begin_, node.value()); }
  std::span<const Port> ports(SwitchId sw) const { return ports(node_of(sw)); }
  const Port& port(PortId id) const { return ports_[id.value()]; }
  /// The id of a port; kNoPort if the node has no such port.
  PortId port_id(NodeId node, PortNum num) const {
    if (num.value() > nodes_[node.value()].port_count) return kNoPort;
    return PortId(port_begin_[node.value()] + num.value());
  }

  std::span<const Channel> channels() const { return channels_; }
  const Channel& channel(ChannelId id) const { return channels_[id.value()]; }
  /// The cables between different switches, each given by the lower of its two channels.
  std::vector<ChannelId> cables() const;
  /// Channels that leave a switch, sorted by port number; `first_channel` is the id of the first.
  std::span<const Channel> channels_from(SwitchId sw) const {
    return part(channels_, channel_begin_, sw.value());
  }
  ChannelId first_channel(SwitchId sw) const { return ChannelId(channel_begin_[sw.value()]); }
  /// The channel that leaves the switch through this port, or kNoChannel.
  ChannelId channel_at(SwitchId sw, PortNum port) const {
    const PortId id = port_id(node_of(sw), port);
    return id == kNoPort ? kNoChannel : channel_of_port_[id.value()];
  }

  std::span<const Endport> endports() const { return endports_; }
  const Endport& endport(EndportId id) const { return endports_[id.value()]; }
  /// CA and router ports that are addressed(), in the order of EndportId.
  std::vector<EndportId> hosts() const;
  /// CA and router ports cabled to a switch, with or without a LID, sorted by its port number.
  std::span<const EndportId> endports_at(SwitchId sw) const {
    return part(attached_, attached_begin_, sw.value());
  }

  /// The endport of a port, or kNoEndport.
  EndportId endport_at(PortId port) const { return endport_of_port_[port.value()]; }

  /// The highest unicast LID in use, 0 if there is none.
  Lid lid_top() const { return lid_top_; }
  /// The endport of a LID, or kNoEndport.
  EndportId endport_of(Lid lid) const {
    return lid.value() < lid_owner_.size() ? lid_owner_[lid.value()] : kNoEndport;
  }

  std::optional<NodeId> find_node(Guid node_guid) const;
  /// The endport with a port GUID; a switch is found by the GUID of its port 0 or of its node.
  std::optional<EndportId> find_endport(Guid port_guid) const;

  /// The same fabric with other LIDs, one range per endport. Fails with kBadInput on a duplicate
  /// LID, naming both endports, and on a range that is misaligned or exceeds the unicast LIDs. base
  /// 0 means no LID.
  Result<Fabric> with_lids(std::span<const LidRange> ranges) const&;
  /// Uses the memory of this fabric.
  Result<Fabric> with_lids(std::span<const LidRange> ranges) &&;

 private:
  friend class FabricBuilder;
  Status set_lids(std::span<const LidRange> ranges);
  Status index_lids();
  /// The elements of a node in a flat array. begin[node] is the index of the first element of the
  /// node, begin[node + 1] that of the first element after them.
  template <class T>
  static std::span<const T> part(const std::vector<T>& all, const std::vector<std::uint32_t>& begin,
                                 std::uint32_t node) {
    return std::span(all).subspan(begin[node], begin[node + 1] - begin[node]);
  }

  std::vector<Node> nodes_;
  std::uint32_t switch_count_ = 0;
  std::uint32_t link_count_ = 0;
  std::uint32_t switch_link_count_ = 0;
  std::vector<Port> ports_;
  std::vector<std::uint32_t> port_begin_;  // node_count() + 1 entries
  std::vector<Channel> channels_;
  std::vector<std::uint32_t> channel_begin_;  // switch_count() + 1 entries
  std::vector<ChannelId> channel_of_port_;    // by PortId
  std::vector<Endport> endports_;
  std::vector<EndportId> endport_of_port_;  // by PortId
  std::vector<EndportId> attached_;
  std::vector<std::uint32_t> attached_begin_;  // switch_count() + 1 entries
  std::vector<EndportId> lid_owner_;
  std::vector<FnmEnd> fnm_ends_;
  Lid lid_top_{};
  std::vector<std::pair<Guid, NodeId>> by_node_guid_;     // sorted
  std::vector<std::pair<Guid, EndportId>> by_port_guid_;  // sorted
};

/// 'name' (0xGUID): the form of a node in all messages.
std::string describe(const Node& node);
/// 'name' (0xGUID) port N.
std::string describe(const Fabric& fabric, PortId port);

}  // namespace weft
