// Devices of several generations and firmware versions under one manager.
#include <gtest/gtest.h>

#include "managed.h"

namespace weft {
namespace {

//  H0 H1 - S0 = S1 - H2 H3, all links of this speed
Fabric small(LinkSpeed speed) {
  Tiny tiny(2);
  tiny.link(0, 1, 2).hosts(0, 2).hosts(1, 2);
  FabricBuilder& builder = tiny.builder();
  FabricBuilder::PortSpec spec;
  spec.speed = speed;
  spec.width = LinkWidth::k4x;
  for (std::uint32_t n = 0; n < builder.node_count(); ++n)
    for (unsigned port = 1; port <= builder.node(n).port_count; ++port)
      CHECK(builder.describe_port(n, PortNum(static_cast<std::uint8_t>(port)), spec).has_value());
  return tiny.build();
}
constexpr unsigned kSwitchPorts = 2 * 9;
constexpr unsigned kHosts = 4;

void set_all(Managed& managed, const DeviceQuirks& quirks) {
  for (std::uint32_t n = 0; n < managed.fabric().node_count(); ++n)
    managed.emulated().set_quirks(NodeId(n), quirks);
}

std::uint64_t port_info_gets(Managed& managed) {
  return managed.emulated().counters().requests(Method::kGet, AttributeId::kPortInfo);
}

/// Ends of links by the speed that the manager read.
std::map<LinkSpeed, unsigned> speeds(Managed& managed) {
  std::map<LinkSpeed, unsigned> ends;
  const Fabric& known = managed.known();
  for (std::uint32_t p = 0; p < known.port_count(); ++p)
    if (known.port(PortId(p)).peer != kNoPort) ++ends[known.port(PortId(p)).speed];
  return ends;
}

TEST(ExtendedSpeedsOfDevices, AreNotAskedForWhereTheyAreNotAnnounced) {
  Managed managed(small(LinkSpeed::kQdr));
  set_all(managed, {.extended_speeds = ExtendedSpeeds::kUnknown});
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.emulated().counters().bad_status, 0u);
  EXPECT_EQ(managed.known().node_count(), 6u);
  managed.run_for(std::chrono::minutes(2));
  EXPECT_EQ(managed.emulated().counters().bad_status, 0u) << "in light sweeps";
  EXPECT_EQ(managed.sm().heavy_sweeps(), 1u);
}

TEST(ExtendedSpeedsOfDevices, AreMixedInAFabricOfOldAndNewDevices) {
  Managed managed(small(LinkSpeed::kEdr));
  managed.emulated().set_quirks(NodeId(1), {.extended_speeds = ExtendedSpeeds::kUnknown});
  managed.emulated().set_quirks(NodeId(2), {.extended_speeds = ExtendedSpeeds::kUnknown});
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.emulated().counters().bad_status, 0u);
  EXPECT_EQ(speeds(managed), (std::map<LinkSpeed, unsigned>{{LinkSpeed::kQdr, 10},
                                                            {LinkSpeed::kEdr, 2}}));
}

TEST(ExtendedSpeedsOfDevices, AreReadOnceMoreOnlyFromCasThatHideThem) {
  Managed managed(small(LinkSpeed::kEdr));
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(port_info_gets(managed), kSwitchPorts + kHosts);
  EXPECT_EQ(speeds(managed), (std::map<LinkSpeed, unsigned>{{LinkSpeed::kEdr, 12}}));

  Managed strict(small(LinkSpeed::kEdr));
  set_all(strict, {.extended_speeds = ExtendedSpeeds::kOnRequest});
  strict.start();
  ASSERT_TRUE(strict.settle());
  expect_managed(strict);
  EXPECT_EQ(port_info_gets(strict), kSwitchPorts + 2 * kHosts);
  EXPECT_EQ(speeds(strict), speeds(managed));
  EXPECT_TRUE(strict.report().slow_links.empty());
  EXPECT_EQ(strict.emulated().counters().bad_status, 0u);
}

TEST(ExtendedSpeedsOfDevices, AreSetWhereTheyAreAnnounced) {
  Managed managed(small(LinkSpeed::kEdr));
  set_all(managed, {.extended_speeds = ExtendedSpeeds::kOnRequest});
  managed.options.force_link_speed_ext = 1;  // FDR only
  managed.start();
  ASSERT_TRUE(managed.settle());
  for (std::uint32_t p = 0; p < managed.fabric().port_count(); ++p) {
    if (managed.fabric().port(PortId(p)).peer == kNoPort) continue;
    EXPECT_EQ(managed.emulated().port_info(PortId(p)).link_speed_ext_enabled, 1);
  }
}

TEST(ExtendedSpeedsOfDevices, AreLeftOutOfRequestsToADeviceThatRefusesThem) {
  Managed managed(small(LinkSpeed::kEdr));
  set_all(managed, {.extended_speeds = ExtendedSpeeds::kRefused});
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_TRUE(managed.report().warnings.empty()) << managed.report().warnings.front();
  // Each port of a switch may be asked before the first answer has come, and Sets to CAs are tried.
  EXPECT_LE(managed.emulated().counters().bad_status, kSwitchPorts + kHosts);
  managed.emulated().reset_counters();
  managed.run_for(std::chrono::minutes(2));
  EXPECT_EQ(managed.emulated().counters().bad_status, 0u);
}

TEST(ExtendedSpeedsOfDevices, AreReadAroundAChange) {
  Managed managed(small(LinkSpeed::kEdr));
  set_all(managed, {.extended_speeds = ExtendedSpeeds::kOnRequest});
  managed.start();
  ASSERT_TRUE(managed.settle());
  const PortId host = managed.fabric().endport(EndportId(4)).port;
  managed.emulated().cut_cable(host);
  managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.known().node_count(), 5u);
  managed.emulated().restore_cable(host);
  managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().looked_around);
  expect_managed(managed);
  EXPECT_EQ(speeds(managed), (std::map<LinkSpeed, unsigned>{{LinkSpeed::kEdr, 12}}));
}

}  // namespace
}  // namespace weft
