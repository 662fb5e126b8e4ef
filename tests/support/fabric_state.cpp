// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/fabric_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft {

FabricState state_of(const EmulatedFabric& emulated) {
  FabricState state;
  const Fabric& fabric = emulated.fabric();
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p)
    state.ports.push_back(emulated.port_info(PortId(p)));
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    state.switches.push_back(emulated.switch_info(SwitchId(s)));
    const auto lft = emulated.lft(SwitchId(s));
    const std::size_t entries = state.switches.back().linear_fdb_top + std::size_t{1};
    auto& table = state.lfts.emplace_back(
        lft.begin(), lft.begin() + static_cast<std::ptrdiff_t>(std::min(entries, lft.size())));
    table.resize(entries, 255);
  }
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    auto& maps = state.sl2vl.emplace_back();
    const auto ports = fabric.ports(NodeId(n));
    for (const Port& out : ports) {
      if (out.peer == kNoPort) continue;
      for (const Port& in : fabric.is_switch(NodeId(n)) ? ports : ports.first(1))
        maps.push_back(emulated.sl_to_vl(NodeId(n), in.num, out.num));
    }
  }
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    auto& blocks = state.vl_arbitration.emplace_back();
    for (std::size_t i = 0; i < blocks.size(); ++i)
      blocks[i] = emulated.vl_arb(PortId(p), static_cast<modifier::VlArbBlock>(i + 1));
  }
  return state;
}

std::string difference(const PortInfo& a, const PortInfo& b) {
  const SmpData x = encode(a), y = encode(b);
  std::string text = "PortInfo at bytes";
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] != y[i])
      text += fmt::format(" {} (0x{:02x} 0x{:02x})", i, std::to_integer<unsigned>(x[i]),
                          std::to_integer<unsigned>(y[i]));
  return text;
}

std::vector<std::string> changes(const Fabric& fabric, FabricState a, FabricState b) {
  std::vector<std::string> names;
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    a.ports[p].mkey_violations = b.ports[p].mkey_violations = 0;
    if (a.ports[p] != b.ports[p])
      names.push_back(
          fmt::format("{}: {}", describe(fabric, PortId(p)), difference(a.ports[p], b.ports[p])));
  }
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    if (a.switches[s] != b.switches[s])
      names.push_back(describe(fabric.node(SwitchId(s))) + ": SwitchInfo");
    if (a.lfts[s] != b.lfts[s]) names.push_back(describe(fabric.node(SwitchId(s))) + ": LFT");
  }
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    if (a.sl2vl[n] != b.sl2vl[n]) names.push_back(describe(fabric.node(NodeId(n))) + ": SL2VL");
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p)
    if (a.vl_arbitration[p] != b.vl_arbitration[p])
      names.push_back(describe(fabric, PortId(p)) + ": VL arbitration");
  return names;
}

}  // namespace weft
