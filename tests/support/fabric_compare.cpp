// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/fabric_compare.h"

#include <fmt/format.h>

namespace weft {

std::vector<std::string> differences(const Fabric& a, const Fabric& b, const FabricCompare& what) {
  std::vector<std::string> lines;
  const auto check = [&](bool equal, const std::string& line) {
    if (!equal && lines.size() < 20) lines.push_back(line);
  };
  check(a.node_count() == b.node_count(),
        fmt::format("{} and {} nodes", a.node_count(), b.node_count()));
  check(a.switch_count() == b.switch_count(),
        fmt::format("{} and {} switches", a.switch_count(), b.switch_count()));
  check(a.link_count() == b.link_count(),
        fmt::format("{} and {} links", a.link_count(), b.link_count()));
  check(a.port_count() == b.port_count(),
        fmt::format("{} and {} ports", a.port_count(), b.port_count()));
  if (!lines.empty()) return lines;
  for (std::uint32_t i = 0; i < a.node_count(); ++i) {
    const Node& x = a.node(NodeId(i));
    const Node& y = b.node(NodeId(i));
    const std::string name = describe(x);
    check(x.type == y.type && x.node_guid == y.node_guid && x.port_count == y.port_count,
          fmt::format("{}: the other fabric has {}", name, describe(y)));
    if (what.description) check(x.description == y.description, name + ": " + describe(y));
    if (what.node_attributes)
      check(x.vendor_id == y.vendor_id && x.device_id == y.device_id &&
                x.system_guid == y.system_guid && x.enhanced_port0 == y.enhanced_port0,
            name + ": vendor, device, system GUID or enhanced port 0");
    if (what.revision) check(x.revision == y.revision, name + ": revision");
  }
  if (!lines.empty()) return lines;
  for (std::uint32_t i = 0; i < a.port_count(); ++i) {
    const Port& x = a.port(PortId(i));
    const Port& y = b.port(PortId(i));
    const std::string name = describe(a, PortId(i));
    const bool connected = x.peer != kNoPort;
    check(x.peer == y.peer, name + ": peer");
    if (what.port_guids && (connected || what.unconnected_port_guids))
      check(x.guid == y.guid,
            fmt::format("{}: port GUID {:x} and {:x}", name, x.guid.value(), y.guid.value()));
    if (what.rates && connected)
      check(x.width == y.width && x.speed == y.speed, name + ": width or speed");
    if (what.lids && (connected || x.num == PortNum(0)))
      check(x.lid == y.lid && x.lmc == y.lmc,
            fmt::format("{}: LID {} LMC {} and LID {} LMC {}", name, x.lid.value(), x.lmc,
                        y.lid.value(), y.lmc));
    if (what.mtu) check(x.mtu_cap == y.mtu_cap, name + ": MTU");
    if (what.data_vls && connected) check(x.data_vls == y.data_vls, name + ": data VLs");
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace weft
