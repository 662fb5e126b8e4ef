// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counts and lists of a verdict: with LMC above 0, several blocks of LIDs, CAs without a switch,
// dropped SLs, limits of the lists, and the packets that cause the dependencies of a credit loop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/tiny.h"
#include "unit/verify/tables.h"
#include "verify/dependencies.h"
#include "verify/failure_text.h"
#include "verify/verify.h"

namespace weft {
namespace {

using testing::ElementsAre;

void expect_count(const ReachCount& count, std::uint64_t pairs, std::uint64_t arrived,
                  std::uint64_t cut_off = 0) {
  EXPECT_EQ(count.pairs, pairs);
  EXPECT_EQ(count.arrived, arrived);
  EXPECT_EQ(count.cut_off, cut_off);
}

Lid upper(Lid lid) { return Lid(static_cast<std::uint16_t>(lid.value() + 1)); }

//  H0 - S0 - S1 - H1     two LIDs for each endport
TEST(VerifyCounts, EachLidOfARangeIsADestination) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0).hosts(1).build(1);
  const Endport& h1 = fabric.endport(fabric.endports_at(kS1)[0]);
  ASSERT_EQ(h1.lmc, 1);
  const unsigned of_switch = 1u << fabric.endport(Fabric::endport_of(kS1)).lmc;
  Routes routes = shortest_routes(fabric);
  expect_either_way(fabric, routes, {}, [&](const Verdict& verdict) {
    EXPECT_TRUE(verdict.ok());
    expect_count(verdict.ca_to_ca, 4, 4);
    expect_count(verdict.switch_to_ca, 8, 8);
    expect_count(verdict.ca_to_switch, 4 * of_switch, 4 * of_switch);
    expect_count(verdict.switch_to_switch, 2 * of_switch, 2 * of_switch);
  });
  routes.lfts.set(kS0, upper(h1.lid), kNoRoute);
  expect_either_way(fabric, routes, {}, [&](const Verdict& verdict) {
    expect_count(verdict.ca_to_ca, 4, 3);
    expect_count(verdict.switch_to_ca, 8, 7);
    ASSERT_EQ(verdict.failures.size(), 1u);
    EXPECT_EQ(verdict.failures[0].lid, upper(h1.lid));
    EXPECT_EQ(verdict.failures[0].source, fabric.endports_at(kS0)[0]);
    EXPECT_EQ(verdict.failures[0].end, WalkEnd::kUnrouted);
    EXPECT_EQ(verdict.failures[0].where, kS0);
    ASSERT_EQ(verdict.broken.size(), 1u);
    EXPECT_EQ(verdict.broken[0].walks, 1u);
  });
}

/// One switch with hosts that have these LIDs; the switch has LID `own`.
Fabric star(std::uint16_t own, std::initializer_list<std::uint16_t> lids) {
  const Fabric fabric = Tiny(1).hosts(0, static_cast<unsigned>(lids.size())).build();
  std::vector<LidRange> ranges{{Lid(own), 0}};
  for (const std::uint16_t lid : lids) ranges.push_back({Lid(lid), 0});
  return *fabric.with_lids(ranges);
}

TEST(VerifyCounts, IncludesTheFirstAndTheLastLidOfEachBlock) {
  constexpr std::uint16_t kOwnLids[] = {1, 200, 256};
  for (const std::uint16_t own : kOwnLids) {
    const Fabric fabric = star(own, {63, 64, 127, 128});
    const Routes routes = shortest_routes(fabric);
    expect_either_way(fabric, routes, {}, [&](const Verdict& verdict) {
      EXPECT_TRUE(verdict.ok());
      expect_count(verdict.ca_to_ca, 12, 12);
      expect_count(verdict.ca_to_switch, 4, 4);
      expect_count(verdict.switch_to_ca, 4, 4);
      expect_count(verdict.switch_to_switch, 0, 0);
    });
    for (const std::uint16_t lid :
         {std::uint16_t{63}, std::uint16_t{64}, std::uint16_t{127}, std::uint16_t{128}, own}) {
      Routes lost = routes;
      lost.lfts.set(kS0, Lid(lid), kNoRoute);
      expect_either_way(fabric, lost, {}, [&](const Verdict& verdict) {
        EXPECT_FALSE(verdict.ok());
        ASSERT_EQ(verdict.failures.size(), 1u);
        EXPECT_EQ(verdict.failures[0].lid, Lid(lid));
      });
    }
  }
}

