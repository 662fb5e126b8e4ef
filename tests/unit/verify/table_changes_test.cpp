// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The tables of two fabrics are comparable if the fabrics differ only in cables between switches.
#include "verify/table_changes.h"

#include <gtest/gtest.h>

#include <vector>

#include "fabric/builder.h"
#include "support/tiny.h"

namespace weft {
namespace {

/// Two switches with cables at their ports 1 and 2, and two hosts.
struct Parts {
  Guid first_switch{0x100};
  std::uint8_t ports = 8;
  unsigned hosts = 2;
  Guid host{0x10000};
  unsigned host_switch = 0;
  std::uint8_t host_port = 3;
  std::uint16_t host_lid = 4;
  std::uint8_t host_lmc = 1;
  std::uint16_t second_lid = 8;
  unsigned cables = 2;

  Fabric build() const {
    FabricBuilder builder;
    const auto add = [&](NodeType type, Guid guid, std::uint8_t count) {
      Node node;
      node.type = type;
      node.node_guid = node.system_guid = guid;
      node.port_count = count;
      return builder.add_node(node);
    };
    const FabricBuilder::NodeIndex switches[] = {add(NodeType::kSwitch, first_switch, ports),
                                                 add(NodeType::kSwitch, Guid(0x200), 8)};
    for (std::uint8_t i = 1; i <= cables; ++i)
      EXPECT_TRUE(builder.connect(switches[0], PortNum(i), switches[1], PortNum(i)));
    const auto one = add(NodeType::kCa, host, 1);
    EXPECT_TRUE(builder.connect(one, PortNum(1), switches[host_switch], PortNum(host_port)));
    for (unsigned i = 1; i < hosts; ++i) {
      const auto other = add(NodeType::kCa, Guid(0x20000 + 16 * i), 1);
      EXPECT_TRUE(builder.connect(other, PortNum(1), switches[1],
                                  PortNum(static_cast<std::uint8_t>(4 + i))));
    }
    std::vector<LidRange> lids{{Lid(1), 0}, {Lid(2), 0}, {Lid(host_lid), host_lmc}};
    for (unsigned i = 1; i < hosts; ++i)
      lids.push_back({Lid(static_cast<std::uint16_t>(second_lid + i - 1)), 0});
    return *builder.build()->with_lids(lids);
  }
};

TEST(TableChanges, AreComparableAfterChangesOfCablesBetweenSwitches) {
  Parts fewer;
  fewer.cables = 1;
  const auto match = ChannelMatch::of(Parts().build(), fewer.build());
  ASSERT_TRUE(match);
  EXPECT_EQ(match->changed_ports(kS0), std::vector{PortNum(2)});
  EXPECT_EQ(match->changed_ports(kS1), std::vector{PortNum(2)});
  const auto same = ChannelMatch::of(Parts().build(), Parts().build());
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->same_channels_from(kS0));
  EXPECT_TRUE(same->same_channels_from(kS1));
}

// Each fabric differs from the first one in one property.
TEST(TableChanges, AreNotComparableAfterAnyOtherChange) {
  const Fabric before = Parts().build();
  std::vector<Parts> others;
  const auto other = [&]() -> Parts& { return others.emplace_back(); };
  other().first_switch = Guid(0x101);
  other().ports = 9;
  other().hosts = 1;
  other().hosts = 3;
  other().host = Guid(0x10010);
  other().host_switch = 1;
  other().host_port = 4;
  other().host_lid = 6;
  other().host_lmc = 0;
  other().second_lid = 9;
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_FALSE(ChannelMatch::of(before, others[i].build())) << i;
    EXPECT_FALSE(ChannelMatch::of(others[i].build(), before)) << i;
  }
}

}  // namespace
}  // namespace weft
