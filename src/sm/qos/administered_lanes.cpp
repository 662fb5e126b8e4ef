// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/qos/administered_lanes.h"

#include <algorithm>

namespace weft {
namespace {

/// The most frequent number of operational data VLs of cabled switch ports.
unsigned usual_vls(const Observed& observed, const Fabric& fabric, VlLimit limit) {
  std::array<std::size_t, kDataVlCount + 1> ports{};
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    for (const Port& port : fabric.ports(SwitchId(s)))
      if (port.peer != kNoPort)
        ++ports[data_vls_at(observed, fabric, fabric.port_id(port.node, port.num), limit)];
  return static_cast<unsigned>(std::ranges::max_element(ports) - ports.begin());
}

std::uint16_t lowest(unsigned count) { return static_cast<std::uint16_t>((1u << count) - 1u); }

/// The SLs of paths and of multicast. Engines with one map for all pairs use the lowest SLs;
/// torus-2QoS uses eight SLs for its default QoS level.
std::uint16_t sls_of(const Routes& routes, bool own_maps_by_port) {
  std::uint16_t sls = own_maps_by_port ? std::uint16_t{0x00FF} : lowest(routes.vls);
  for (const auto& [lid, sl] : routes.multicast_sl)
    sls = static_cast<std::uint16_t>(sls | 1u << sl.value());
  return sls;
}

std::uint16_t vls_of(const SlMap& map, std::uint16_t sls) {
  std::uint16_t vls = 0;
  for (unsigned sl = 0; sl < kSlCount; ++sl)
    if ((sls >> sl & 1u) != 0 && map[sl] != kDropVl)
      vls = static_cast<std::uint16_t>(vls | 1u << map[sl]);
  return vls;
}

/// On cables to endports, torus-2QoS uses VLs 0 and 1 in place of VLs 0-3 and 4-7 between switches:
/// one VL for each QoS level. The weights of VLs 0 and 4 apply to these levels, as in OpenSM.
QosTables towards_ends_of_torus(QosTables keys, const PortInfo& info) {
  const auto translate = [](std::vector<VlWeight>& table, std::size_t cap) {
    table.resize(std::min(table.size(), cap));
    std::erase_if(table,
                  [](const VlWeight& entry) { return entry.vl != Vl(0) && entry.vl != Vl(4); });
    for (VlWeight& entry : table)
      if (entry.vl == Vl(4)) entry.vl = Vl(1);
  };
  translate(keys.vlarb_low, info.vl_arb_low_cap);
  translate(keys.vlarb_high, info.vl_arb_high_cap);
  return keys;
}

std::string numbers(std::uint16_t mask) {
  std::string text;
  for (unsigned i = 0; i < 16; ++i)
    if ((mask >> i & 1u) != 0) text += fmt::format("{}{}", text.empty() ? "" : ", ", i);
  return text;
}

}  // namespace

QosTarget target_of(const Fabric& fabric, const Port& port) {
  if (fabric.is_switch(port.node))
    return port.num == PortNum(0) ? QosTarget::kSwitchPort0 : QosTarget::kSwitchExternal;
  return fabric.node(port.node).type == NodeType::kRouter ? QosTarget::kRouter : QosTarget::kCa;
}

WantedMaps administered_maps(const Observed& observed, const Fabric& fabric, const QosOptions& qos,
                             VlLimit limit) {
  const QosTables external = tables_for(qos, QosTarget::kSwitchExternal);
  const QosTables internal = tables_for(qos, QosTarget::kSwitchPort0);
  WantedMaps maps{Sl2Vl(fold(external.sl2vl, usual_vls(observed, fabric, limit))),
                  external.sl2vl_name};
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const SwitchId sw(s);
    for (const Port& out : fabric.ports(sw)) {
      const bool port0 = out.num == PortNum(0);
      if (port0 ? !has_lanes_at_port0(observed, sw) : out.peer == kNoPort) continue;
      const unsigned vls = data_vls_at(observed, fabric, fabric.port_id(out.node, out.num), limit);
      const SlMap map = fold(port0 ? internal.sl2vl : external.sl2vl, vls);
      if (map == maps.sl2vl.common()) continue;
      for (const Port& in : fabric.ports(sw)) maps.sl2vl.set(sw, in.num, out.num, map);
    }
  }
  return maps;
}

PortArbitration administered_arbitration(const QosTables& tables, unsigned data_vls,
                                         unsigned low_cap, unsigned high_cap) {
  PortArbitration arbitration;
  arbitration.high_limit = tables.high_limit;
  const auto fit = [&](const std::vector<VlWeight>& from, unsigned cap) {
    std::vector<VlWeight> table(cap);
    for (std::size_t i = 0; i < std::min<std::size_t>(cap, from.size()); ++i)
      table[i] = {Vl(fold(from[i].vl.value(), data_vls)), from[i].weight};
    return table;
  };
  arbitration.low = fit(tables.vlarb_low, low_cap);
  arbitration.high = fit(tables.vlarb_high, high_cap);
  return arbitration;
}

