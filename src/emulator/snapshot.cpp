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

/// The first map of a switch with written tables becomes the common map; only maps that differ from
/// it are stored.
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

/// Adds the AR groups of one pLFT of a switch to `tables`; equal groups are merged. Private tables
/// keep the default ports of pLFT 0.
void read_table_choices(const EmulatedFabric& emulated, SwitchId sw, unsigned number,
                        Routes& routes, ArTables& tables) {
  std::unordered_map<PortMask, std::uint16_t> groups;
  for (std::uint32_t l = 1; l <= routes.lfts.top().value(); ++l) {
    const Lid lid(static_cast<std::uint16_t>(l));
    const ArLftEntry* entry = emulated.adaptive(sw).entry(lid, number);
    if (entry == nullptr) continue;
    if (number == 0) routes.lfts.set(sw, lid, entry->default_port);
    PortMask live = emulated.live_choices(sw, lid, number);
    if (live.none() && number > 0) live.set(entry->default_port.value());
    if (live.none() || entry->default_port == kNoRoute) continue;
    if (number == 0 && !live.test(entry->default_port.value()))
      routes.lfts.set(sw, lid, PortNum(static_cast<std::uint8_t>(live._Find_first())));
    auto found = groups.find(live);
    if (found == groups.end()) found = groups.emplace(live, tables.add_group(sw, live)).first;
    const auto state = entry->state == 2 ? ArState::kFree : static_cast<ArState>(entry->state);
    tables.set(sw, lid, {state, found->second});
  }
}

void read_private_choices(const EmulatedFabric& emulated, SwitchId sw, Routes& routes) {
  ArTables& tables = *routes.adaptive;
  const auto& plft = emulated.adaptive(sw).plft;
  for (unsigned in = 0; plft.in_use() && in < plft.tables.size(); ++in)
    for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
      const unsigned number = plft.tables[in][sl];
      while (tables.table_count() <= number) tables.add_private_table();
      if (number > 0)
        tables.select_table(sw, PortNum(static_cast<std::uint8_t>(in)), Sl(sl), number);
    }
  for (unsigned number = 1; plft.in_use() && number < tables.table_count(); ++number)
    read_table_choices(emulated, sw, number, routes, tables.private_table(number));
}

}  // namespace

Routes read_choices(const EmulatedFabric& emulated) {
  Routes routes = read_routes(emulated);
  const std::uint32_t switches = emulated.fabric().switch_count();
  routes.adaptive = ArTables(switches, routes.lfts.top());
  for (std::uint32_t s = 0; s < switches; ++s) {
    const SwitchId sw(s);
    if (!emulated.adaptive(sw).info.enabled) continue;
    read_table_choices(emulated, sw, 0, routes, *routes.adaptive);
    read_private_choices(emulated, sw, routes);
  }
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
