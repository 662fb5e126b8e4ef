// All that an emulated fabric holds of what a subnet manager sets, to compare before and after, or
// with another fabric that went another way.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "emulator/emulated_fabric.h"

namespace weft {

struct FabricState {
  std::vector<PortInfo> ports;       // by PortId
  std::vector<SwitchInfo> switches;  // by SwitchId
  std::vector<std::vector<std::uint8_t>> lfts;
};

/// Tables without what lies above LinearFDBTop, which no packet meets.
inline FabricState state_of(const EmulatedFabric& emulated) {
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
  return state;
}

/// What is not the same, by name; empty: nothing. M_Key violations and the like count what
/// happened, not what was set.
inline std::vector<std::string> changes(const Fabric& fabric, FabricState a, FabricState b) {
  std::vector<std::string> names;
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    a.ports[p].mkey_violations = b.ports[p].mkey_violations = 0;
    if (a.ports[p] != b.ports[p]) names.push_back(describe(fabric, PortId(p)) + ": PortInfo");
  }
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    if (a.switches[s] != b.switches[s])
      names.push_back(describe(fabric.node(SwitchId(s))) + ": SwitchInfo");
    if (a.lfts[s] != b.lfts[s]) names.push_back(describe(fabric.node(SwitchId(s))) + ": LFT");
  }
  return names;
}

}  // namespace weft
