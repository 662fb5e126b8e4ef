// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Small fabrics built in one expression: switches and hosts by name, cables by port, LIDs in order.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/check.h"
#include "fabric/builder.h"
#include "fabric/lids.h"

namespace weft {

/// The ids of the first switches of a Tiny.
inline constexpr SwitchId kS0{0}, kS1{1}, kS2{2}, kS3{3};

/// Builds fabrics for tests. Switch i has GUID 0x100 + i, host i 0x10000 + 16 i followed by the
/// GUIDs of its ports.
class Tiny {
 public:
  explicit Tiny(unsigned switches, std::uint8_t ports = 8) {
    for (unsigned i = 0; i < switches; ++i) {
      Node node;
      node.type = NodeType::kSwitch;
      node.node_guid = node.system_guid = Guid(0x100 + i);
      node.port_count = ports;
      node.description = "S" + std::to_string(i);
      switches_.push_back(builder_.add_node(node));
      next_port_.push_back(1);
    }
  }

  /// Cables the next free ports of two switches.
  Tiny& link(unsigned a, unsigned b, unsigned cables = 1) {
    for (unsigned i = 0; i < cables; ++i) {
      const PortNum pa = take_port(a);
      const PortNum pb = take_port(b);
      CHECK(builder_.connect(switches_[a], pa, switches_[b], pb).has_value());
    }
    return *this;
  }

  /// Hosts with one port each on the next free ports of a switch.
  Tiny& hosts(unsigned sw, unsigned count = 1) {
    for (unsigned i = 0; i < count; ++i) {
      Node node;
      node.node_guid = node.system_guid = Guid(0x10000 + 16 * host_count_);
      node.port_count = 1;
      node.description = "H" + std::to_string(host_count_++);
      const auto host = builder_.add_node(node);
      CHECK(builder_.connect(host, PortNum(1), switches_[sw], take_port(sw)).has_value());
    }
    return *this;
  }

  FabricBuilder& builder() { return builder_; }

  /// The fabric with LIDs: switches first, then hosts.
  Fabric build(std::uint8_t lmc = 0) const {
    const auto fabric = builder_.build();
    CHECK(fabric.has_value());
    const auto lids = assign_lids(*fabric, current_lids(*fabric), {.lmc = lmc});
    CHECK(lids.has_value());
    return *fabric->with_lids(*lids);
  }

 private:
  PortNum take_port(unsigned sw) { return PortNum(next_port_[sw]++); }

  FabricBuilder builder_;
  std::vector<FabricBuilder::NodeIndex> switches_;
  std::vector<std::uint8_t> next_port_;
  unsigned host_count_ = 0;
};

//  S0 - S1     a host on each
//  |     |
//  S3 - S2
inline Fabric ring_of_four() {
  return Tiny(4)
      .link(0, 1)
      .link(1, 2)
      .link(2, 3)
      .link(3, 0)
      .hosts(0)
      .hosts(1)
      .hosts(2)
      .hosts(3)
      .build();
}

//   S2   S3      two hosts on each leaf, and two cables to each spine
//   || X ||
//   S0   S1
inline Fabric doubled_tree() {
  return Tiny(4)
      .link(0, 2, 2)
      .link(0, 3, 2)
      .link(1, 2, 2)
      .link(1, 3, 2)
      .hosts(0, 2)
      .hosts(1, 2)
      .build();
}

}  // namespace weft
