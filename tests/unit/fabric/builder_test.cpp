// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The builder of fabrics: the input that it refuses, the input that it drops with a warning, and
// the graph that it builds.
#include "fabric/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fabric/hops.h"
#include "fabric/without.h"
#include "support/tiny.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using NodeIndex = FabricBuilder::NodeIndex;

Node node_of(NodeType type, std::uint64_t guid, std::uint8_t ports, const char* name) {
  Node node;
  node.type = type;
  node.node_guid = node.system_guid = Guid(guid);
  node.port_count = ports;
  node.description = name;
  return node;
}

/// A switch with four ports and a CA with two ports, without cables.
struct Pair {
  FabricBuilder builder;
  NodeIndex sw = builder.add_node(node_of(NodeType::kSwitch, 0x10, 4, "S"));
  NodeIndex ca = builder.add_node(node_of(NodeType::kCa, 0x20, 2, "C"));
};

TEST(Builder, RefusesPortsThatANodeDoesNotHave) {
  Pair pair;
  EXPECT_TRUE(pair.builder.describe_port(pair.sw, PortNum(4), {}).has_value());
  const auto beyond = pair.builder.describe_port(pair.sw, PortNum(5), {});
  ASSERT_FALSE(beyond.has_value());
  EXPECT_EQ(beyond.error().code, Code::kBadInput);
  EXPECT_EQ(beyond.error().message, "'S' (0x0000000000000010) port 5: the node has 4 ports");
  EXPECT_EQ(pair.builder.connect(pair.sw, PortNum(1), pair.ca, PortNum(3)).error().message,
            "'C' (0x0000000000000020) port 3: the node has 2 ports");
  EXPECT_EQ(pair.builder.connect(pair.ca, PortNum(3), pair.sw, PortNum(1)).error().message,
            "'C' (0x0000000000000020) port 3: the node has 2 ports");
}

TEST(Builder, RefusesCablesOfPortZeroAndOfAPortToItself) {
  Pair pair;
  const std::string port_zero =
      "'S' (0x0000000000000010) port 0 to 'C' (0x0000000000000020) port 1: port 0 cannot have a "
      "cable";
  EXPECT_EQ(pair.builder.connect(pair.sw, PortNum(0), pair.ca, PortNum(1)).error().message,
            port_zero);
  EXPECT_EQ(
      pair.builder.connect(pair.ca, PortNum(1), pair.sw, PortNum(0)).error().message,
      "'C' (0x0000000000000020) port 1 to 'S' (0x0000000000000010) port 0: port 0 cannot have a "
      "cable");
  EXPECT_EQ(pair.builder.connect(pair.sw, PortNum(2), pair.sw, PortNum(2)).error().message,
            "'S' (0x0000000000000010) port 2: cabled to itself");
  EXPECT_TRUE(pair.builder.connect(pair.sw, PortNum(2), pair.sw, PortNum(3)).has_value());
}

TEST(Builder, RefusesASecondCableOfAPortButAcceptsTheSameCableAgain) {
  Pair pair;
  ASSERT_TRUE(pair.builder.connect(pair.sw, PortNum(1), pair.ca, PortNum(1)).has_value());
  EXPECT_TRUE(pair.builder.connect(pair.sw, PortNum(1), pair.ca, PortNum(1)).has_value());
  EXPECT_TRUE(pair.builder.connect(pair.ca, PortNum(1), pair.sw, PortNum(1)).has_value());
  EXPECT_EQ(pair.builder.connect(pair.sw, PortNum(1), pair.ca, PortNum(2)).error().message,
            "'S' (0x0000000000000010) port 1 is cabled to 'C' (0x0000000000000020) port 1 and to "
            "'C' (0x0000000000000020) port 2");
  EXPECT_EQ(pair.builder.connect(pair.sw, PortNum(2), pair.ca, PortNum(1)).error().message,
            "'C' (0x0000000000000020) port 1 is cabled to 'S' (0x0000000000000010) port 1 and to "
            "'S' (0x0000000000000010) port 2");
  const Fabric fabric = *pair.builder.build();
  EXPECT_EQ(fabric.link_count(), 1u);
  EXPECT_EQ(fabric.switch_link_count(), 0u);
}

