// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// State that a subnet manager sets on an emulated fabric: PortInfo, SwitchInfo, LFTs, SL2VL maps
// and VL arbitration, to compare the state before and after, or with another fabric.
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

/// "PortInfo at bytes 18 (0x01 0x02)": the bytes of the encoded attribute that differ, with both
/// values.
std::string difference(const PortInfo& a, const PortInfo& b);

/// A line for each attribute or table of a port, switch or node that differs. The counter of M_Key
/// violations is ignored.
std::vector<std::string> changes(const Fabric& fabric, FabricState a, FabricState b);

}  // namespace weft