std::uint16_t vls_with_weight(const PortArbitration& arbitration) {
  std::uint16_t vls = 0;
  for (const auto* table : {&arbitration.low, &arbitration.high})
    for (const VlWeight& entry : *table)
      if (entry.weight > 0) vls = static_cast<std::uint16_t>(vls | 1u << entry.vl.value());
  return vls;
}

AdministeredPorts::AdministeredPorts(const Observed& observed, const Fabric& fabric,
                                     const Routes& routes, const QosOptions& qos, VlLimit limit)
    : fabric_(fabric), routes_(routes) {
  for (const QosTarget target : kQosTargets)
    tables_[static_cast<std::size_t>(target)] = tables_for(qos, target);
  maps_are_used_ = routes.sl2vl == administered_maps(observed, fabric, qos, limit).sl2vl;
  maps_by_port_ = !maps_are_used_ && !routes.sl2vl.uniform();
  sls_in_use_ = sls_of(routes, maps_by_port_);
}

/// SLs that the routes use, and that the keys would drop at a port of a CA or router.
std::uint16_t AdministeredPorts::dropped_sls(const Port& port) const {
  std::uint16_t dropped = 0;
  for (unsigned sl = 0; sl < kSlCount; ++sl)
    if (tables(port).sl2vl[sl] == kDropVl && (sls_in_use_ >> sl & 1u) != 0)
      dropped = static_cast<std::uint16_t>(dropped | 1u << sl);
  return dropped;
}

SlMap AdministeredPorts::planned_end_map(const Port& port, unsigned data_vls) const {
  if (!maps_are_used_) return routes_.sl2vl.common();
  return fold(dropped_sls(port) == 0 ? tables(port).sl2vl : routes_.sl2vl.common(), data_vls);
}

SlMap AdministeredPorts::end_map(const Port& port, unsigned data_vls) {
  if (maps_are_used_ && dropped_sls(port) != 0)
    repaired(fmt::format("{} drops SL {}, which the routes of '{}' use: SL2VL is that of switches",
                         tables(port).sl2vl_name, numbers(dropped_sls(port)), routes_.engine),
             port);
  return planned_end_map(port, data_vls);
}

/// Whether a port is cabled to an endport in a torus: its VLs have another meaning than those
/// between switches.
bool AdministeredPorts::leads_to_end_of_torus(const Port& port) const {
  return maps_by_port_ && fabric_.is_switch(port.node) && port.peer != kNoPort &&
         !fabric_.is_switch(fabric_.port(port.peer).node);
}

/// The VLs of packets that the routes send through a port.
std::uint16_t AdministeredPorts::vls_in_use(const Port& port, unsigned data_vls) const {
  if (!fabric_.is_switch(port.node)) return vls_of(planned_end_map(port, data_vls), sls_in_use_);
  const SwitchId sw(port.node.value());
  if (!maps_by_port_) return vls_of(routes_.sl2vl.map(sw, PortNum(0), port.num), sls_in_use_);
  std::uint16_t vls = 0;
  for (const Port& in : fabric_.ports(sw))
    vls = static_cast<std::uint16_t>(vls |
                                     vls_of(routes_.sl2vl.map(sw, in.num, port.num), sls_in_use_));
  return vls;
}

PortArbitration AdministeredPorts::arbitration(const Port& port, const PortInfo& info,
                                               unsigned data_vls) {
  const QosTables& keys = tables(port);
  PortArbitration even = even_arbitration(data_vls, info.vl_arb_low_cap, info.vl_arb_high_cap);
  even.high_limit = keys.high_limit;
  if (!keys.arbitration_is_set && routes_.vls > 1) return even;
  PortArbitration asked = administered_arbitration(
      leads_to_end_of_torus(port) ? towards_ends_of_torus(keys, info) : keys, data_vls,
      info.vl_arb_low_cap, info.vl_arb_high_cap);
  const auto starved =
      static_cast<std::uint16_t>(vls_in_use(port, data_vls) & ~vls_with_weight(asked));
  if (starved == 0 || info.vl_arb_low_cap + info.vl_arb_high_cap == 0) return asked;
  repaired(fmt::format("arbitration of {} and {} gives no weight to VL {}, which packets use: "
                       "all VLs get equal shares",
                       keys.high_name, keys.low_name, numbers(starved)),
           port);
  return even;
}

void AdministeredPorts::repaired(std::string what, const Port& port) {
  const std::string name = describe(fabric_, fabric_.port_id(port.node, port.num));
  auto known = std::ranges::find(repairs_, what, &Repair::what);
  if (known == repairs_.end())
    known = repairs_.insert(repairs_.end(), Repair{std::move(what), name, 0});
  ++known->ports;
}

std::vector<std::string> AdministeredPorts::notes() const {
  std::vector<std::string> notes;
  for (const Repair& repair : repairs_)
    notes.push_back(repair.ports == 1 ? fmt::format("{} at {}", repair.what, repair.first_port)
                                      : fmt::format("{} at {} and {} more", repair.what,
                                                    repair.first_port, repair.ports - 1));
  return notes;
}

}  // namespace weft