TEST(Builder, RefusesAFabricWithoutNodesAndDuplicateGuids) {
  EXPECT_EQ(FabricBuilder().build().error().message, "there is no node");
  Pair pair;
  pair.builder.add_node(node_of(NodeType::kSwitch, 0x20, 1, "T"));
  EXPECT_EQ(pair.builder.build().error().message,
            "two nodes have GUID 0x0000000000000020: 'T' and 'C'");
}

TEST(Builder, SortsSwitchesBeforeOtherNodesAndBothByGuid) {
  FabricBuilder builder;
  builder.add_node(node_of(NodeType::kRouter, 0x05, 1, "R"));
  builder.add_node(node_of(NodeType::kSwitch, 0x30, 1, "S2"));
  builder.add_node(node_of(NodeType::kCa, 0x04, 1, "C"));
  builder.add_node(node_of(NodeType::kSwitch, 0x20, 1, "S1"));
  const Fabric fabric = *builder.build();
  std::vector<std::string> names;
  for (const Node& node : fabric.nodes()) names.push_back(node.description);
  EXPECT_THAT(names, ElementsAre("S1", "S2", "C", "R"));
  EXPECT_EQ(fabric.switch_count(), 2u);
  EXPECT_EQ(fabric.ca_count(), 2u);
  EXPECT_EQ(fabric.find_node(Guid(0x05)), NodeId(3));
  EXPECT_EQ(fabric.find_node(Guid(0x20)), NodeId(0));
  EXPECT_EQ(fabric.find_node(Guid(0x21)), std::nullopt);
  EXPECT_EQ(fabric.find_node(Guid(0xFF)), std::nullopt);
}

TEST(Builder, SetsBothEndsToTheSlowerOfTwoRates) {
  Pair pair;
  FabricBuilder::PortSpec sw, ca;
  sw.width = LinkWidth::k12x;
  sw.speed = LinkSpeed::kEdr;
  sw.mtu_cap = Mtu::k4096;
  sw.data_vls = 4;
  ca.width = LinkWidth::k2x;
  ca.speed = LinkSpeed::kNdr;
  ASSERT_TRUE(pair.builder.describe_port(pair.sw, PortNum(1), sw).has_value());
  ASSERT_TRUE(pair.builder.describe_port(pair.ca, PortNum(2), ca).has_value());
  ASSERT_TRUE(pair.builder.connect(pair.sw, PortNum(1), pair.ca, PortNum(2)).has_value());
  ASSERT_TRUE(pair.builder.connect(pair.sw, PortNum(2), pair.ca, PortNum(1)).has_value());
  FabricBuilder::PortSpec faster;
  faster.speed = LinkSpeed::kHdr;
  faster.width = LinkWidth::k1x;
  ASSERT_TRUE(pair.builder.describe_port(pair.ca, PortNum(1), faster).has_value());
  const Fabric fabric = *pair.builder.build();
  const auto port = [&](std::uint32_t node, std::size_t num) {
    return fabric.ports(NodeId(node))[num];
  };
  for (const Port& end : {port(0, 1), port(1, 2)}) {
    EXPECT_EQ(end.width, LinkWidth::k2x);
    EXPECT_EQ(end.speed, LinkSpeed::kEdr);
  }
  for (const Port& end : {port(0, 2), port(1, 1)}) {  // only one end is described
    EXPECT_EQ(end.width, LinkWidth::k1x);
    EXPECT_EQ(end.speed, LinkSpeed::kHdr);
  }
  EXPECT_EQ(port(0, 1).mtu_cap, Mtu::k4096);
  EXPECT_EQ(port(1, 2).mtu_cap, Mtu::k2048);
  EXPECT_EQ(port(0, 1).data_vls, 4);
  EXPECT_EQ(port(1, 2).data_vls, 8);
  EXPECT_EQ(port(0, 3).width, LinkWidth::k4x);
  EXPECT_EQ(port(0, 3).speed, LinkSpeed::kSdr);
}

