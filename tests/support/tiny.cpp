// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/tiny.h"

#include <string>

#include "base/check.h"
#include "support/fabric_of.h"

namespace weft {

Tiny::Tiny(unsigned switches, std::uint8_t ports) {
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

Tiny& Tiny::link(unsigned a, unsigned b, unsigned cables) {
  for (unsigned i = 0; i < cables; ++i) {
    const PortNum pa = take_port(a);
    const PortNum pb = take_port(b);
    CHECK(builder_.connect(switches_[a], pa, switches_[b], pb).has_value());
  }
  return *this;
}

Tiny& Tiny::hosts(unsigned sw, unsigned count) {
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

Fabric Tiny::build(std::uint8_t lmc) const {
  const auto fabric = builder_.build();
  CHECK(fabric.has_value());
  return with_lids(*fabric, lmc);
}

Fabric ring_of_four() {
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

Fabric doubled_tree() {
  return Tiny(4)
      .link(0, 2, 2)
      .link(0, 3, 2)
      .link(1, 2, 2)
      .link(1, 3, 2)
      .hosts(0, 2)
      .hosts(1, 2)
      .build();
}

Fabric two_by_two(unsigned hosts, std::uint8_t lmc) {
  return Tiny(4).link(0, 2).link(0, 3).link(1, 2).link(1, 3).hosts(0, hosts).hosts(1, hosts).build(
      lmc);
}

}  // namespace weft
