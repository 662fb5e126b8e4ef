// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The effects of DeviceBehavior on the management agent of a node.
#include <gtest/gtest.h>

#include "unit/emulator/client.h"

namespace weft {
namespace {

/// two_switches() with EDR links.
class Devices : public testing::Test {
 protected:
  static Fabric edr() {
    Tiny tiny(2);
    tiny.hosts(0).link(0, 1).hosts(1).link(0, 1);
    FabricBuilder::PortSpec spec;
    spec.speed = LinkSpeed::kEdr;
    spec.width = LinkWidth::k4x;
    for (std::uint32_t n = 0; n < tiny.builder().node_count(); ++n)
      for (unsigned p = 1; p <= tiny.builder().node(n).port_count; ++p)
        CHECK(tiny.builder().describe_port(n, PortNum(static_cast<std::uint8_t>(p)), spec));
    return tiny.build();
  }
  void set(std::uint32_t node, const DeviceBehavior& quirks) {
    emulated.set_behavior(NodeId(node), quirks);
  }
  std::uint16_t extended_get_status(const Path& path, unsigned port) {
    return sm
        .get(AttributeId::kPortInfo,
             modifier::port_info(PortNum(static_cast<std::uint8_t>(port)), true), path)
        ->status;
  }

  const Fabric fabric = edr();
  EmulatedFabric emulated{fabric};
  Client sm{emulated, kH0};
};

TEST_F(Devices, ReportExtendedSpeedsOnRequestOnly) {
  EXPECT_EQ(sm.port_info({1}, 2).link_speed_ext_active, 2);
  set(0, {.extended_speeds = ExtendedSpeeds::kOnRequest});
  EXPECT_EQ(sm.port_info({1}, 2).link_speed_ext_active, 0);
  EXPECT_EQ(sm.port_info({1}, 2).link_speed_ext_supported, 0);
  EXPECT_EQ(extended_get_status({1}, 2), 0);
  const auto with = sm.get(AttributeId::kPortInfo, modifier::port_info(PortNum(2), true), {1});
  EXPECT_EQ(decode_port_info(with->data)->link_speed_ext_active, 2);
  EXPECT_EQ(sm.change_port({1}, 2, [](PortInfo& info) { info.link_speed_ext_enabled = 1; }), 0);
  EXPECT_EQ(decode_port_info(with->data)->link_speed_ext_enabled,
            emulated.port_info(fabric.port_id(NodeId(0), PortNum(2))).link_speed_ext_enabled);
}

TEST_F(Devices, RefuseTheExtendedSpeedsBitWithoutExtendedSpeeds) {
  set(1, {.extended_speeds = ExtendedSpeeds::kUnsupported});
  EXPECT_EQ(extended_get_status({1, 2}, 1), mad_status::kInvalidField);
  EXPECT_EQ(extended_get_status({1}, 1), 0);
  EXPECT_EQ(sm.port_info({1, 2}, 0).capability_mask & cap_mask::kExtendedSpeeds, 0u);
  EXPECT_EQ(sm.port_info({1, 2}, 1).state, PortState::kInit);
  EXPECT_EQ(sm.port_info({1}, 2).link_speed_ext_active, 0)
      << "extended speed at the other end of the link";
  EXPECT_EQ(sm.port_info({1}, 1).link_speed_ext_active, 2);
}

TEST_F(Devices, MayRefuseTheExtendedSpeedsBitDespiteTheCapability) {
  set(1, {.extended_speeds = ExtendedSpeeds::kRefused});
  EXPECT_EQ(extended_get_status({1, 2}, 1), mad_status::kInvalidField);
  EXPECT_NE(sm.port_info({1, 2}, 0).capability_mask & cap_mask::kExtendedSpeeds, 0u);
  EXPECT_EQ(sm.port_info({1, 2}, 1).link_speed_ext_active, 2);
}

TEST_F(Devices, AnswerBusyInBursts) {
  set(0, {.busy_every = 4, .busy_burst = 2});
  for (unsigned i = 0; i < 8; ++i) {
    const auto answer = sm.get(AttributeId::kNodeInfo, 0, {1});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, i % 4 < 2 ? mad_status::kBusy : mad_status::kGood) << i;
  }
}

TEST_F(Devices, RefuseTheConfiguredMethodOfOneAttribute) {
  set(0, {.refused_status = mad_status::kMethodAttributeUnsupported,
          .refused_method = Method::kSet,
          .refused_attribute = AttributeId::kSwitchInfo});
  const SwitchInfo info = sm.switch_info({1});
  EXPECT_EQ(sm.set(AttributeId::kSwitchInfo, 0, {1}, encode(info))->status,
            mad_status::kMethodAttributeUnsupported);
  EXPECT_EQ(sm.change_port({1}, 2, [](PortInfo&) {}), 0);
}

TEST_F(Devices, PortsBecomeActiveWhenTheNeighborSendsData) {
  set(1, {.active_by_data = true});
  for (const Path& path : {Path{1}, Path{1, 2}})
    EXPECT_EQ(sm.set_state(path, path.size() == 1 ? 2 : 1, PortState::kArmed), 0);
  EXPECT_EQ(sm.port_info({1, 2}, 1).state, PortState::kArmed)
      << "ARMED until the neighbor sends data";
  EXPECT_EQ(sm.set_state({1}, 2, PortState::kActive), 0);
  EXPECT_EQ(sm.port_info({1, 2}, 1).state, PortState::kActive);
  EXPECT_EQ(sm.set_state({1, 2}, 1, PortState::kActive), mad_status::kInvalidField);
  EXPECT_EQ(sm.set_state({1}, 2, PortState::kActive), 0)
      << "the first switch accepts a Set to ACTIVE of an ACTIVE port";
}

}  // namespace
}  // namespace weft
