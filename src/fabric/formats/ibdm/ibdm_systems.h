// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adds the systems of an ibdm topology to a fabric: each as the chips of its plan, with generated
// GUIDs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fabric/formats/ibdm/ibnl_plan.h"

namespace weft {

/// Device IDs follow from Mellanox's chip names: MT23108 has device ID 23108.
std::optional<std::uint16_t> ibdm_device_id(std::string_view device);

/// Collects the nodes of all systems, then numbers them in the order of their names.
class IbdmSystems {
 public:
  explicit IbdmSystems(FabricBuilder& builder) : builder_(builder) {}

  /// Adds a system's chips and wires and returns its first node. `plan` must outlive this object.
  Result<FabricBuilder::NodeIndex> add(const std::string& name, const SystemPlan& plan);

  /// Cables two plugs. The rate of the cable has precedence over the rates of its ends.
  Status cable(FabricBuilder::NodeIndex a_first, const SystemPlan& a_plan, ChipPort a,
               FabricBuilder::NodeIndex b_first, const SystemPlan& b_plan, ChipPort b,
               const LinkRate& rate);

  /// Generates GUIDs as ibutils does for simulated fabrics: nodes in byte order of their names are
  /// counted from 0x0002c90000000002; a CA takes one number and one for each port, a switch two. A
  /// system has the GUID of its first node.
  void number_nodes();

 private:
  FabricBuilder& builder_;
  std::vector<FabricBuilder::NodeIndex> first_of_system_;
};

}  // namespace weft
