// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Emulated virtual ports: the attributes that a CA returns, and the effects of changes of virtual
// machines.
#include "emulator/virtual_ports.h"

#include <gtest/gtest.h>

#include "emulator/vport_changes.h"
#include "ib/vendor/vports_unconfirmed.h"
#include "unit/emulator/client.h"

namespace weft {
namespace {

namespace unconfirmed = vports_unconfirmed;
using emulator::VirtualIdentity;

class EmulatedVports : public testing::Test {
 protected:
  static EmulatorOptions with_vports() {
    EmulatorOptions options;
    options.vports = 3;
    return options;
  }
  PortId port_of(EndportId host) const { return fabric.endport(host).port; }
  VirtualizationInfo info(const Path& path) {
    const auto answer = sm.get(kVirtualizationInfo, 0, path);
    EXPECT_TRUE(answer && answer->status == 0);
    return decode_virtualization_info(answer->data);
  }
  VportInfo vport(const Path& path, std::uint16_t index) {
    const auto answer = sm.get(kVportInfo, unconfirmed::vport_modifier(index), path);
    EXPECT_TRUE(answer && answer->status == 0);
    return decode_vport_info(answer->data);
  }
  VportStateBlock states(const Path& path) {
    return decode_vport_state_block(sm.get(kVportState, 0, path)->data);
  }

