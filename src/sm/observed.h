// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The discovered fabric: the graph, and for each node the attributes it returned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "ib/extended_port_info.h"
#include "ib/modifiers.h"
#include "ib/node_info.h"
#include "ib/port_info.h"
#include "ib/smp.h"
#include "ib/switch_info.h"
#include "sm/health/avoided_links.h"
#include "sm/observed_vports.h"

namespace weft {

/// A directed route: output ports from the manager's own port to a node, in hops[1..count].
struct DirectedPath {
  HopPath hops{};
  std::uint8_t count = 0;
  bool operator==(const DirectedPath&) const = default;
};

/// `path` with one more output port; its hop count must be below the maximum.
inline DirectedPath longer(DirectedPath path, PortNum port) {
  path.hops[++path.count] = port.value();
  return path;
}

struct ObservedNode {
  std::string
      own_description;  // description from the node if the graph has another name; otherwise empty
  NodeInfo info;
  SwitchInfo switch_info;           // valid on switches
  std::vector<PortInfo> ports;      // by port number; default values if `answered` is false
  std::vector<bool> answered;       // by port number: the port has answered
  std::vector<DirectedPath> paths;  // of a switch one path; of other nodes by port number

  bool refuses_extended_speeds = false;  // status 0x1C to SMSupportExtendedSpeeds

  /// ExtendedPortInfo as read, by port number; empty if no port of the node answered it. A Set
  /// returns the fields that the manager does not change.
  std::vector<SmpData> extended;

  /// All 0 for a port without ExtendedPortInfo.
  ExtendedPortInfo extended_at(PortNum port) const {
    return extended.empty() ? ExtendedPortInfo{}
                            : *decode_extended_port_info(extended[port.value()]);
  }
  /// Whether PortInfo of a port is read and set with SMSupportExtendedSpeeds, bit 31 of the
  /// attribute modifier. IsExtendedSpeedsSupported of port 0 applies to all external ports of a
  /// switch; port 0 itself has no link.
  bool takes_extended_speeds(PortNum port) const {
    const bool is_switch = info.type == NodeType::kSwitch;
    if (refuses_extended_speeds || (is_switch && port == PortNum(0))) return false;
    return (ports[is_switch ? 0 : port.value()].capability_mask & cap_mask::kExtendedSpeeds) != 0;
  }
  std::uint32_t port_info_modifier(PortNum port) const {
    return modifier::port_info(port, takes_extended_speeds(port));
  }
  /// Path to the SMA of a port. A switch has one SMA for all ports; a CA has one for each port.
  const DirectedPath& path(PortNum port = PortNum(0)) const {
    return info.type == NodeType::kSwitch ? paths.front() : paths[port.value()];
  }
};

/// A request that got no answer although the links on its path are up, or that was answered with an
/// error status or invalid values. Light sweeps repeat the request.
struct SilentPort {
  DirectedPath path;
  AttributeId attribute = AttributeId::kNodeInfo;
  std::uint32_t modifier = 0;
  std::string name;      // name of the node, or of the near port, for messages
  bool refused = false;  // answered with an error status or invalid values
};

struct Observed {
  Fabric fabric;
  std::vector<ObservedNode> nodes;      // by NodeId
  NodeId self;                          // the manager's node
  PortNum self_port;                    // the manager's port: 0 on a switch
  std::vector<PortNum> more_own_ports;  // SmOptions::more_own_ports
  /// The endport of self_port; if that has no link, the endport of the first of more_own_ports with
  /// a link.
  EndportId self_endport = kNoEndport;
  std::vector<SilentPort> silent;
  std::vector<DirectedPath> illegal;  // to nodes that answered with impossible values
  AvoidedLinks avoided;               // links that are not part of the fabric
  std::vector<PortId> fnm_ports;      // ports with which Fabric::fnm_ends() was computed, sorted
  Vports vports;                      // kept from discovery to discovery (vports/vport_reading.h)
  /// Missing, invalid or contradictory answers; each names the node or port.
  std::vector<std::string> warnings;
  /// The warnings about nodes or ports with the same GUID that one discovery can detect.
  std::vector<std::string> shared_guids;
  /// Links with contradictory ends: the fabric changed during discovery, or two nodes have the same
  /// GUID.
  std::uint32_t contradictions = 0;
};

/// True if the link is up: the peer can be queried, and the port state can be set.
inline bool link_is_up(const PortInfo& info) { return info.state >= PortState::kInit; }

}  // namespace weft