TEST(Builder, KeepsPropertiesThatALaterDescriptionLeavesOut) {
  Pair pair;
  FabricBuilder::PortSpec first, second;
  first.guid = Guid(0x77);
  first.width = LinkWidth::k8x;
  first.speed = LinkSpeed::kQdr;
  first.mtu_cap = Mtu::k512;
  first.data_vls = 2;
  first.lid = LidRange{Lid(8), 1};
  second.data_vls = 1;
  ASSERT_TRUE(pair.builder.describe_port(pair.ca, PortNum(1), first).has_value());
  ASSERT_TRUE(pair.builder.describe_port(pair.ca, PortNum(1), second).has_value());
  ASSERT_TRUE(pair.builder.connect(pair.sw, PortNum(1), pair.ca, PortNum(1)).has_value());
  const Fabric fabric = *pair.builder.build();
  const Port& port = fabric.ports(NodeId(1))[1];
  EXPECT_EQ(port.guid, Guid(0x77));
  EXPECT_EQ(port.width, LinkWidth::k8x);
  EXPECT_EQ(port.speed, LinkSpeed::kQdr);
  EXPECT_EQ(port.mtu_cap, Mtu::k512);
  EXPECT_EQ(port.data_vls, 1);
  EXPECT_EQ(port.lid, Lid(8));
  EXPECT_EQ(port.lmc, 1);
}

TEST(Builder, AssignsGuidsToPortsWithoutADescription) {
  Pair pair;
  FabricBuilder::PortSpec zero;
  zero.guid = Guid(0x99);
  ASSERT_TRUE(pair.builder.connect(pair.sw, PortNum(1), pair.ca, PortNum(2)).has_value());
  const Fabric plain = *pair.builder.build();
  for (const Port& port : plain.ports(SwitchId(0))) EXPECT_EQ(port.guid, Guid(0x10));
  EXPECT_EQ(plain.ports(NodeId(1))[0].guid, Guid(0));
  EXPECT_EQ(plain.ports(NodeId(1))[1].guid, Guid(0x21));
  EXPECT_EQ(plain.ports(NodeId(1))[2].guid, Guid(0x22));
  EXPECT_EQ(plain.find_endport(Guid(0x22)), EndportId(1));
  EXPECT_EQ(plain.find_endport(Guid(0x21)), std::nullopt)
      << "a CA port without a cable is no endport";
  EXPECT_EQ(plain.find_endport(Guid(0x20)), std::nullopt)
      << "the node GUID of a CA is no port GUID";
  EXPECT_EQ(plain.find_endport(Guid(0x10)), EndportId(0));
  ASSERT_TRUE(pair.builder.describe_port(pair.sw, PortNum(0), zero).has_value());
  const Fabric described = *pair.builder.build();
  for (const Port& port : described.ports(SwitchId(0))) EXPECT_EQ(port.guid, Guid(0x99));
  EXPECT_EQ(described.find_endport(Guid(0x99)), EndportId(0));
  EXPECT_EQ(described.find_endport(Guid(0x10)), EndportId(0))
      << "the node GUID of a switch identifies port 0 too";
}

TEST(Builder, WarnsOfAPortGuidOfTwoPorts) {
  Pair pair;
  FabricBuilder::PortSpec same;
  same.guid = Guid(0x10);
  ASSERT_TRUE(pair.builder.describe_port(pair.ca, PortNum(1), same).has_value());
  ASSERT_TRUE(pair.builder.connect(pair.sw, PortNum(1), pair.ca, PortNum(1)).has_value());
  std::vector<std::string> warnings;
  ASSERT_TRUE(pair.builder.build(&warnings).has_value());
  EXPECT_THAT(warnings, ElementsAre("port GUID 0x0000000000000010 belongs to 'S' "
                                    "(0x0000000000000010) port 0 and to 'C' (0x0000000000000020) "
                                    "port 1"));
  EXPECT_TRUE(pair.builder.build().has_value());
}

/// Builds a switch and a CA with these LIDs and returns the warnings. Expects that the CA then has
/// the LIDs `expected_of_ca`.
std::vector<std::string> warnings_with_lids(LidRange of_switch, LidRange of_ca,
                                            LidRange expected_of_ca) {
  Pair pair;
  FabricBuilder::PortSpec sw, ca;
  sw.lid = of_switch;
  ca.lid = of_ca;
  EXPECT_TRUE(pair.builder.describe_port(pair.sw, PortNum(0), sw).has_value());
  EXPECT_TRUE(pair.builder.describe_port(pair.ca, PortNum(1), ca).has_value());
  EXPECT_TRUE(pair.builder.connect(pair.sw, PortNum(1), pair.ca, PortNum(1)).has_value());
  std::vector<std::string> warnings;
  const Fabric fabric = *pair.builder.build(&warnings);
  const Endport& endport = fabric.endport(EndportId(1));
  EXPECT_EQ((LidRange{endport.lid, endport.lmc}), expected_of_ca);
  EXPECT_EQ(fabric.port(endport.port).lid, expected_of_ca.base);
  EXPECT_EQ(fabric.port(endport.port).lmc, expected_of_ca.lmc);
  return warnings;
}

