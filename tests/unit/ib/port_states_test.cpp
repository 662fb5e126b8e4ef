// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SwitchPortStateTable, compared with bytes, and round trips of random bytes.
#include "ib/vendor/port_states.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "unit/ib/any_bytes.h"

namespace weft {
namespace {

TEST(PortStateTable, HasTheEvenPortInTheHighNibble) {
  PortStateBlock block;
  block.states[0] = PortState::kActive;
  block.states[1] = PortState::kInit;
  block.states[2] = PortState::kDown;
  block.states[127] = static_cast<PortState>(5);
  SmpData data{};
  data[0] = std::byte{0x42};
  data[1] = std::byte{0x10};
  data[63] = std::byte{0x05};
  EXPECT_EQ(encode(block), data);
  EXPECT_EQ(decode_port_state_block(data), block);
}

TEST(PortStateTable, ModifierHasTheBlockAndTheSupportOfStateFive) {
  EXPECT_EQ(port_states_modifier(0), 0x8000u);
  EXPECT_EQ(port_states_modifier(1), 0x8001u);
  EXPECT_EQ(block_of_port_states_modifier(0x8001), 1);
}

TEST(PortStateTable, HasASecondBlockFromPort128) {
  EXPECT_EQ(port_state_blocks(36), 1);
  EXPECT_EQ(port_state_blocks(127), 1);
  EXPECT_EQ(port_state_blocks(128), 2);
  EXPECT_EQ(port_state_blocks(254), 2);
}

TEST(PortStateTable, IsAnnouncedInCapabilityMask2) {
  PortInfo info;
  info.capability_mask2 = cap_mask2::kSwitchPortStateTable;
  EXPECT_FALSE(has_port_state_table(info));
  info.capability_mask = cap_mask::kCapabilityMask2;
  EXPECT_TRUE(has_port_state_table(info));
  info.capability_mask2 = cap_mask2::kVirtualization;
  EXPECT_FALSE(has_port_state_table(info));
}

RC_GTEST_PROP(PortStateTable, IsReadBackUnchanged, ()) {
  const SmpData data = any_bytes<kSmpDataSize>();
  RC_ASSERT(encode(decode_port_state_block(data)) == data);
}

}  // namespace
}  // namespace weft