// The source of a failure is an endport other than the destination, if the switch has one.
TEST(VerifyCounts, NamesASourceOtherThanTheDestination) {
  const Fabric fabric = star(1, {2, 3});
  Routes routes = shortest_routes(fabric);
  for (const unsigned host : {0u, 1u}) {
    Routes lost = routes;
    const EndportId id = fabric.endports_at(kS0)[host];
    lost.lfts.set(kS0, fabric.endport(id).lid, kNoRoute);
    const Verdict verdict = verify(fabric, lost);
    ASSERT_EQ(verdict.failures.size(), 1u);
    EXPECT_EQ(verdict.failures[0].source, fabric.endports_at(kS0)[1 - host]);
  }
  const Fabric single = star(1, {2});
  routes = shortest_routes(single);
  routes.lfts.set(kS0, Lid(2), kNoRoute);
  const Verdict verdict = verify(single, routes);
  ASSERT_EQ(verdict.failures.size(), 1u);
  EXPECT_EQ(verdict.failures[0].source, Fabric::endport_of(kS0));
}

TEST(VerifyCounts, ListsAtMostTheRequestedFailures) {
  const Fabric fabric = star(1, {2, 3, 64, 65, 128});
  Routes routes = shortest_routes(fabric);
  for (const EndportId host : fabric.endports_at(kS0))
    routes.lfts.set(kS0, fabric.endport(host).lid, kNoRoute);
  for (const std::size_t most : {0u, 1u, 3u, 4u, 5u, 20u})
    expect_either_way(fabric, routes, {.failures_max = most}, [&](const Verdict& verdict) {
      EXPECT_EQ(verdict.failures.size(), std::min<std::size_t>(most, 5));
      EXPECT_EQ(verdict.ca_to_ca.missing(), 20u);
      ASSERT_EQ(verdict.broken.size(), 1u);
      EXPECT_EQ(verdict.broken[0].walks, 5u);
    });
}

// H0 - S0 - S1 - S2 - H1     one broken path ends at S0, three broken paths end at S1
TEST(VerifyCounts, ListsTheSwitchWithTheMostBrokenPathsFirst) {
  const Fabric fabric = Tiny(3).link(0, 1).link(1, 2).hosts(0).hosts(2).build();
  Routes routes = shortest_routes(fabric);
  const Lid h0 = fabric.endport(fabric.endports_at(kS0)[0]).lid;
  const Lid h1 = fabric.endport(fabric.endports_at(kS2)[0]).lid;
  routes.lfts.set(kS0, h1, kNoRoute);
  routes.lfts.set(kS1, h0, kNoRoute);
  routes.lfts.set(kS1, h1, PortNum(7));
  expect_either_way(fabric, routes, {}, [&](const Verdict& verdict) {
    ASSERT_EQ(verdict.broken.size(), 2u);
    EXPECT_EQ(verdict.broken[0].sw, kS1);
    EXPECT_EQ(verdict.broken[0].walks, 3u);  // S1 to H1; S1 and S2 to H0
    EXPECT_EQ(verdict.broken[1].sw, kS0);
    EXPECT_EQ(verdict.broken[1].walks, 1u);
    EXPECT_EQ(verdict.loops, 0u);
  });
}