TEST(Builder, DropsInvalidLidsWithAWarning) {
  const LidRange none{};
  const auto text = [](unsigned lid, unsigned lmc) {
    return fmt::format(
        "'C' (0x0000000000000020) port 1: LID {} with LMC {} is invalid, misaligned "
        "or assigned twice: dropped",
        lid, lmc);
  };
  const LidRange sw{Lid(5), 0};
  EXPECT_THAT(warnings_with_lids(sw, none, none), IsEmpty());
  EXPECT_THAT(warnings_with_lids(sw, {Lid(6), 1}, {Lid(6), 1}), IsEmpty());
  EXPECT_THAT(warnings_with_lids(sw, {Lid(7), 1}, none), ElementsAre(text(7, 1)));
  EXPECT_THAT(warnings_with_lids(sw, {Lid(4), 1}, none),
              ElementsAre(text(4, 1)));  // LID 5 is assigned
  EXPECT_THAT(warnings_with_lids(sw, {Lid(5), 0}, none), ElementsAre(text(5, 0)));
  EXPECT_THAT(warnings_with_lids(sw, {Lid(0xBFFF), 0}, {Lid(0xBFFF), 0}), IsEmpty());
  EXPECT_THAT(warnings_with_lids(sw, {Lid(0xBFFC), 2}, {Lid(0xBFFC), 2}), IsEmpty());
  EXPECT_THAT(warnings_with_lids(sw, {Lid(0xC000), 0}, none), ElementsAre(text(0xC000, 0)));
  EXPECT_THAT(warnings_with_lids(sw, {Lid(0x80), 7}, {Lid(0x80), 7}), IsEmpty());
  EXPECT_THAT(warnings_with_lids(sw, {Lid(0x100), 8}, none), ElementsAre(text(0x100, 8)));
}

TEST(Builder, ListsChannelsEndportsAndCables) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0).link(1, 0).hosts(0).link(1, 1).build();
  EXPECT_EQ(fabric.link_count(), 5u);
  EXPECT_EQ(fabric.switch_link_count(), 3u);
  ASSERT_EQ(fabric.channel_count(), 4u);
  for (std::uint32_t id = 0; id < 4; ++id) {
    const Channel& channel = fabric.channel(ChannelId(id));
    const Channel& back = fabric.channel(channel.reverse);
    EXPECT_EQ(back.reverse, ChannelId(id));
    EXPECT_EQ(back.from, channel.to);
    EXPECT_EQ(back.from_port, channel.to_port);
    EXPECT_EQ(fabric.channel_at(channel.from, channel.from_port), ChannelId(id));
  }
  EXPECT_EQ(fabric.cables().size(), 2u);
  EXPECT_EQ(fabric.cables()[0], fabric.first_channel(kS0));
  EXPECT_EQ(fabric.channels_from(kS1).size(), 2u);
  EXPECT_EQ(fabric.channel_at(kS0, PortNum(2)), kNoChannel) << "a cable to a host is no channel";
  EXPECT_EQ(fabric.channel_at(kS1, PortNum(3)), kNoChannel)
      << "a cable of a switch to itself is no channel";
  EXPECT_EQ(fabric.channel_at(kS0, PortNum(0)), kNoChannel);
  EXPECT_EQ(fabric.channel_at(kS0, PortNum(9)), kNoChannel);
  EXPECT_EQ(fabric.port_id(Fabric::node_of(kS0), PortNum(9)), kNoPort);
  EXPECT_NE(fabric.port_id(Fabric::node_of(kS0), PortNum(8)), kNoPort);
  const auto hosts = fabric.endports_at(kS0);
  ASSERT_EQ(hosts.size(), 2u);
  EXPECT_EQ(fabric.endport(hosts[0]).sw_port, PortNum(2));
  EXPECT_EQ(fabric.endport(hosts[1]).sw_port, PortNum(4));
  EXPECT_TRUE(fabric.endports_at(kS1).empty());
  EXPECT_EQ(fabric.hosts().size(), 2u);
  for (const EndportId host : hosts) EXPECT_EQ(fabric.endport_at(fabric.endport(host).port), host);
}

