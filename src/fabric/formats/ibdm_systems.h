// Puts systems of an ibdm topology into a fabric: each as the chips of its plan, with made-up
// GUIDs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fabric/formats/ibnl_plan.h"

namespace weft {

/// Device and vendor follow from Mellanox's chip names: MT23108 has device ID 23108.
std::optional<std::uint16_t> ibdm_device_id(std::string_view device);

/// Nodes of systems, collected, then numbered in one go in the order of their names.
class IbdmSystems {
 public:
  explicit IbdmSystems(FabricBuilder& builder) : builder_(builder) {}

  /// Adds a system's chips and wires and gives its first node. `plan` must outlive this.
  Result<FabricBuilder::NodeIndex> add(const std::string& name, const SystemPlan& plan);

  /// Cables two plugs. What the cable says wins over what the definitions say of its ends.
  Status cable(FabricBuilder::NodeIndex a_first, const SystemPlan& a_plan, ChipPort a,
               FabricBuilder::NodeIndex b_first, const SystemPlan& b_plan, ChipPort b,
               const LinkRate& rate);

  /// Makes up GUIDs: nodes in byte order of their names are counted from 0x0002c90000000002, a CA
  /// taking one number and one for each port, a switch two. A system has the GUID of its first
  /// node. So ibutils numbers the fabrics that it simulates.
  void number_nodes();

 private:
  FabricBuilder& builder_;
  std::vector<FabricBuilder::NodeIndex> first_of_system_;
};

}  // namespace weft