//  H0 - S0, and CAs A - B cabled to each other without a switch
TEST(VerifyCounts, CasCabledToEachOtherReachOnlyTheirNeighbor) {
  Tiny tiny(1);
  tiny.hosts(0);
  std::vector<FabricBuilder::NodeIndex> pair;
  for (const std::uint64_t guid : {0x20000u, 0x20010u}) {
    Node node;
    node.node_guid = node.system_guid = Guid(guid);
    node.port_count = 1;
    pair.push_back(tiny.builder().add_node(node));
  }
  ASSERT_TRUE(tiny.builder().connect(pair[0], PortNum(1), pair[1], PortNum(1)).has_value());
  const Fabric fabric = tiny.build();
  ASSERT_EQ(fabric.endport_count(), 4u);
  expect_either_way(fabric, shortest_routes(fabric), {}, [&](const Verdict& verdict) {
    expect_count(verdict.ca_to_ca, 6, 2, 4);
    expect_count(verdict.switch_to_ca, 3, 1, 2);
    expect_count(verdict.ca_to_switch, 3, 1, 2);
    EXPECT_TRUE(verdict.failures.empty());
    EXPECT_TRUE(verdict.broken.empty());
    EXPECT_TRUE(verdict.switches_ok());
    EXPECT_FALSE(verdict.ok());
    EXPECT_EQ(failure_text(verdict), "4 of 6 CA pairs are not connected by cables");
  });
}

//  H0, H1 - S0, and a cable from S0 to itself
TEST(VerifyCounts, ACableFromASwitchToItselfIsALoop) {
  const Fabric fabric = Tiny(1).link(0, 0).hosts(0, 2).build();
  Routes routes = shortest_routes(fabric);
  EXPECT_TRUE(verify(fabric, routes).ok());
  routes.lfts.set(kS0, fabric.endport(fabric.endports_at(kS0)[1]).lid, PortNum(1));
  expect_either_way(fabric, routes, {}, [&](const Verdict& verdict) {
    expect_count(verdict.ca_to_ca, 2, 1);
    expect_count(verdict.switch_to_ca, 2, 1);
    EXPECT_EQ(verdict.loops, 1u);
    ASSERT_EQ(verdict.failures.size(), 1u);
    EXPECT_EQ(verdict.failures[0].end, WalkEnd::kLoop);
  });
}

//  H0, H1 - S0 - S1 - H2     S0: port 1 is cabled to S1, ports 2 and 3 to the hosts
struct Dropping {
  Fabric fabric = Tiny(2).link(0, 1).hosts(0, 2).hosts(1).build();
  Routes routes = shortest_routes(fabric);
  SlMap drop = modulo_map(1);
};

TEST(VerifyDrops, AffectOnlyTheSourcesAtTheirInputPort) {
  Dropping d;
  d.drop[0] = 15;
  d.routes.sl2vl.set(kS0, PortNum(2), PortNum(1), d.drop);
  expect_either_way(d.fabric, d.routes, {}, [&](const Verdict& verdict) {
    expect_count(verdict.ca_to_ca, 6, 5);
    expect_count(verdict.ca_to_switch, 6, 5);
    expect_count(verdict.switch_to_ca, 6, 6);
    expect_count(verdict.switch_to_switch, 2, 2);
    EXPECT_EQ(failure_text(verdict),
              "1 of 6 CA pairs are not connected; 1 of 6 CA to switch pairs are not connected");
    const EndportId source = d.fabric.endports_at(kS0)[0];
    ASSERT_EQ(verdict.failures.size(), 2u);
    for (const WalkFailure& failure : verdict.failures)
      EXPECT_EQ(failure, (WalkFailure{source, failure.lid, WalkEnd::kDropped, kS0}));
    EXPECT_EQ(verdict.broken, (std::vector{BrokenSwitch{kS0, 2}}));
  });
}

TEST(VerifyDrops, AtPortZeroAffectPacketsOfTheSwitch) {
  Dropping d;
  d.drop[0] = 15;
  d.routes.sl2vl.set(kS0, PortNum(0), PortNum(1), d.drop);
  expect_either_way(d.fabric, d.routes, {}, [&](const Verdict& verdict) {
    expect_count(verdict.ca_to_ca, 6, 6);
    expect_count(verdict.ca_to_switch, 6, 6);
    expect_count(verdict.switch_to_ca, 6, 5);
    expect_count(verdict.switch_to_switch, 2, 1);
    ASSERT_EQ(verdict.failures.size(), 1u) << "packets to switches are no failure";
    EXPECT_EQ(verdict.failures[0].source, Fabric::endport_of(kS0));
    EXPECT_EQ(verdict.failures[0].end, WalkEnd::kDropped);
  });
}

