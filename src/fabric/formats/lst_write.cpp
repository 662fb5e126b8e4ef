// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>
#include <numeric>

#include "base/printable.h"
#include "fabric/formats/lst.h"
#include "fabric/opensm_order.h"

namespace weft {
namespace {

/// The lane speed in Gbit/s as OpenSM prints it.
std::string_view lane_speed_text(LinkSpeed speed) {
  switch (speed) {
    case LinkSpeed::kSdr:
      return "2.5";
    case LinkSpeed::kDdr:
      return "5";
    case LinkSpeed::kQdr:
      return "10";
    case LinkSpeed::kFdr10:
      return "FDR10";
    case LinkSpeed::kFdr:
      return "14";
    case LinkSpeed::kEdr:
      return "25";
    case LinkSpeed::kHdr:
      return "50";
    case LinkSpeed::kNdr:
      return "100";
    case LinkSpeed::kXdr:
      return "200";
  }
  return "???";
}

/// Writes one end of a cable. The two ends of a line have vendor and device in different formats.
void write_end(const Fabric& fabric, const Port& port, EndportId sm, bool second,
               std::string& line) {
  const Node& node = fabric.node(port.node);
  const bool at_switch = fabric.is_switch(port.node);
  const bool manager = sm != kNoEndport && fabric.endport(sm).node == port.node;
  const Lid lid = at_switch ? fabric.ports(port.node)[0].lid : port.lid;
  fmt::format_to(std::back_inserter(line),
                 "{{ {}{} Ports:{:02X} SystemGUID:{:016x} NodeGUID:{:016x} PortGUID:{:016x} ",
                 name(node.type), manager ? "-SM" : "", node.port_count, node.system_guid.value(),
                 node.node_guid.value(), port.guid.value());
  if (second) {
    fmt::format_to(std::back_inserter(line), "VenID:{:08X} DevID:{:04X} ", node.vendor_id,
                   std::uint32_t{node.device_id} << 16);
  } else {
    fmt::format_to(std::back_inserter(line), "VenID:{:06X} DevID:{:04X} ", node.vendor_id,
                   node.device_id);
  }
  fmt::format_to(std::back_inserter(line), "Rev:{:08X} {{{}}} LID:{:04X} PN:{:02X} }} ",
                 node.revision, without_controls(node.description), lid.value(), port.num.value());
}

}  // namespace

void write_lst(const Fabric& fabric, EndportId sm, const Append& append) {
  std::string line;
  for (const NodeId node : nodes_in_opensm_order(fabric)) {
    for (const Port& port : fabric.ports(node)) {
      if (port.peer == kNoPort) continue;
      line.clear();
      write_end(fabric, port, sm, false, line);
      write_end(fabric, fabric.port(port.peer), sm, true, line);
      fmt::format_to(std::back_inserter(line), "PHY={} LOG=ACT SPD={}\n", name(port.width),
                     lane_speed_text(port.speed));
      append(line);
    }
  }
}

}  // namespace weft
