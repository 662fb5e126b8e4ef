// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/dump/write.h"

#include <algorithm>
#include <array>

#include "fabric/formats/ibnetdiscover/ibnetdiscover_write.h"
#include "fabric/opensm_order.h"
#include "routes/dump/hops.h"
#include "routes/dump/text_sink.h"

namespace weft {
namespace {

std::string_view type_name(NodeType type) {
  return type == NodeType::kSwitch   ? "Switch"
         : type == NodeType::kRouter ? "Router"
                                     : "Channel Adapter";
}

/// The hop count of the shortest path from a switch to the endport of a LID, including the cable of
/// a CA or router.
std::uint8_t least_hops(const Fabric& fabric, const HopTable& distances, SwitchId from,
                        const Endport& owner) {
  const std::uint8_t hops = distances.at(from, owner.sw.value());
  return fabric.is_switch(owner.node) || hops >= kHopsCountedMax
             ? hops
             : static_cast<std::uint8_t>(hops + 1);
}

/// The hop count to the endport through a port, if the rest of the path is shortest. As in OpenSM,
/// port 0 stands for the best port, and a CA or router is one hop from its switch through any port.
std::uint8_t hops_by_port(const Fabric& fabric, const HopTable& distances, SwitchId from,
                          PortNum port, const Endport& owner) {
  const bool to_ca = !fabric.is_switch(owner.node);
  if (port == PortNum(0) || (to_ca && from == owner.sw))
    return least_hops(fabric, distances, from, owner);
  const ChannelId channel = fabric.channel_at(from, port);
  if (channel == kNoChannel) return kHopsUnknown;
  const std::uint8_t beyond = least_hops(fabric, distances, fabric.channel(channel).to, owner);
  return beyond >= kHopsCountedMax ? beyond : static_cast<std::uint8_t>(beyond + 1);
}

/// The lowest port with a shortest path to the endport.
PortNum shortest_port(const Fabric& fabric, const HopTable& distances, SwitchId from,
                      const Endport& owner) {
  if (from == owner.sw) return owner.sw_port;
  for (const Channel& channel : fabric.channels_from(from))
    if (distances.at(channel.to, owner.sw.value()) < distances.at(from, owner.sw.value()))
      return channel.from_port;
  return kNoRoute;
}

void write_fdb_entry(const Fabric& fabric, const HopTable& distances, SwitchId sw, Lid lid,
                     PortNum port, std::uint8_t hops, TextSink& sink) {
  sink.text("0x").hex(lid.value(), 4, true);
  if (port == kNoRoute) {
    sink.text(" : UNREACHABLE\n");
    return;
  }
  sink.text(" : ").dec(port.value(), 3);
  const EndportId id = fabric.endport_of(lid);
  const bool known = id != kNoEndport && fabric.endport(id).sw != kNoSwitch;
  if (known && hops == kHopsUnknown)
    hops = hops_by_port(fabric, distances, sw, port, fabric.endport(id));
  if (hops == kHopsUnknown) {
    sink.text("  : HOPS UNKNOWN\n");
    return;
  }
  sink.text("  : ").dec(hops, 2);
  const Endport& owner = fabric.endport(id);
  const std::uint8_t least = least_hops(fabric, distances, sw, owner);
  if (hops == least) {
    sink.text("   : yes\n");
    return;
  }
  sink.text("   : No ").dec(least).text(" hop path possible via port ");
  sink.dec(shortest_port(fabric, distances, sw, owner).value()).text("!\n");
}

/// Writes "0   1   : 0  1  ... 15 ".
void write_sl2vl_row(PortNum in, PortNum out, const SlMap& map, TextSink& sink) {
  sink.dec_left(in.value(), 4).dec_left(out.value(), 4).text(":");
  for (const std::uint8_t vl : map) sink.text(" ").dec_left(vl, 2);
  sink.text("\n");
}

/// Calls `row` for each pair of an input and a cabled output port.
template <class Row>
void for_each_sl2vl(const Fabric& fabric, const Sl2Vl& sl2vl, SwitchId sw, const Row& row) {
  for (const Port& out : fabric.ports(sw)) {
    if (out.num == PortNum(0) || out.peer == kNoPort) continue;
    for (const Port& in : fabric.ports(sw)) row(in.num, out.num, sl2vl.map(sw, in.num, out.num));
  }
}

}  // namespace

void write_fdbs(const Fabric& fabric, const Routes& routes, const Append& append) {
  TextSink sink(append);
  const HopTable distances = switch_distances(fabric);
  const HopTable walked = walked_hops(fabric, routes.lfts);
  for (const SwitchId sw : switches_in_opensm_order(fabric)) {
    sink.text("dump_ucast_routes: Switch 0x").hex(fabric.node(sw).node_guid.value(), 16);
    sink.text("\nLID    : Port : Hops : Optimal\n");
    for (std::uint32_t value = 1; value <= fabric.lid_top().value(); ++value) {
      const Lid lid(static_cast<std::uint16_t>(value));
      write_fdb_entry(fabric, distances, sw, lid, routes.lfts.port(sw, lid), walked.at(sw, value),
                      sink);
    }
  }
}

void write_lfts(const Fabric& fabric, const Routes& routes, const Append& append) {
  // The text after the port, by LID. The text is the same in the tables of all switches.
  std::vector<std::string> owners(std::size_t{fabric.lid_top().value()} + 1,
                                  " # unknown node and type\n");
  for (std::size_t value = 1; value < owners.size(); ++value) {
    const EndportId owner = fabric.endport_of(Lid(static_cast<std::uint16_t>(value)));
    if (owner == kNoEndport) continue;
    const Port& port = fabric.port(fabric.endport(owner).port);
    const Node& node = fabric.node(port.node);
    owners[value] = fmt::format(" # {} portguid 0x{:016x}: '{}'\n", type_name(node.type),
                                port.guid.value(), net_text_name(node));
  }

  TextSink sink(append);
  for (const SwitchId sw : switches_in_opensm_order(fabric)) {
    const Node& node = fabric.node(sw);
    sink.text("Unicast lids [0-").dec(fabric.lid_top().value()).text("] of switch Lid ");
    sink.dec(fabric.endport(Fabric::endport_of(sw)).lid.value()).text(" guid 0x");
    sink.hex(node.node_guid.value(), 16).text(" ('").text(net_text_name(node)).text("'):\n");
    for (std::size_t value = 1; value < owners.size(); ++value) {
      const PortNum port = routes.lfts.port(sw, Lid(static_cast<std::uint16_t>(value)));
      if (port == kNoRoute) continue;
      sink.text("0x").hex(value, 4).text(" ").dec(port.value(), 3).text(owners[value]);
    }
    sink.dec(fabric.lid_top().value()).text(" lids dumped\n");
  }
}

void write_lid_matrix(const Fabric& fabric, const Routes&, const Append& append) {
  TextSink sink(append);
  const HopTable distances = switch_distances(fabric);
  std::vector<SwitchId> by_lid;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (fabric.endport(EndportId(s)).lid != kLidNone) by_lid.push_back(SwitchId(s));
  const auto lid_of = [&](SwitchId sw) { return fabric.endport(Fabric::endport_of(sw)).lid; };
  std::ranges::sort(by_lid, {}, lid_of);

  for (const SwitchId sw : switches_in_opensm_order(fabric)) {
    sink.text("Switch: guid 0x").hex(fabric.node(sw).node_guid.value(), 16).text("\n");
    for (const SwitchId to : by_lid) {
      sink.text("0x").hex(lid_of(to).value(), 4).text(": ");
      sink.hex(distances.at(sw, to.value()), 2);
      for (unsigned p = 1; p <= fabric.node(sw).port_count; ++p) {
        const ChannelId channel = fabric.channel_at(sw, PortNum(static_cast<std::uint8_t>(p)));
        const std::uint8_t beyond = channel == kNoChannel
                                        ? kHopsUnknown
                                        : distances.at(fabric.channel(channel).to, to.value());
        sink.text(" ").hex(beyond >= kHopsCountedMax ? beyond : beyond + 1u, 2);
      }
      sink.text(" # portguid 0x");
      sink.hex(fabric.port(fabric.endport(Fabric::endport_of(to)).port).guid.value(), 16);
      sink.text("\n");
    }
  }
}

void write_mcfdbs(const Fabric& fabric, const Routes& routes, const Append& append) {
  TextSink sink(append);
  for (const SwitchId sw : switches_in_opensm_order(fabric)) {
    bool first = true;
    for (const auto& [mlid, masks] : routes.mfts) {
      const auto mask = masks.find(sw);
      if (mask == masks.end() || mask->second.none()) continue;
      if (first) {
        sink.text("\nSwitch 0x").hex(fabric.node(sw).node_guid.value(), 16);
        sink.text("\nLID    : Out Port(s)\n");
        first = false;
      }
      sink.text("0x").hex(mlid.value(), 4, true).text(" :");
      for (unsigned port = 0; port < mask->second.size(); ++port)
        if (mask->second[port]) sink.text(" 0x").hex(port, 3, true).text(" ");
      sink.text("\n");
    }
  }
}

void write_sl2vl(const Fabric& fabric, const Routes& routes, const Append& append) {
  TextSink sink(append);
  std::vector<EndportId> order;
  for (std::uint32_t e = 0; e < fabric.endport_count(); ++e) order.push_back(EndportId(e));
  std::ranges::sort(order, {}, [&](EndportId id) {
    return opensm_key(fabric.port(fabric.endport(id).port).guid);
  });
  const std::string_view rule = "#--------------------------------------------------------\n";
  for (const EndportId id : order) {
    const Endport& endport = fabric.endport(id);
    const Node& node = fabric.node(endport.node);
    sink.text(type_name(node.type)).text(" 0x").hex(fabric.port(endport.port).guid.value(), 16);
    sink.text(", base LID ").dec(endport.lid.value()).text(", \"").text(net_text_name(node));
    sink.text("\"\n#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n").text(rule);
    if (fabric.is_switch(endport.node)) {
      for_each_sl2vl(
          fabric, routes.sl2vl, SwitchId(endport.node.value()),
          [&](PortNum in, PortNum out, const SlMap& map) { write_sl2vl_row(in, out, map, sink); });
    } else {
      write_sl2vl_row(PortNum(0), PortNum(0), routes.sl2vl.common(), sink);
    }
    sink.text(rule).text("\n");
  }
}

void write_psl(const Fabric& fabric, const Routes& routes, const Append& append) {
  TextSink sink(append);
  const auto endports = fabric.endports();
  const auto switches = endports.first(fabric.switch_count());
  const auto cas = endports.subspan(fabric.switch_count());
  const auto write_rows = [&](const Endport& source, std::span<const Endport> targets) {
    const std::string begin = fmt::format("0x{:016x} ", fabric.node(source.node).node_guid.value());
    for (const Endport& target : targets) {
      if (!target.addressed()) continue;
      for (unsigned offset = 0; offset < 1u << target.lmc; ++offset) {
        const Lid lid(static_cast<std::uint16_t>(target.lid.value() + offset));
        sink.text(begin).dec(lid.value()).text(" ");
        sink.dec(routes.path_sl.sl(source.sw, target.sw, lid).value()).text("\n");
      }
    }
  };
  // Endports of a node are adjacent; the first one that is cabled to a switch represents the node.
  NodeId written(0xFFFFFFFF);
  for (const Endport& source : cas) {
    if (source.sw == kNoSwitch || source.node == written) continue;
    written = source.node;
    write_rows(source, cas);
    write_rows(source, switches);
  }
  for (const Endport& source : switches) {
    write_rows(source, cas);
    write_rows(source, switches);
  }
}

void write_multicast_sl(const Fabric&, const Routes& routes, const Append& append) {
  TextSink sink(append);
  for (const auto& [mlid, sl] : routes.multicast_sl)
    sink.text("0x").hex(mlid.value(), 4, true).text(" ").dec(sl.value()).text("\n");
}

void write_slvl(const Fabric& fabric, const Routes& routes, const Append& append) {
  TextSink sink(append);
  for (const SwitchId sw : switches_in_opensm_order(fabric)) {
    for_each_sl2vl(fabric, routes.sl2vl, sw, [&](PortNum in, PortNum out, const SlMap& map) {
      sink.text("0x").hex(fabric.node(sw).node_guid.value(), 16);
      sink.text(" ").dec(in.value()).text(" ").dec(out.value());
      for (unsigned sl = 0; sl < kSlCount; sl += 2)
        sink.text(" 0x").hex(map[sl], 1).hex(map[sl + 1], 1);
      sink.text("\n");
    });
  }
}

void write_ca_order(const Fabric& fabric, const Routes& routes, const Append& append) {
  TextSink sink(append);
  for (const EndportId id : routes.ca_order) {
    if (id == kNoEndport) {
      sink.text("0xFFFF\tDUMMY\n");
      continue;
    }
    const Endport& endport = fabric.endport(id);
    sink.text("0x").hex(endport.lid.value(), 4).text("\t");
    sink.text(net_text_name(fabric.node(endport.node))).text("\n");
  }
}

std::span<const DumpFile> dump_files() {
  static constexpr std::array kFiles{
      DumpFile{"opensm.fdbs", &write_fdbs},
      DumpFile{"opensm.mcfdbs", &write_mcfdbs},
      DumpFile{"opensm-lfts.dump", &write_lfts},
      DumpFile{"opensm-lid-matrix.dump", &write_lid_matrix},
      DumpFile{"opensm-sl2vl.dump", &write_sl2vl},
      DumpFile{kCaOrderFile, &write_ca_order},
      DumpFile{kPathSlFile, &write_psl},
      DumpFile{kMulticastSlFile, &write_multicast_sl},
      DumpFile{"weft.slvl", &write_slvl},
      DumpFile{kAdaptiveFile, &write_adaptive},
  };
  return kFiles;
}

}  // namespace weft
