// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/opensm_order.h"

#include <algorithm>

namespace weft {
namespace {

template <class Id>
std::vector<Id> in_order(const Fabric& fabric, std::uint32_t count) {
  std::vector<Id> order;
  for (std::uint32_t i = 0; i < count; ++i) order.push_back(Id(i));
  std::ranges::sort(order, {}, [&](Id id) { return opensm_key(fabric.node(id).node_guid); });
  return order;
}

}  // namespace

std::vector<NodeId> nodes_in_opensm_order(const Fabric& fabric) {
  return in_order<NodeId>(fabric, fabric.node_count());
}

std::vector<SwitchId> switches_in_opensm_order(const Fabric& fabric) {
  return in_order<SwitchId>(fabric, fabric.switch_count());
}

}  // namespace weft