TEST(VerifyDrops, OfACommonMapAffectEverySource) {
  Dropping d;
  d.drop.fill(15);
  d.routes.sl2vl = Sl2Vl(d.drop);
  expect_either_way(d.fabric, d.routes, {}, [&](const Verdict& verdict) {
    expect_count(verdict.ca_to_ca, 6, 0);
    EXPECT_FALSE(verdict.ok());
    EXPECT_TRUE(verdict.credit_loop.empty());
    EXPECT_EQ(verdict.single_sls, 0u);
  });
}

TEST(VerifyDrops, OfServiceLevelsWithoutPacketsAreIgnored) {
  Dropping d;
  d.drop[1] = 15;
  d.routes.sl2vl = Sl2Vl(d.drop);
  expect_either_way(d.fabric, d.routes, {}, [&](const Verdict& verdict) {
    EXPECT_TRUE(verdict.ok());
    expect_count(verdict.ca_to_ca, 6, 6);
  });
  d.routes.path_sl = PathSl::by_switch_pair(2, {0, 1, 0, 0});  // packets from S0 to S1 on SL 1
  expect_either_way(d.fabric, d.routes, {.ignore_replies = true}, [&](const Verdict& verdict) {
    expect_count(verdict.ca_to_ca, 6, 4);
    expect_count(verdict.switch_to_ca, 6, 5);
    expect_count(verdict.ca_to_switch, 6, 4);
  });
  expect_either_way(d.fabric, d.routes, {}, [&](const Verdict& verdict) {
    expect_count(verdict.ca_to_ca, 6, 2);  // replies from S1 to S0 are also on SL 1
    expect_count(verdict.switch_to_ca, 6, 3);
    expect_count(verdict.ca_to_switch, 6, 3);
  });
}

//  H0 - S0 - S1 - S2 - H1
TEST(VerifyDependencies, CountsDependenciesOfPacketsBetweenCas) {
  const Fabric fabric = Tiny(3).link(0, 1).link(1, 2).hosts(0).hosts(2).build();
  Routes routes = shortest_routes(fabric);
  const auto dependencies = [&] {
    std::vector<std::uint64_t> found;
    expect_either_way(fabric, routes, {},
                      [&](const Verdict& v) { found.push_back(v.dependencies); });
    return found;
  };
  EXPECT_THAT(dependencies(), ElementsAre(2u, 2u));
  routes.sl2vl = Sl2Vl(modulo_map(2));
  EXPECT_THAT(dependencies(), ElementsAre(2u, 2u));
  routes.path_sl = PathSl::by_switch_pair(3, {0, 0, 1, 0, 0, 0, 0, 0, 0});  // from S0 to S2 on SL 1
  EXPECT_THAT(dependencies(), ElementsAre(4u, 4u))
      << "the dependencies are of requests and replies in both directions";
  SlMap other = modulo_map(2);
  other[15] = 0;
  routes.sl2vl.set(kS0, PortNum(7), PortNum(8), other);
  EXPECT_THAT(dependencies(), ElementsAre(4u, 4u));
  routes.sl2vl.set(kS1, PortNum(1), PortNum(2), modulo_map(1));  // both SLs on VL 0 after S1
  EXPECT_THAT(dependencies(), ElementsAre(4u, 4u));
}

/// The channels of a packet from `source` to `lid`, with their VLs.
std::vector<DependencyGraph::Vertex> walk(const Fabric& fabric, const Routes& routes,
                                          EndportId source, Lid lid, Sl sl) {
  std::vector<DependencyGraph::Vertex> passed;
  SwitchId at = fabric.endport(source).sw;
  PortNum in = fabric.endport(source).sw_port;
  while (passed.size() <= fabric.switch_count()) {
    const PortNum out = routes.lfts.port(at, lid);
    const ChannelId channel = out == kNoRoute ? kNoChannel : fabric.channel_at(at, out);
    if (channel == kNoChannel) break;
    passed.push_back({channel, routes.sl2vl.vl(at, in, out, sl).value()});
    at = fabric.channel(channel).to;
    in = fabric.channel(channel).to_port;
  }
  return passed;
}

