// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The complete state that a subnet manager sets on an emulated fabric, to compare before and after,
// or with another fabric.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "emulator/emulated_fabric.h"

namespace weft {

struct FabricState {
  std::vector<PortInfo> ports;       // by PortId
  std::vector<SwitchInfo> switches;  // by SwitchId
  std::vector<std::vector<std::uint8_t>> lfts;
  std::vector<std::vector<SlToVlTable>> sl2vl;            // by NodeId, of its cabled output ports
  std::vector<std::array<VlArbTable, 4>> vl_arbitration;  // by PortId
};

/// Tables up to LinearFDBTop; entries above LinearFDBTop are unused.
FabricState state_of(const EmulatedFabric& emulated);

/// "PortInfo at bytes 18 19": where the attribute differs on the wire.
std::string difference(const PortInfo& a, const PortInfo& b);

/// Differences, by name. Counters such as M_Key violations are ignored.
std::vector<std::string> changes(const Fabric& fabric, FabricState a, FabricState b);

}  // namespace weft
