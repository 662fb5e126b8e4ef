// What the fabric is, as discovery found it: the graph, and beside each node the attributes as they
// were answered.
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

namespace weft {

/// The way to a node by port numbers from the manager's own port: hops[1..count].
struct DirectedPath {
  HopPath hops{};
  std::uint8_t count = 0;
  bool operator==(const DirectedPath&) const = default;
};

/// The path that leaves the node at the end of `path` by one more port; it must have hops left.
inline DirectedPath longer(DirectedPath path, PortNum port) {
  path.hops[++path.count] = port.value();
  return path;
}

struct ObservedNode {
  std::string own_description;  // of a node that node_name_map_name calls otherwise; else empty
  NodeInfo info;
  SwitchInfo switch_info;           // of switches
  std::vector<PortInfo> ports;      // by port number; default values where `asked` is false
  std::vector<bool> asked;          // by port number: the port has answered
  std::vector<DirectedPath> paths;  // one on a switch; on others by port number, from index 0

  bool refuses_extended_speeds = false;  // status 0x1C to SMSupportExtendedSpeeds

  /// By port number, of nodes that answered it for some port; else empty.
  std::vector<ExtendedPortInfo> extended;

  /// Of a port that nothing is known of, all is 0.
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
  /// The way to the agent that looks after a port. A switch has one agent for all; a CA has one
  /// behind each port.
  const DirectedPath& path(PortNum port = PortNum(0)) const {
    return info.type == NodeType::kSwitch ? paths.front() : paths[port.value()];
  }
};

/// A question that got no answer though the cables to whom it went are up, or a bad status: to be
/// asked again from time to time.
struct SilentPort {
  DirectedPath path;
  AttributeId attribute = AttributeId::kNodeInfo;
  std::uint32_t modifier = 0;
  std::string name;      // of the node, or of the port before it, for messages
  bool refused = false;  // it answered, with a bad status
};

struct Observed {
  Fabric fabric;
  std::vector<ObservedNode> nodes;  // by NodeId
  NodeId self;                      // the node that the manager sits on
  PortNum self_port;                // and its port: 0 on a switch
  EndportId self_endport = kNoEndport;
  std::vector<SilentPort> silent;
  /// What did not answer, answered nonsense, or contradicts itself; each names the node or port.
  std::vector<std::string> warnings;
  /// Of the warnings those that tell of two nodes with one GUID, as far as one look can tell.
  std::vector<std::string> shared_guids;
  /// Cables whose ends do not agree: the fabric changed while it was looked at, or two nodes share
  /// a GUID.
  std::uint32_t contradictions = 0;
};

/// True where a port is up: its peer can be asked, and its state can be changed.
inline bool link_is_up(const PortInfo& info) { return info.state >= PortState::kInit; }

}  // namespace weft