/// Expects that the packet of each hop holds the channel of that hop and waits for the channel of
/// the next hop.
void expect_real_packets(const Fabric& fabric, const Routes& routes,
                         std::span<const CycleHop> cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const CycleHop& hop = cycle[i];
    const CycleHop& next = cycle[(i + 1) % cycle.size()];
    EXPECT_NE(fabric.endport_of(hop.lid), hop.source);
    const auto passed = walk(fabric, routes, hop.source, hop.lid, hop.sl);
    bool waits = false;
    for (std::size_t k = 0; k + 1 < passed.size(); ++k)
      waits =
          waits || (passed[k].channel == hop.channel && passed[k].vl == hop.vl.value() &&
                    passed[k + 1].channel == next.channel && passed[k + 1].vl == next.vl.value());
    EXPECT_TRUE(waits) << describe_cycle(fabric, {&hop, 1});
    const Sl request = routes.path_sl.sl(fabric.endport(hop.source).sw,
                                         fabric.endport(fabric.endport_of(hop.lid)).sw, hop.lid);
    EXPECT_EQ(hop.reply, hop.sl != request);
  }
}

/// A ring S0 -> S1 -> S2 -> S3 -> S0 with several hosts and LIDs at each switch.
TEST(VerifyDependencies, OfACreditLoopAreCausedByExistingPackets) {
  for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{2}}) {
    const Fabric fabric = Tiny(4)
                              .hosts(0)
                              .hosts(1, 2)
                              .hosts(2)
                              .hosts(3, 2)
                              .link(0, 1)
                              .link(1, 2)
                              .link(2, 3)
                              .link(3, 0)
                              .build(lmc);
    Routes routes = shortest_routes(fabric);
    for (const Endport& to : fabric.endports())
      for (const Lid lid : lids_of(to))
        for (const Channel& channel : fabric.channels())
          if (channel.from != to.sw && channel.to.value() == (channel.from.value() + 1) % 4)
            routes.lfts.set(channel.from, lid, channel.from_port);
    for (const unsigned vls : {1u, 2u}) {
      routes.sl2vl = Sl2Vl(modulo_map(vls));
      std::vector<std::uint8_t> sls(16, 0);
      if (vls == 2) sls[0 * 4 + 2] = sls[1 * 4 + 3] = sls[2 * 4 + 0] = 1;
      routes.path_sl = PathSl::by_switch_pair(4, sls);
      for (const bool by_port : {false, true}) {
        SlMap other = modulo_map(vls);
        other[15] = 7;
        if (by_port) routes.sl2vl.set(kS0, PortNum(7), PortNum(8), other);
        expect_either_way(fabric, routes, {}, [&](const Verdict& verdict) {
          ASSERT_EQ(verdict.credit_loop.size(), 4u);
          expect_real_packets(fabric, routes, verdict.credit_loop);
          for (const CycleHop& hop : verdict.credit_loop) {
            EXPECT_FALSE(fabric.is_switch(fabric.endport(hop.source).node));
            EXPECT_FALSE(fabric.is_switch(fabric.endport(fabric.endport_of(hop.lid)).node));
          }
        });
      }
    }
  }
}

