// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adds the systems of an ibdm topology to a fabric. Each chip in the plan of a system becomes a
// node with a generated GUID.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fabric/formats/ibdm/ibnl_plan.h"

namespace weft {

/// The device ID that follows from a chip name of Mellanox: MT23108 has device ID 23108.
std::optional<std::uint16_t> ibdm_device_id(std::string_view device);

/// Collects the nodes of all systems, then numbers them in the order of their names. The builder
/// must have no other nodes.
class IbdmSystems {
 public:
  explicit IbdmSystems(FabricBuilder& builder) : builder_(builder) {}

  /// Adds the chips and wires of a system and returns its first node.
  Result<FabricBuilder::NodeIndex> add(const std::string& name, const SystemPlan& plan);

  /// Connects two plugs by a cable. The rate of the cable has precedence over the rates of its
  /// ends; the default is 4x SDR.
  Status cable(FabricBuilder::NodeIndex a_first, const SystemPlan& a_plan, ChipPort a,
               FabricBuilder::NodeIndex b_first, const SystemPlan& b_plan, ChipPort b,
               const LinkRate& rate);

  /// Generates GUIDs as ibutils does for simulated fabrics: in byte order of node names, counted
  /// from 0x0002c90000000002. A CA uses one number for the node and one for each port; a switch
  /// uses two numbers. The system image GUID is the GUID of the first node of the system in this
  /// order.
  void number_nodes();

 private:
  FabricBuilder& builder_;
  std::vector<FabricBuilder::NodeIndex> first_of_system_;
};

}  // namespace weft