TEST(FabricLids, AreRefusedIfInvalidOrAssignedTwice) {
  const Fabric fabric = Tiny(1).hosts(0).build();
  const auto error = [&](LidRange sw, LidRange host) {
    const auto with = fabric.with_lids(std::vector{sw, host});
    return with ? std::string("none") : with.error().message;
  };
  const std::string of_host = "'H0' (0x0000000000010000) port 1";
  EXPECT_EQ(error({Lid(1), 0}, {Lid(2), 1}), "none");
  EXPECT_EQ(error({Lid(1), 0}, {}), "none");
  EXPECT_EQ(error({Lid(3), 0}, {Lid(2), 1}),
            "LID 3 is assigned to 'S0' (0x0000000000000100) port 0 and to " + of_host);
  EXPECT_EQ(error({Lid(1), 0}, {Lid(3), 1}),
            of_host + ": LID 3 with LMC 1 is not an aligned range of unicast LIDs");
  EXPECT_EQ(error({Lid(1), 0}, {Lid(0xBFF0), 4}), "none");
  EXPECT_EQ(error({Lid(1), 0}, {Lid(0xBFFF), 0}), "none");
  EXPECT_EQ(error({Lid(1), 0}, {Lid(0xC000), 0}),
            of_host + ": LID 49152 with LMC 0 is not an aligned range of unicast LIDs");
  EXPECT_EQ(error({Lid(1), 0}, {Lid(0x100), 8}),
            of_host + ": LID 256 with LMC 8 is not an aligned range of unicast LIDs");
  const Fabric with = *fabric.with_lids(std::vector<LidRange>{{Lid(1), 0}, {Lid(64), 2}});
  EXPECT_EQ(with.lid_top(), Lid(67));
  EXPECT_EQ(with.endport_of(Lid(67)), EndportId(1));
  EXPECT_EQ(with.endport_of(Lid(64)), EndportId(1));
  EXPECT_EQ(with.endport_of(Lid(68)), kNoEndport);
  EXPECT_EQ(with.endport_of(Lid(63)), kNoEndport);
  EXPECT_EQ(with.endport_of(Lid(0)), kNoEndport);
  EXPECT_EQ(with.endport_of(Lid(1)), EndportId(0));
  EXPECT_EQ(with.with_lids(std::vector<LidRange>{{Lid(1), 0}, {Lid(2), 0}})->lid_top(), Lid(2));
}

//  H0 - S0 - S1 - S2   S3
TEST(Hops, AreCountedFromTheNearestSource) {
  const Fabric fabric = Tiny(4).link(0, 1).link(1, 2).hosts(0).build();
  const auto hops = [&](std::vector<SwitchId> sources) { return hops_from(fabric, sources); };
  EXPECT_THAT(hops({SwitchId(0)}), ElementsAre(0, 1, 2, kNoHops));
  EXPECT_THAT(hops({SwitchId(0), SwitchId(2)}), ElementsAre(0, 1, 0, kNoHops));
  EXPECT_THAT(hops({}), ElementsAre(kNoHops, kNoHops, kNoHops, kNoHops));
}

TEST(Without, RemovesOnlyFailedNodesAndCables) {
  const Fabric whole = *Tiny(3).link(0, 1).link(1, 2).link(0, 2).hosts(0).build().with_lids(
      std::vector<LidRange>{{Lid(1), 0}, {Lid(2), 0}, {Lid(3), 0}, {Lid(4), 1}});
  const PortNum first = whole.channel(whole.first_channel(SwitchId(0))).from_port;
  const PortId end = whole.port_id(Fabric::node_of(SwitchId(0)), first);
  const Fabric cut = without(whole, {}, std::vector{end});
  EXPECT_EQ(cut.node_count(), 4u);
  EXPECT_EQ(cut.link_count(), whole.link_count() - 1);
  const std::vector<NodeId> dead{Fabric::node_of(SwitchId(1))};
  const Fabric rest = without(whole, dead, {});
  EXPECT_EQ(rest.node_count(), 3u);
  EXPECT_EQ(rest.link_count(), 2u);
  EXPECT_FALSE(rest.find_node(whole.node(dead[0]).node_guid));
  EXPECT_EQ(rest.endport(*rest.find_endport(Guid(0x10001))).lid, Lid(4));
  EXPECT_EQ(rest.endport(*rest.find_endport(Guid(0x10001))).lmc, 1);
}

}  // namespace
}  // namespace weft
