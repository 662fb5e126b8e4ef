// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cached tables of a node that was restarted are dropped.
#include "sm/programming/held_tables.h"

#include <gtest/gtest.h>

#include "fabric/builder.h"

namespace weft {
namespace {

ObservedNode node_with(NodeType type, std::initializer_list<PortState> ports) {
  ObservedNode node;
  node.info.type = type;
  node.ports.resize(1);
  for (const PortState state : ports) node.ports.emplace_back().state = state;
  return node;
}

TEST(ResetState, IsDetectedForASwitchWithoutLinksInUse) {
  using enum PortState;
  const auto reset = [](std::initializer_list<PortState> ports) {
    return has_reset_state(node_with(NodeType::kSwitch, ports));
  };
  EXPECT_TRUE(reset({kInit, kInit, kDown}));
  EXPECT_TRUE(reset({kDown, kInit}));
  EXPECT_FALSE(reset({kInit, kActive, kInit}));
  EXPECT_FALSE(reset({kInit, kArmed}));
  EXPECT_FALSE(reset({kDown, kDown})) << "a switch without links up must not count as reset";
  EXPECT_FALSE(reset({}));
}

TEST(ResetState, IsDetectedForAHostWithAPortInInit) {
  using enum PortState;
  const auto reset = [](std::initializer_list<PortState> ports) {
    return has_reset_state(node_with(NodeType::kCa, ports));
  };
  EXPECT_TRUE(reset({kInit}));
  EXPECT_TRUE(reset({kActive, kInit}));
  EXPECT_FALSE(reset({kActive, kDown}));
  EXPECT_FALSE(reset({kDown}));
}

// A switch returns with empty tables but its old LinearFDBTop.
TEST(HeldTables, DropsTablesOfAResetSwitchWithUnchangedTop) {
  Observed observed;
  FabricBuilder builder;
  Node sw;
  sw.type = NodeType::kSwitch;
  sw.node_guid = sw.system_guid = Guid(0x100);
  sw.port_count = 2;
  builder.add_node(sw);
  observed.fabric = *builder.build();
  observed.nodes.push_back(node_with(NodeType::kSwitch, {PortState::kInit, PortState::kInit}));
  HeldTables held;
  const std::uint16_t top = held.at(Guid(0x100)).top();
  observed.nodes[0].switch_info.linear_fdb_top = top;
  observed.nodes[0].ports[1].state = PortState::kActive;
  held.distrust(observed);
  EXPECT_NE(held.find(Guid(0x100)), nullptr);
  observed.nodes[0].ports[1].state = PortState::kInit;
  held.distrust(observed);
  EXPECT_EQ(held.find(Guid(0x100)), nullptr);
}

}  // namespace
}  // namespace weft