// Hosts at one switch have the same next hops except for one entry; the verifier checks each host.
TEST(VerifyCounts, DistinguishesHostsAtOneSwitch) {
  const Fabric fabric = Tiny(3).link(0, 1).link(1, 2).hosts(0).hosts(2, 3).build();
  const Routes routes = shortest_routes(fabric);
  for (const EndportId host : fabric.endports_at(kS2)) {
    const Lid lid = fabric.endport(host).lid;
    for (const SwitchId sw : {kS0, kS1, kS2}) {
      Routes lost = routes;
      lost.lfts.set(sw, lid, kNoRoute);
      expect_either_way(fabric, lost, {}, [&](const Verdict& verdict) {
        ASSERT_FALSE(verdict.failures.empty());
        for (const WalkFailure& failure : verdict.failures) {
          EXPECT_EQ(failure.lid, lid);
          EXPECT_EQ(failure.where, sw);
        }
        EXPECT_EQ(verdict.ca_to_ca.missing(), sw == kS2 ? 3u : 1u);
        EXPECT_EQ(verdict.switch_to_ca.missing(), sw.value() + 1);
      });
    }
  }
}

// Only packets to one host of each switch go clockwise over two hops. The paths to the other hosts
// close no cycle.
TEST(VerifyDependencies, OfOneHostOfEachSwitchCanFormACycle) {
  for (const unsigned clockwise : {0u, 1u, 2u}) {
    const Fabric fabric = Tiny(4)
                              .link(0, 1)
                              .link(1, 2)
                              .link(2, 3)
                              .link(3, 0)
                              .hosts(0, 3)
                              .hosts(1, 3)
                              .hosts(2, 3)
                              .hosts(3, 3)
                              .build();
    Routes routes = shortest_routes(fabric);
    // Paths between opposite switches use S0 and S1 only, so there is no cycle.
    const auto send = [&](SwitchId at, const Endport& to, std::uint32_t next) {
      for (const Channel& channel : fabric.channels_from(at))
        if (channel.to == SwitchId(next)) routes.lfts.set(at, to.lid, channel.from_port);
    };
    for (const Endport& to : fabric.endports())
      for (std::uint32_t s = 0; s < 4; ++s)
        if ((s + 2) % 4 == to.sw.value()) send(SwitchId(s), to, s % 2 == 0 ? 1 : 0);
    expect_either_way(fabric, routes, {}, [&](const Verdict& v) { EXPECT_TRUE(v.ok()); });
    for (std::uint32_t s = 0; s < 4; ++s) {
      const Endport& to = fabric.endport(fabric.endports_at(SwitchId(s))[clockwise]);
      send(SwitchId((s + 2) % 4), to, (s + 3) % 4);
    }
    expect_either_way(fabric, routes, {}, [&](const Verdict& verdict) {
      EXPECT_EQ(verdict.credit_loop.size(), 4u);
      expect_real_packets(fabric, routes, verdict.credit_loop);
    });
  }
}

// H0 - S0 - S1 - S2 - H1, H2. Packets to H1 are on SL 0, those to H2 on SL 1; the SLs are stored by
// destination, or by switch and LID.
TEST(VerifyDependencies, FollowTheServiceLevelOfEachLid) {
  const Fabric fabric = Tiny(3).link(0, 1).link(1, 2).hosts(0).hosts(2, 2).build();
  Routes routes = shortest_routes(fabric);
  routes.sl2vl = Sl2Vl(modulo_map(2));
  const std::size_t stride = std::size_t{fabric.lid_top().value()} + 1;
  std::vector<std::uint8_t> row(stride, 0);
  row[fabric.endport(fabric.endports_at(kS2)[1]).lid.value()] = 1;
  std::vector<std::uint8_t> rows;
  for (unsigned s = 0; s < 3; ++s) rows.insert(rows.end(), row.begin(), row.end());
  for (const PathSl& sls :
       {PathSl::by_destination(row), PathSl::by_switch_and_lid(3, fabric.lid_top(), rows)}) {
    routes.path_sl = sls;
    expect_either_way(fabric, routes, {.ignore_replies = true}, [&](const Verdict& verdict) {
      EXPECT_EQ(verdict.dependencies, 3u);  // to S2 on both VLs, to S0 on VL 0
    });
    expect_either_way(fabric, routes, {}, [&](const Verdict& verdict) {
      EXPECT_EQ(verdict.dependencies, 4u);  // also replies of H2 on VL 1
    });
  }
}

}  // namespace
}  // namespace weft
