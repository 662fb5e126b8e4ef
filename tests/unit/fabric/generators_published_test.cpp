// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Published sizes of Slim Fly, PolarFly, Hamming mesh, Jellyfish and Dragonfly+.
#include <gmock/gmock.h>

#include <set>

#include "unit/fabric/graphs.h"

namespace weft {
namespace {

TEST(PublishedSizes, SlimFliesHaveThePublishedCounts) {
  struct Size {
    unsigned q, switches, degree, cables;
  };
  for (const auto& [q, switches, wanted, cables] :
       {Size{3, 18, 5, 45}, Size{4, 32, 6, 96}, Size{5, 50, 7, 175}, Size{7, 98, 11, 539},
        Size{8, 128, 12, 768}, Size{9, 162, 13, 1053}, Size{11, 242, 17, 2057},
        Size{13, 338, 19, 3211}}) {
    const Fabric fabric = fabric_without_lids(fmt::format("slimfly:q={}", q));
    EXPECT_EQ(fabric.switch_count(), switches) << q;
    EXPECT_EQ(fabric.switch_link_count(), cables) << q;
    EXPECT_EQ(degree(fabric), static_cast<int>(wanted)) << q;
  }
  // The Slim Fly that was built has 4 hosts on each of 50 switches.
  EXPECT_EQ(fabric_without_lids("slimfly:q=5,hosts=4").ca_count(), 200u);
}

/// A switch has half as many hosts as cables to switches, rounded up: 24 with q = 31, so that the
/// fabric has 1,922 switches and 46,128 hosts.
TEST(PublishedSizes, TheLargestSlimFlyUsesNearlyAllLids) {
  const Fabric largest = fabric_without_lids("slimfly:q=31,hosts=24");
  EXPECT_EQ(largest.switch_count() + largest.ca_count(), 1'922u + 46'128u);
  const auto larger = generate("slimfly:q=32,hosts=24");
  ASSERT_FALSE(larger);
  EXPECT_THAT(larger.error().message,
              testing::HasSubstr("found 2048 switches and 49152 hosts, expected at most 49151"));
}

TEST(PublishedSizes, PolarFliesHaveThePublishedCounts) {
  struct Size {
    unsigned q, switches, cables;
  };
  for (const auto& [q, switches, cables] :
       {Size{2, 7, 9}, Size{3, 13, 24}, Size{4, 21, 50}, Size{5, 31, 90}, Size{7, 57, 224},
        Size{8, 73, 324}, Size{9, 91, 450}, Size{11, 133, 792}, Size{13, 183, 1274},
        Size{16, 273, 2312}, Size{31, 993, 15872}}) {
    const Fabric fabric = fabric_without_lids(fmt::format("polarfly:q={}", q));
    EXPECT_EQ(fabric.switch_count(), switches) << q;
    EXPECT_EQ(fabric.switch_link_count(), cables) << q;
    unsigned quadrics = 0;  // vertices that are orthogonal to themselves
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      const std::size_t links = fabric.channels_from(SwitchId(s)).size();
      EXPECT_TRUE(links == q || links == q + 1) << q;
      quadrics += links == q ? 1 : 0;
    }
    EXPECT_EQ(quadrics, q + 1) << q;
    if (q <= 13) {
      EXPECT_EQ(diameter(fabric), 2u) << q;
    }
  }
}

/// The first case is Hx2Mesh of 4 x 4 boards: 64 accelerators, 8 rows and 8 columns, with one
/// switch for each row and column.
TEST(PublishedSizes, HammingMeshesHaveThePublishedCounts) {
  struct Mesh {
    unsigned a, b, x, y;
  };
  for (const auto& [a, b, x, y] : {Mesh{2, 2, 4, 4}, Mesh{1, 1, 3, 5}, Mesh{4, 2, 3, 2}}) {
    const std::string spec = fmt::format("hammingmesh:a={},b={},x={},y={},hosts=1", a, b, x, y);
    const Fabric fabric = fabric_without_lids(spec);
    EXPECT_EQ(fabric.switch_count(), a * b * x * y + b * y + a * x) << spec;
    EXPECT_EQ(fabric.ca_count(), a * b * x * y) << spec;
    EXPECT_EQ(fabric.switch_link_count(),
              x * y * (b * (a - 1) + a * (b - 1)) + b * y * 2 * x + a * x * 2 * y)
        << spec;
    EXPECT_TRUE(is_connected(fabric)) << spec;
    EXPECT_EQ(fabric.endports_at(SwitchId(0)).size(), 1u) << spec;
    EXPECT_EQ(fabric.channels_from(SwitchId(0)).size(), 4u) << spec;
  }
  // A row has two cables for each board. With switches of 4 ports a row of 2 boards needs one
  // switch, a row of 3 boards a tree of 3 leaves and 2 spines.
  EXPECT_EQ(fabric_without_lids("hammingmesh:a=1,b=1,x=2,y=2,k=4").switch_count(), 4u + 4u);
  EXPECT_EQ(fabric_without_lids("hammingmesh:a=1,b=1,x=3,y=1,k=4").switch_count(),
            3u + (3u + 2u) + 3u);
}

/// Jellyfish with as many switches as a fat tree of k = 14: 245.
TEST(PublishedSizes, JellyfishHasThePublishedCounts) {
  const Fabric fabric = fabric_without_lids("jellyfish:n=245,k=14,r=10,seed=1");
  EXPECT_EQ(fabric.switch_count(), 245u);
  EXPECT_EQ(fabric.ca_count(), 245u * 4u);
  EXPECT_EQ(degree(fabric), 10);
  EXPECT_EQ(fabric.node(SwitchId(0)).port_count, 14);
  EXPECT_EQ(degree(fabric_without_lids("jellyfish:n=20,k=12")), 9);
}

/// A Dragonfly+ of switches with k ports has k/2 leaves and k/2 spines in each group, k/2 global
/// cables on each spine and k/2 hosts on each leaf.
TEST(PublishedSizes, DragonflyPlusHasThePublishedCounts) {
  const Fabric fabric = fabric_without_lids("dragonflyplus:k=8");
  EXPECT_EQ(fabric.switch_count(), 17u * 8u);
  EXPECT_EQ(fabric.ca_count(), 17u * 16u);
  EXPECT_EQ(fabric.switch_link_count(), 17u * 16u + 17u * 8u);
  EXPECT_EQ(fabric_without_lids("dragonflyplus:k=8,g=3,hosts=2").ca_count(), 3u * 4u * 2u);
}

}  // namespace
}  // namespace weft
