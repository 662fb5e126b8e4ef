// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Degraded links, detected from PortInfo.

#include "sm/discovery/degraded_links.h"

#include <gtest/gtest.h>

#include "support/tiny.h"

namespace weft {
namespace {

PortInfo port_info(LinkWidth width, LinkSpeed speed, LinkWidth width_enabled,
                   LinkSpeed speed_enabled) {
  PortInfo info;
  info.link_width_active = static_cast<std::uint8_t>(width);
  info.link_width_enabled = info.link_width_supported = widths_up_to(width_enabled);
  const SpeedBits active = active_speed_bits(speed);
  info.link_speed_active = active.basic;
  info.link_speed_ext_active = active.ext;
  info.link_speed_ext2_active = active.ext2;
  const SpeedBits enabled = speeds_up_to(speed_enabled);
  info.link_speed_enabled = info.link_speed_supported = enabled.basic;
  info.link_speed_ext_enabled = info.link_speed_ext_supported = enabled.ext;
  info.link_speed_ext2_enabled = info.link_speed_ext2_supported = enabled.ext2;
  return info;
}

class Degraded : public testing::Test {
 protected:
  //  S0 - S1
  Degraded() {
    observed_.fabric = Tiny(2).link(0, 1).build();
    observed_.nodes.resize(2);
    for (ObservedNode& node : observed_.nodes) node.ports.resize(9);
  }
  bool with(const PortInfo& first, const PortInfo& second) {
    observed_.nodes[0].ports[1] = first;
    observed_.nodes[1].ports[1] = second;
    const auto result = degraded_channels(observed_);
    EXPECT_EQ(result.size(), 2u);
    EXPECT_EQ(result[0], result[1]);
    return result[0];
  }
  Observed observed_;
};

constexpr auto k1x = LinkWidth::k1x;
constexpr auto k4x = LinkWidth::k4x;
constexpr auto kQdr = LinkSpeed::kQdr;
constexpr auto kEdr = LinkSpeed::kEdr;
constexpr auto kHdr = LinkSpeed::kHdr;

TEST_F(Degraded, IsACableOfFewerLanesThanBothEndsHave) {
  EXPECT_TRUE(with(port_info(k1x, kEdr, k4x, kEdr), port_info(k1x, kEdr, k4x, kEdr)));
  EXPECT_FALSE(with(port_info(k1x, kEdr, k4x, kEdr), port_info(k1x, kEdr, k1x, kEdr)));
}

TEST_F(Degraded, IsReportedWithBothEnds) {
  (void)with(port_info(k1x, kQdr, k4x, kEdr), port_info(k1x, kQdr, k4x, kHdr));
  const auto slow = degraded_links(observed_);
  ASSERT_EQ(slow.size(), 1u);
  EXPECT_NE(slow[0].find("port 1 runs at 1x QDR, both ends have enabled 4x EDR"), std::string::npos)
      << slow[0];
  (void)with(port_info(k4x, kEdr, k4x, kEdr), port_info(k4x, kEdr, k4x, kHdr));
  EXPECT_TRUE(degraded_links(observed_).empty());
}

TEST_F(Degraded, IsACableSlowerThanBothEndsEnable) {
  EXPECT_TRUE(with(port_info(k4x, kQdr, k4x, kEdr), port_info(k4x, kQdr, k4x, kEdr)));
  EXPECT_TRUE(with(port_info(k4x, kEdr, k4x, kHdr), port_info(k4x, kEdr, k4x, kHdr)));
}

TEST_F(Degraded, IsNotACableAtTheSpeedOfItsSlowerEndOrAtFullSpeed) {
  EXPECT_FALSE(with(port_info(k4x, kEdr, k4x, kHdr), port_info(k4x, kEdr, k4x, kEdr)));
  EXPECT_FALSE(with(port_info(k4x, kHdr, k4x, kHdr), port_info(k4x, kHdr, k4x, kHdr)));
}

TEST_F(Degraded, IsNotACableWithSpeedsThatAreDisabled) {
  PortInfo held = port_info(k4x, kQdr, k4x, kHdr);
  held.link_speed_ext_enabled = held.link_speed_ext2_enabled = 0;
  EXPECT_FALSE(with(held, port_info(k4x, kQdr, k4x, kHdr)));
}

TEST_F(Degraded, IsNotALinkWithoutAttributes) { EXPECT_FALSE(with(PortInfo{}, PortInfo{})); }

}  // namespace
}  // namespace weft
