// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/snapshot.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace weft {
namespace {

Lfts read_lfts(const EmulatedFabric& emulated) {
  const std::uint32_t switches = emulated.fabric().switch_count();
  unsigned top = 0;
  for (std::uint32_t s = 0; s < switches; ++s) {
    const auto row = emulated.lft(SwitchId(s));
    const unsigned last = emulated.switch_info(SwitchId(s)).linear_fdb_top;
    if (!row.empty()) top = std::max(top, std::min(last, static_cast<unsigned>(row.size() - 1)));
  }
  Lfts lfts(switches, Lid(static_cast<std::uint16_t>(top)));
  for (std::uint32_t s = 0; s < switches; ++s) {
    const auto row = emulated.lft(SwitchId(s));
    const std::size_t end =
        std::min<std::size_t>(row.size(), emulated.switch_info(SwitchId(s)).linear_fdb_top + 1u);
    std::copy_n(row.begin(), end, lfts.row(SwitchId(s)).begin());
  }
  return lfts;
}

SlMap to_map(const SlToVlTable& table) {
  SlMap map{};
  for (unsigned sl = 0; sl < kSlCount; ++sl) map[sl] = table.vls[sl].value();
  return map;
}

/// The first map that was written becomes the common map; only maps that differ from it are stored.
Sl2Vl read_sl2vl(const EmulatedFabric& emulated) {
  const Fabric& fabric = emulated.fabric();
  std::optional<Sl2Vl> sl2vl;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const NodeId node(s);
    if (!emulated.sl_to_vl_written(node)) continue;
    for (const Port& out : fabric.ports(node)) {
      if (out.peer == kNoPort) continue;
      for (const Port& in : fabric.ports(node)) {
        const SlMap map = to_map(emulated.sl_to_vl(node, in.num, out.num));
        if (!sl2vl) sl2vl.emplace(map);
        if (map != sl2vl->common()) sl2vl->set(SwitchId(s), in.num, out.num, map);
      }
    }
  }
  return sl2vl.value_or(Sl2Vl());
}

unsigned lanes_used(const EmulatedFabric& emulated, const Sl2Vl& sl2vl) {
  unsigned top = 0;
  const auto add_map = [&](const SlMap& map) {
    for (const unsigned vl : map)
      if (vl < kDataVlCount) top = std::max(top, vl);
  };
  add_map(sl2vl.common());
  if (sl2vl.uniform()) return top + 1;
  const Fabric& fabric = emulated.fabric();
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    for (const Port& out : fabric.ports(SwitchId(s)))
      for (const Port& in : fabric.ports(SwitchId(s)))
        add_map(sl2vl.map(SwitchId(s), in.num, out.num));
  return top + 1;
}

Mfts read_mfts(const EmulatedFabric& emulated) {
  Mfts mfts;
  for (std::uint32_t s = 0; s < emulated.fabric().switch_count(); ++s) {
    if (!emulated.multicast_written(SwitchId(s))) continue;
    const unsigned cap = emulated.switch_info(SwitchId(s)).multicast_fdb_cap;
    for (unsigned index = 0; index < cap; ++index) {
      const Lid lid(static_cast<std::uint16_t>(kLidMulticastFirst.value() + index));
      for (const PortNum port : emulated.multicast_ports(SwitchId(s), lid))
        mfts[lid][SwitchId(s)].set(port.value());
    }
  }
  return mfts;
}

/// Adds the AR groups of one switch; equal groups are merged.
void read_switch_choices(const EmulatedFabric& emulated, SwitchId sw, Routes& routes) {
  std::unordered_map<PortMask, std::uint16_t> groups;
  for (std::uint32_t l = 1; l <= routes.lfts.top().value(); ++l) {
    const Lid lid(static_cast<std::uint16_t>(l));
    const ArLftEntry* entry = emulated.adaptive(sw).entry(lid);
    if (entry == nullptr) continue;
    routes.lfts.set(sw, lid, entry->default_port);
    const PortMask live = emulated.live_choices(sw, lid);
    if (live.none()) continue;
    if (!live.test(entry->default_port.value()))
      routes.lfts.set(sw, lid, PortNum(static_cast<std::uint8_t>(live._Find_first())));
    auto found = groups.find(live);
    if (found == groups.end())
      found = groups.emplace(live, routes.adaptive->add_group(sw, live)).first;
    routes.adaptive->set(sw, lid, {static_cast<ArState>(entry->state), found->second});
  }
}

}  // namespace

Routes read_choices(const EmulatedFabric& emulated) {
  Routes routes = read_routes(emulated);
  const std::uint32_t switches = emulated.fabric().switch_count();
  routes.adaptive = ArTables(switches, routes.lfts.top());
  for (std::uint32_t s = 0; s < switches; ++s)
    if (emulated.adaptive(SwitchId(s)).info.enabled)
      read_switch_choices(emulated, SwitchId(s), routes);
  return routes;
}

Routes read_routes(const EmulatedFabric& emulated) {
  Routes routes;
  routes.engine = "emulated";
  routes.lfts = read_lfts(emulated);
  routes.mfts = read_mfts(emulated);
  routes.sl2vl = read_sl2vl(emulated);
  routes.vls = lanes_used(emulated, routes.sl2vl);
  return routes;
}

Result<Fabric> read_fabric(const EmulatedFabric& emulated) {
  return emulated.fabric().with_lids(emulated.lids());
}

}  // namespace weft
