// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Connected parts of a fabric: the fabric is split, each part is routed separately, and the routes
// of the parts are joined.

#include "routing/parts/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/nue/nue.h"
#include "routing/parts/part_sizes.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

//    S2   S3    two trees of two leaves; the LIDs of a tree are not consecutive
//    | \ / |
//    |  X  |
//    S0   S1    the second tree has the switches S4 to S7
Fabric two_trees(std::uint8_t lmc = 0) {
  Tiny tiny(8);
  for (const unsigned first : {0u, 4u})
    for (const unsigned leaf : {first, first + 1})
      tiny.link(leaf, first + 2).link(leaf, first + 3).hosts(leaf, 2);
  return tiny.build(lmc);
}

TEST(Parts, KeepGuidsPortsAndLids) {
  const Fabric whole = two_trees(1);
  const auto parts = split_into_parts(whole);
  ASSERT_EQ(parts.size(), 2u);
  for (const FabricPart& part : parts) {
    EXPECT_EQ(part.fabric.switch_count(), 4u);
    EXPECT_EQ(part.fabric.ca_count(), 4u);
    EXPECT_EQ(part.fabric.link_count(), 8u);
    for (std::uint32_t e = 0; e < part.fabric.endport_count(); ++e) {
      const Endport& own = part.fabric.endport(EndportId(e));
      const Endport& same = whole.endport(part.endports[e]);
      EXPECT_EQ(part.fabric.port(own.port).guid, whole.port(same.port).guid);
      EXPECT_EQ(own.lid, same.lid);
      EXPECT_EQ(own.lmc, same.lmc);
      EXPECT_EQ(own.sw_port, same.sw_port);
    }
    for (std::uint32_t c = 0; c < part.fabric.channel_count(); ++c) {
      const Channel& own = part.fabric.channel(ChannelId(c));
      const Channel& same = whole.channel(part.channels[c]);
      EXPECT_EQ(part.switches[own.from.value()], same.from);
      EXPECT_EQ(part.switches[own.to.value()], same.to);
      EXPECT_EQ(own.from_port, same.from_port);
    }
  }
}

TEST(Parts, SizesEqualThoseOfTheSplitFabrics) {
  for (const char* spec :
       {"torus:4x4,connected=0,fail=20,seed=3", "fattree2:k=8,connected=0,fail=25,seed=1",
        "mesh:5x5,connected=0,dead=9,seed=2", "fattree3:k=4"}) {
    const Fabric fabric = fabric_of(spec, 1);
    const auto sizes = part_sizes(fabric);
    const auto fabrics = split_into_parts(fabric);
    ASSERT_EQ(sizes.size(), fabrics.size()) << spec;
    for (std::size_t i = 0; i < fabrics.size(); ++i)
      EXPECT_EQ(sizes[i],
                (PartSize{fabrics[i].fabric.switch_count(), fabrics[i].fabric.ca_count()}));
  }
}

