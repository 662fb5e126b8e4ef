// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SwitchPortStateTable of emulated switches.
#include <gtest/gtest.h>

#include "ib/vendor/port_states.h"
#include "support/fabric_of.h"
#include "unit/emulator/client.h"

namespace weft {
namespace {

EmulatorOptions tables_of(PortStateTables support) {
  EmulatorOptions options;
  options.port_states = support;
  return options;
}

TEST(EmulatedPortStateTable, HoldsTheStateOfEachPort) {
  EmulatedFabric emulated(two_switches(), tables_of(PortStateTables::kAnswered));
  Client sm(emulated, kH0);
  EXPECT_TRUE(has_port_state_table(sm.port_info({1}, 0)));
  EXPECT_FALSE(has_port_state_table(sm.port_info({}, 1))) << "a CA does not announce the table";
  emulated.run_for(std::chrono::seconds(1));
  const auto answer = sm.get(kSwitchPortStateTable, port_states_modifier(0), {1});
  ASSERT_TRUE(answer && answer->status == mad_status::kGood);
  const PortStateBlock block = decode_port_state_block(answer->data);
  EXPECT_EQ(block.states[0], PortState::kActive);
  for (unsigned port = 1; port <= 3; ++port)
    EXPECT_EQ(block.states[port], sm.port_info({1}, port).state) << port;
  EXPECT_EQ(block.states[1], PortState::kInit);
  EXPECT_EQ(block.states[100], PortState::kNoChange) << "port 100 does not exist";
  EXPECT_EQ(sm.get(kSwitchPortStateTable, port_states_modifier(1), {1})->status,
            mad_status::kInvalidField);
  EXPECT_EQ(sm.set(kSwitchPortStateTable, port_states_modifier(0), {1}, {})->status,
            mad_status::kMethodAttributeUnsupported);
  EXPECT_EQ(sm.get(kSwitchPortStateTable, port_states_modifier(0), {})->status,
            mad_status::kMethodAttributeUnsupported)
      << "a CA does not support the table";
}

/// Switches 0 to 3: the attribute is supported; it is not announced; requests are refused; requests
/// get no response.
TEST(EmulatedPortStateTable, DiffersAmongMixedSwitches) {
  EmulatedFabric emulated(fabric_of("fattree2:k=4"), tables_of(PortStateTables::kMixed));
  const auto states = [&](std::uint32_t sw) {
    const EndportId host(emulated.fabric().switch_count() + 2 * sw);  // each leaf has two hosts
    Client sm(emulated, host);
    const auto answer = sm.get(kSwitchPortStateTable, port_states_modifier(0), {1});
    const bool announced = has_port_state_table(sm.port_info({1}, 0));
    emulated.detach(host);
    return std::pair(announced,
                     answer ? std::optional<std::uint16_t>(answer->status) : std::nullopt);
  };
  EXPECT_EQ(states(0), std::pair(true, std::optional<std::uint16_t>(mad_status::kGood)));
  EXPECT_EQ(
      states(1),
      std::pair(false, std::optional<std::uint16_t>(mad_status::kMethodAttributeUnsupported)));
  EXPECT_EQ(states(2),
            std::pair(true, std::optional<std::uint16_t>(mad_status::kMethodAttributeUnsupported)));
  EXPECT_EQ(states(3), std::pair(true, std::optional<std::uint16_t>()));
  EXPECT_EQ(emulated.counters().drops(Drop::kNoReceiver), 1u);
}

}  // namespace
}  // namespace weft
