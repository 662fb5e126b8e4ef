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

/// A directed route: output ports from the manager's own port to a node, hops[1..count].
struct DirectedPath {
  HopPath hops{};
  std::uint8_t count = 0;
  bool operator==(const DirectedPath&) const = default;
};

/// `path` extended by one output port; it must have hops left.
inline DirectedPath longer(DirectedPath path, PortNum port) {
  path.hops[++path.count] = port.value();
  return path;
}

struct ObservedNode {
  std::string own_description;  // as read, if node_name_map_name replaces it; else empty
  NodeInfo info;
  SwitchInfo switch_info;           // of switches
  std::vector<PortInfo> ports;      // by port number; default values if `asked` is false
  std::vector<bool> asked;          // by port number: the port has answered
  std::vector<DirectedPath> paths;  // one on a switch; on others by port number, from index 0

  bool refuses_extended_speeds = false;  // status 0x1C to SMSupportExtendedSpeeds

  /// By port number; empty if no port of the node returned it.
  std::vector<ExtendedPortInfo> extended;

  /// All 0 for a port without data.
  ExtendedPortInfo extended_at(PortNum port) const {
    return extended.empty() ? ExtendedPortInfo{} : extended[port.value()];
  }
  /// Whether PortInfo of a port is read and set with SMSupportExtendedSpeeds, bit 31 of the
  /// modifier. IsExtendedSpeedsSupported of port 0 is that of all ports of a switch; port 0 has no
  /// link.
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

/// A request that got no answer although the links on its path are up, or an error status: it is
/// repeated from time to time.
struct SilentPort {
  DirectedPath path;
  AttributeId attribute = AttributeId::kNodeInfo;
  std::uint32_t modifier = 0;
  std::string name;      // of the node, or of the port before it, for messages
  bool refused = false;  // it answered with an error status
};

struct Observed {
  Fabric fabric;
  std::vector<ObservedNode> nodes;      // by NodeId
  NodeId self;                          // the node that the manager sits on
  PortNum self_port;                    // and its port: 0 on a switch
  std::vector<PortNum> more_own_ports;  // SmOptions::more_own_ports
  /// Of self_port; if that has no link, of the first of more_own_ports that has one.
  EndportId self_endport = kNoEndport;
  std::vector<SilentPort> silent;
  std::vector<DirectedPath> illegal;  // to nodes that answered with impossible values
  AvoidedLinks avoided;               // links that are not part of the fabric
  Vports vports;                      // kept from discovery to discovery (vports/vport_reading.h)
  /// Missing, invalid or contradictory answers; each names the node or port.
  std::vector<std::string> warnings;
  /// The warnings about two nodes with the same GUID, as far as one discovery can detect them.
  std::vector<std::string> shared_guids;
  /// Links with contradictory ends: the fabric changed during discovery, or two nodes share a GUID.
  std::uint32_t contradictions = 0;
};

/// True if the link is up: the peer can be queried, and the port state can be set.
inline bool link_is_up(const PortInfo& info) { return info.state >= PortState::kInit; }

}  // namespace weft