  const Path kPathToH1{1, 2, 2};  // the host H1
  const Fabric fabric = two_switches();
  EmulatedFabric emulated{fabric, with_vports()};
  Client sm{emulated, kH0};
};

TEST_F(EmulatedVports, AreAnnouncedWithSeparateGuidsAndNames) {
  EXPECT_TRUE(has_virtualization(sm.port_info(kPathToH1, 1)));
  EXPECT_FALSE(has_virtualization(sm.port_info({1}, 0)))
      << "a switch does not support virtualization";
  const VirtualizationInfo read = info(kPathToH1);
  EXPECT_TRUE(read.enabled);
  EXPECT_EQ(read.vport_top, 3);
  EXPECT_EQ(vport(kPathToH1, 0).port_guid, fabric.port(port_of(kH1)).guid);
  EXPECT_NE(vport(kPathToH1, 1).port_guid, vport(kPathToH1, 2).port_guid);
  EXPECT_EQ(states(kPathToH1).states[3], PortState::kInit);
  EXPECT_EQ(states(kPathToH1).states[4], PortState::kDown);
  const auto name = sm.get(kVnodeDescription, unconfirmed::vport_modifier(2), kPathToH1);
  EXPECT_NE(decode_node_description(name->data)->text.find("VF-2"), std::string::npos);
  EXPECT_EQ(sm.get(kVportInfo, unconfirmed::vport_modifier(4), kPathToH1)->status,
            mad_status::kInvalidField);
  EXPECT_EQ(sm.get(kVirtualizationInfo, 0, {1})->status, mad_status::kMethodAttributeUnsupported);
}

TEST_F(EmulatedVports, CanBeSetFromInitToActiveOnly) {
  VportInfo wanted = vport(kPathToH1, 1);
  wanted.state = PortState::kDown;
  const auto set = [&] {
    return sm.set(kVportInfo, unconfirmed::vport_modifier(1), kPathToH1, encode(wanted))->status;
  };
  EXPECT_EQ(set(), mad_status::kInvalidField);
  wanted.state = PortState::kActive;
  EXPECT_EQ(set(), mad_status::kGood);
  EXPECT_EQ(states(kPathToH1).states[1], PortState::kActive);
  EXPECT_EQ(states(kPathToH1).states[2], PortState::kInit);
  emulated.cut_cable(port_of(kH1));
  emulated.restore_cable(port_of(kH1));
  emulated.run_for(std::chrono::milliseconds(50));
  EXPECT_EQ(states(kPathToH1).states[1], PortState::kInit) << "INIT after the link came up again";
}

TEST_F(EmulatedVports, HaveSeparatePkeyTables) {
  PkeyTable table;
  table.pkeys[0] = Pkey(0x8001);
  const std::uint32_t modifier = unconfirmed::table_modifier(2, 0);
  EXPECT_EQ(sm.set(kVportPkeyTable, modifier, kPathToH1, encode(table))->status, mad_status::kGood);
  EXPECT_EQ(*decode_pkey_table(sm.get(kVportPkeyTable, modifier, kPathToH1)->data), table);
  EXPECT_EQ(
      decode_pkey_table(sm.get(kVportPkeyTable, unconfirmed::table_modifier(1, 0), kPathToH1)->data)
          ->pkeys[0],
      Pkey(0xFFFF));
  EXPECT_EQ(sm.get(kVportPkeyTable, unconfirmed::table_modifier(2, 1), kPathToH1)->status,
            mad_status::kInvalidField);
}

TEST_F(EmulatedVports, ReportChangesUntilTheIndicationIsCleared) {
  EXPECT_FALSE(info(kPathToH1).state_change);
  ASSERT_TRUE(emulated.remove_vport(port_of(kH1), 3));
  EXPECT_FALSE(emulated.remove_vport(port_of(kH1), 3)) << "vport 3 was removed before";
  EXPECT_FALSE(emulated.remove_vport(port_of(kH1), 0)) << "vport 0 cannot be removed";
  VirtualizationInfo read = info(kPathToH1);
  EXPECT_TRUE(read.state_change);
  EXPECT_EQ(read.vport_top, 2);
  read.state_change = false;
  sm.set(kVirtualizationInfo, 0, kPathToH1, encode(read));
  EXPECT_TRUE(info(kPathToH1).state_change) << "a Set with 0 does not clear the indication";
  read.state_change = true;
  sm.set(kVirtualizationInfo, 0, kPathToH1, encode(read));
  EXPECT_FALSE(info(kPathToH1).state_change);
}

TEST_F(EmulatedVports, KeepGuidsWhenMoved) {
  const VirtualIdentity moved = emulated.virtual_ports(port_of(kH0))->identity(1);
  const auto index = emulated.move_vport(port_of(kH0), 1, port_of(kH1));
  ASSERT_EQ(index, std::uint16_t{4});
  EXPECT_EQ(vport(kPathToH1, 4).port_guid, moved.port);
  EXPECT_FALSE(emulated.virtual_ports(port_of(kH0))->is_up(1));
  EXPECT_EQ(emulated.add_vport(port_of(kH0), {Guid(1), Guid(2), "new"}), std::uint16_t{1})
      << "the new vport has the lowest free index";
}

TEST_F(EmulatedVports, ChangesCauseTraps) {
  sm.set_lid({}, 1, 3, 3);
  ASSERT_TRUE(emulated.remove_vport(port_of(kH0), 2));
  emulated.set_vnode_description(port_of(kH0), 1, "renamed");
  emulated.run_for(std::chrono::milliseconds(1));
  std::vector<std::uint16_t> numbers;
  for (const Smp& smp : sm.take_unsolicited())
    if (smp.method == Method::kTrap)
      numbers.push_back(vendor_trap_number(*decode_notice(smp.data)).value_or(0));
  EXPECT_EQ(numbers, (std::vector<std::uint16_t>{1146, 1144}));
}

TEST_F(EmulatedVports, AnswerOnlyVirtualizationInfoWhileDisabled) {
  VirtualizationInfo wanted = info(kPathToH1);
  wanted.enabled = false;
  sm.set(kVirtualizationInfo, 0, kPathToH1, encode(wanted));
  EXPECT_FALSE(info(kPathToH1).enabled);
  EXPECT_EQ(sm.get(kVportState, 0, kPathToH1)->status, mad_status::kMethodAttributeUnsupported);
}

TEST(EmulatedVportSupport, DiffersBetweenCas) {
  const Fabric fabric = two_by_two(2);
  EmulatorOptions options;
  options.vports = 1;
  options.virtual_cas = VirtualCas::kMixed;
  EmulatedFabric emulated(fabric, options);
  std::vector<bool> announced;
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
    announced.push_back(has_virtualization(emulated.port_info(fabric.endport(EndportId(e)).port)));
  EXPECT_EQ(announced, (std::vector{true, false, true, true}));
}

TEST(VportChanges, KeepPortGuidsUnique) {
  const Fabric fabric = two_by_two(4);
  EmulatorOptions options;
  options.vports = 5;
  EmulatedFabric emulated(fabric, options);
  const auto identities = [&] {
    std::vector<Guid> all;
    for (const Endport& endport : fabric.endports())
      if (const auto* vports = emulated.virtual_ports(endport.port))
        for (std::uint16_t i = 1; i < vports->vports.size(); ++i)
          if (vports->is_up(i)) all.push_back(vports->vports[i].info.port_guid);
    return all;
  };
  const auto before = identities();
  schedule_vport_changes(emulated, {.seed = 7, .interval = std::chrono::seconds(1)});
  emulated.run_for(std::chrono::seconds(300));
  auto after = identities();
  EXPECT_NE(before, after);
  EXPECT_GT(after.size(), 20u);
  std::ranges::sort(after);
  EXPECT_EQ(std::ranges::adjacent_find(after), after.end());
}

}  // namespace
}  // namespace weft