TEST(Parts, ConvertOptionsToTheIdsOfThePart) {
  const Fabric whole = two_trees();
  const auto parts = split_into_parts(whole);
  const auto guid = [](const Fabric& fabric, SwitchId sw) { return fabric.node(sw).node_guid; };
  RoutingOptions options;
  options.roots = {SwitchId(3), SwitchId(6)};
  options.switch_rank = {7, 6, 5, 4, 3, 2, 1, 0};
  for (std::uint32_t c = 0; c < whole.channel_count(); ++c) options.hop_weights.push_back(c);
  options.compute_nodes = whole.hosts();
  options.adaptive = AdaptiveOptions{.group_capacity = {1, 2, 3, 4, 5, 6, 7, 8},
                                     .notifies = {1, 1, 1, 1, 0, 1, 0, 0},
                                     .divides = {1, 1, 1, 1, 0, 0, 1, 0}};
  const RoutingOptions own = options_of_part(whole, parts[1], options);
  ASSERT_EQ(own.roots.size(), 1u);
  EXPECT_EQ(guid(parts[1].fabric, own.roots[0]), guid(whole, SwitchId(6)));
  EXPECT_THAT(own.switch_rank, ElementsAre(3, 2, 1, 0));
  ASSERT_EQ(own.hop_weights.size(), parts[1].fabric.channel_count());
  for (std::uint32_t c = 0; c < own.hop_weights.size(); ++c)
    EXPECT_EQ(own.hop_weights[c], parts[1].channels[c].value());
  EXPECT_EQ(own.compute_nodes, parts[1].fabric.hosts());
  EXPECT_THAT(own.adaptive->group_capacity, ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(own.adaptive->notifies, ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(own.adaptive->divides, ElementsAre(0, 0, 1, 0));
}

TEST(Parts, HavePathsFromTheirCasToAllTheirEndportsByOneEngine) {
  const auto routes = run_engine_by_parts(*find_engine("ftree"), two_trees(), {});
  ASSERT_TRUE(routes) << routes.error().message;
  EXPECT_EQ(routes->engine, "ftree");
  const Verdict verdict = verify(two_trees(), *routes);
  EXPECT_EQ(verdict.ca_to_ca.missing(), 0u);
  EXPECT_EQ(verdict.ca_to_switch.missing(), 0u);
  EXPECT_EQ(verdict.ca_to_ca.cut_off, 32u);
  EXPECT_FALSE(verdict.has_credit_loop());
}

// Leaves S0 and S1 under spine S2. S3 has two hosts, and no cable to another switch.
TEST(Parts, OfOneSwitchAreRoutedByMinhopIfTheEngineRefusesThem) {
  const Fabric fabric = Tiny(4).link(0, 2).link(1, 2).hosts(0, 2).hosts(1, 2).hosts(3, 2).build();
  ASSERT_FALSE(run_engine(*find_engine("ftree"), split_into_parts(fabric)[1].fabric, {}));
  const auto routes = run_engine_by_parts(*find_engine("ftree"), fabric, {});
  ASSERT_TRUE(routes) << routes.error().message;
  EXPECT_EQ(routes->engine, "ftree");
  EXPECT_EQ(verify(fabric, *routes).ca_to_ca.missing(), 0u);
}

TEST(Parts, KeepTablesSlsAndVlsWhenJoined) {
  for (const char* spec :
       {"torus:4x4,connected=0,fail=18,seed=3", "torus:5x5,hosts=2,connected=0,fail=30,seed=5"})
    for (const char* name : {"dfsssp", "lash", "nue", "updn"}) {
      const Fabric whole = fabric_of(spec);
      const auto parts = split_into_parts(whole);
      ASSERT_GT(parts.size(), 1u) << spec;
      RoutingOptions options;
      options.parameters.set(kNueVls, 0);
      const auto joined = run_engine_by_parts(*find_engine(name), whole, options);
      ASSERT_TRUE(joined) << spec << " " << name << ": " << joined.error().message;
      for (const FabricPart& part : parts) {
        const auto own =
            run_engine(*find_engine(name), part.fabric, options_of_part(whole, part, options));
        ASSERT_TRUE(own);
        for (std::uint32_t s = 0; s < part.switches.size(); ++s)
          for (const Endport& to : part.fabric.endports()) {
            const SwitchId part_switch(s), whole_switch = part.switches[s];
            EXPECT_EQ(joined->lfts.port(whole_switch, to.lid), own->lfts.port(part_switch, to.lid));
            const Sl sl = own->path_sl.sl(part_switch, to.sw, to.lid);
            EXPECT_EQ(joined->path_sl.sl(whole_switch, whole.endport(whole.endport_of(to.lid)).sw,
                                         to.lid),
                      sl);
            EXPECT_EQ(joined->sl2vl.vl(whole_switch, PortNum(0), PortNum(1), sl),
                      own->sl2vl.vl(part_switch, PortNum(0), PortNum(1), sl));
          }
      }
      const Verdict verdict = verify(whole, *joined, {.ignore_replies = true});
      EXPECT_FALSE(verdict.has_credit_loop()) << spec << " " << name;
      EXPECT_EQ(verdict.loops, 0u);
      EXPECT_EQ(verdict.ca_to_ca.missing(), 0u);
    }
}

TEST(Parts, AreNamedInTheErrorOfAnEngine) {
  const auto routes = run_engine_by_parts(*find_engine("dfp"),
                                          fabric_of("torus:4x4,connected=0,fail=18,seed=3"), {});
  ASSERT_FALSE(routes);
  EXPECT_THAT(routes.error().message, StartsWith("part 1 ("));
  EXPECT_THAT(routes.error().message, HasSubstr("not a dragonfly"));
}

}  // namespace
}  // namespace weft
