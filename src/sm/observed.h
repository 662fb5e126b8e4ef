// What the fabric is, as discovery found it: the graph, and beside each node the attributes as they
// were answered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"
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

struct ObservedNode {
  NodeInfo info;
  DirectedPath path;
  SwitchInfo switch_info;       // of switches
  std::vector<PortInfo> ports;  // by port number; default values where `asked` is false
  std::vector<bool> asked;      // by port number: the port has answered
};

struct Observed {
  Fabric fabric;
  std::vector<ObservedNode> nodes;  // by NodeId
  NodeId self;                      // the node that the manager sits on
  PortNum self_port;                // and its port: 0 on a switch
  EndportId self_endport = kNoEndport;
  std::vector<std::string>
      warnings;  // what did not answer, answered nonsense, or contradicts itself
};

/// True where a port is up: its peer can be asked, and its state can be changed.
inline bool link_is_up(const PortInfo& info) { return info.state >= PortState::kInit; }

}  // namespace weft
