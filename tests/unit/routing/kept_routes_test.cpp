// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Active routes after cables are added and removed: entries that need not change stay, and changed
// entries are as good as the entries of new routes. Also degraded links, which are used only if
// no other path exists.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "base/check.h"
#include "base/rng.h"
#include "fabric/lids.h"
#include "fabric/without.h"
#include "routes/carry_over.h"
#include "routing/dnup.h"
#include "routing/engine.h"
#include "routing/minhop.h"
#include "routing/shapes/degraded_links.h"
#include "routing/shapes/ranks.h"
#include "routing/trees/kept_tables.h"
#include "routing/up_down/up_down.h"
#include "routing/updn.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

TEST(CarryOver, MatchesSwitchesAndPortsByGuid) {
  // A line S0 - S1 - S2 with a host on each. Then S0 and its host are removed, and LIDs change.
  const Fabric before = Tiny(3).link(0, 1).link(1, 2).hosts(0).hosts(1).hosts(2).build(1);
  const auto routes = route_minhop(before, {});
  ASSERT_TRUE(routes);
  const Fabric same = before;
  EXPECT_EQ(carry_over(before, routes->lfts, same), routes->lfts);

  FabricBuilder builder;
  for (const std::uint32_t s : {1u, 2u}) builder.add_node(before.node(SwitchId(s)));
  for (const std::uint32_t n : {4u, 5u}) builder.add_node(before.node(NodeId(n)));
  ASSERT_TRUE(builder.connect(0, PortNum(2), 1, PortNum(1)));
  ASSERT_TRUE(builder.connect(0, PortNum(3), 2, PortNum(1)));
  ASSERT_TRUE(builder.connect(1, PortNum(2), 3, PortNum(1)));
  const auto bare = builder.build();
  ASSERT_TRUE(bare);
  const auto after = bare->with_lids(
      std::vector<LidRange>{{Lid(100), 0}, {Lid(50), 0}, {Lid(20), 2}, {Lid(30), 1}});
  ASSERT_TRUE(after) << after.error().message;
  const Lfts carried = carry_over(before, routes->lfts, *after);
  EXPECT_EQ(carried.port(kS0, Lid(100)), PortNum(0));
  EXPECT_EQ(carried.port(kS0, Lid(50)), PortNum(2));
  EXPECT_EQ(carried.port(kS0, Lid(20)), PortNum(3));
  EXPECT_EQ(carried.port(kS0, Lid(21)), PortNum(3));
  EXPECT_EQ(carried.port(kS0, Lid(22)), kNoRoute);  // the old tables had only two LIDs
  EXPECT_EQ(carried.port(kS0, Lid(31)), PortNum(2));
  EXPECT_EQ(carried.port(kS1, Lid(30)), PortNum(2));
  EXPECT_EQ(carried.port(kS1, Lid(1)), kNoRoute);
}

TEST(CarryOver, SharesTheTablesOnlyIfFabricAndLidsAreEqual) {
  const Fabric before = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  const SharedLfts tables = route_minhop(before, {})->lfts;
  EXPECT_EQ(carry_over(before, tables, Fabric(before)).get(), tables.get());
  std::vector<LidRange> lids = current_lids(before);
  std::swap(lids[2], lids[3]);  // LIDs of the hosts
  const Fabric swapped = *before.with_lids(lids);
  EXPECT_NE(carry_over(before, tables, swapped).get(), tables.get());
  EXPECT_EQ(*carry_over(before, tables, swapped), carry_over(before, *tables, swapped));
  const NodeId dead[] = {NodeId(1)};
  const Fabric smaller = without(before, dead, {});
  EXPECT_EQ(*carry_over(before, tables, smaller), carry_over(before, *tables, smaller));
  lids = current_lids(before);
  lids[3] = {};  // a host without a LID has no entries
  const Fabric unnamed = *before.with_lids(lids);
  EXPECT_EQ(*carry_over(before, tables, unnamed), carry_over(before, *tables, unnamed));
}

struct Change {
  const char* before;
  const char* after;
};
constexpr Change kChanges[] = {
    {"torus:4x4,hosts=2", "torus:4x4,hosts=2,fail=2,seed=3"},
    {"torus:4x4,hosts=2,fail=2,seed=3", "torus:4x4,hosts=2"},
    {"torus:4x4,hosts=2,fail=2,seed=3", "torus:4x4,hosts=2,fail=2,seed=4"},
    {"fattree3:k=4", "fattree3:k=4,fail=3,seed=1"},
    {"fattree3:k=4,fail=3,seed=1", "fattree3:k=4"},
    {"fattree3:k=4", "fattree3:k=4,dead=1,seed=2,connected=0"},
    {"fattree3:k=4,dead=1,seed=2,connected=0", "fattree3:k=4"},
    {"hyperx:4x4,hosts=2", "hyperx:4x4,hosts=2,fail=4,seed=9"},
};

/// All paths are shortest paths, and every entry that is still on a shortest path is unchanged.
TEST(KeptRoutes, ChangeOnlyEntriesThatAreNoLongerOnAShortestPath) {
  for (const Change& change : kChanges) {
    for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{2}}) {
      const Fabric before = fabric_of(change.before, lmc);
      const Fabric after = fabric_of(change.after, lmc);
      const auto graph = neighbors(after);
      for (const auto& [balance, known] :
           {std::pair(Balance::kGlobal, true), std::pair(Balance::kGlobal, false),
            std::pair(Balance::kLocal, true)}) {
        const std::string what = std::string(change.before) + " to " + change.after;
        RoutingOptions options{.threads = 1, .balance = balance};
        const Lfts was = carry_over(before, route_minhop(before, options)->lfts, after);
        options.previous = was;
        options.previous_fabric = known ? &before : nullptr;
        const auto routes = route_minhop(after, options);
        ASSERT_TRUE(routes);
        options.threads = 2;
        ASSERT_EQ(*route_minhop(after, options), *routes) << what;
        for_each_lid(after, [&](const Endport& to, Lid lid) {
          const auto hops = shortest_hops(graph, {to.sw.value()});
          for (std::uint32_t s = 0; s < after.switch_count(); ++s) {
            const auto path = walk(after, routes->lfts, s, to, lid);
            ASSERT_EQ(path.has_value(), hops[s] != kUnreachable) << what;
            if (!path) continue;
            ASSERT_EQ(path->size() - 1, hops[s]) << what;
            const auto then = switch_behind(after, s, was.port(SwitchId(s), lid));
            if (!then || s == to.sw.value() || hops[*then] + 1 != hops[s]) continue;
            ASSERT_EQ(routes->lfts.port(SwitchId(s), lid), was.port(SwitchId(s), lid))
                << what << " switch " << s << " LID " << lid.value();
          }
        });
      }
    }
  }
}

TEST(KeptRoutes, AreEqualTablesIfNothingChanged) {
  for (const std::string tree :
       {"fattree3:k=4", "fattree3:k=4,fail=1", "fattree3:k=8,dead=1", "fattree2:k=8,fail=2"})
    for (unsigned seed = 0; seed < 10; ++seed)
      for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{1}}) {
        const std::string spec = tree + ",seed=" + std::to_string(seed);
        const Fabric fabric = fabric_of(spec, lmc);
        for (const auto engine :
             {find_engine("minhop")->run, find_engine("updn")->run, find_engine("dnup")->run})
          for (const Balance balance : {Balance::kGlobal, Balance::kLocal}) {
            RoutingOptions options{.balance = balance};
            const auto first = engine(fabric, options);
            ASSERT_TRUE(first) << spec;
            options.previous = first->lfts;
            EXPECT_EQ(engine(fabric, options)->lfts, first->lfts) << spec << " LMC " << +lmc;
          }
      }
}

/// Several changes one after the other, for every engine with deadlock-free kept routes. The
/// parameter is true if the engine gets the fabric before the change.
class KeptRoutesOf : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(WithAndWithoutFabric, KeptRoutesOf, testing::Bool());

TEST_P(KeptRoutesOf, ReachTheSameLidsAsNewRoutes) {
  for (const std::string spec :
       {"fattree2:k=8", "fattree3:k=4", "xgft:m=2x3x2,w=1x2x2", "torus:4x4,hosts=2",
        "hyperx:4x4,hosts=2", "hypercube:n=3", "dragonfly:a=4,h=1,p=1",
        "random:n=12,degree=4,hosts=2", "dragonflyplus:leaves=2,spines=2,h=2,hosts=2"})
    for (const Engine& engine : engines()) {
      if (engine.name == "minhop" || engine.name == "sssp") continue;
      std::optional<Fabric> before;
      Lfts was;
      for (unsigned step = 0; step < 8; ++step) {
        const Fabric fabric =
            fabric_of(spec + ",seed=9,connected=0,fail=" + std::to_string(step % 4));
        const std::string what = fmt::format("{} on {}, step {}", engine.name, spec, step);
        RoutingOptions options;
        const auto anew = engine.run(fabric, options);
        if (before) {
          options.previous = carry_over(*before, was, fabric);
          options.previous_engine = engine.name;
          if (GetParam()) options.previous_fabric = &*before;
        }
        const auto kept = engine.run(fabric, options);
        ASSERT_EQ(kept.has_value(), anew.has_value()) << what;
        if (!kept) continue;
        const Verdict verdict = verify(fabric, *kept);
        const Verdict other = verify(fabric, *anew);
        EXPECT_EQ(verdict.ok(), other.ok()) << what;
        EXPECT_EQ(verdict.ca_to_ca.arrived, other.ca_to_ca.arrived) << what;
        EXPECT_EQ(verdict.ca_to_switch.arrived, other.ca_to_switch.arrived) << what;
        EXPECT_EQ(verdict.switch_to_ca.arrived, other.switch_to_ca.arrived) << what;
        EXPECT_EQ(verdict.switch_credit_loop.empty(), other.switch_credit_loop.empty()) << what;
        before = fabric;
        was = kept->lfts;
      }
    }
}

TEST(KeptRoutes, DoNotMakeUpdnPathsGoUpAfterDown) {
  for (const Change& change : kChanges) {
    const Fabric before = fabric_of(change.before);
    const Fabric after = fabric_of(change.after);
    RoutingOptions options;
    // Paths of minhop, many of which go up again after going down.
    options.previous = carry_over(before, route_minhop(before, {})->lfts, after);
    const auto routes = route_updn(after, options);
    ASSERT_TRUE(routes);
    const Verdict verdict = verify(after, *routes);
    EXPECT_FALSE(verdict.has_credit_loop()) << change.after;
    EXPECT_EQ(verdict.loops, 0u) << change.after;
    EXPECT_EQ(verdict.ca_to_ca.arrived, verify(after, *route_updn(after, {})).ca_to_ca.arrived);
  }
}

TEST(KeptRoutes, CountAsLoadForEntriesThatMustChange) {
  // Paths from S0 to S1 over S2, S3 or S4. Entries of three hosts on S1: two stay valid, the third
  // must change.
  Tiny tiny(5);
  for (const unsigned spine : {2u, 3u, 4u}) tiny.link(0, spine).link(spine, 1);
  const Fabric fabric = tiny.hosts(0).hosts(1, 3).build();
  const auto lid = [&](std::size_t host) {
    return fabric.endport(fabric.endports_at(kS1)[host]).lid;
  };
  RoutingOptions options;
  Lfts active = route_minhop(fabric, {})->lfts;
  active.set(kS0, lid(1), PortNum(1));
  active.set(kS0, lid(2), PortNum(2));
  active.set(kS0, lid(0), PortNum(7));  // a port without a cable; this LID is routed first
  options.previous = active;
  const auto routes = route_minhop(fabric, options);
  ASSERT_TRUE(routes);
  EXPECT_EQ(routes->lfts.port(kS0, lid(1)), PortNum(1));
  EXPECT_EQ(routes->lfts.port(kS0, lid(2)), PortNum(2));
  EXPECT_EQ(routes->lfts.port(kS0, lid(0)), PortNum(3));
}

/// The fabric without `count` cables between switches, selected at random by the seed.
Fabric without_cables(const Fabric& fabric, unsigned count, std::uint64_t seed) {
  Rng rng(seed);
  const auto cables = fabric.cables();
  std::vector<PortId> cut;
  while (cut.size() < count) {
    const Channel& channel = fabric.channel(cables[rng.below(cables.size())]);
    cut.push_back(fabric.port_id(Fabric::node_of(channel.from), channel.from_port));
  }
  return without(fabric, {}, cut);
}

/// Whether the path of an entry used a cable that is now missing.
bool is_broken(const Fabric& before, const Fabric& now, const Lfts& lfts, std::uint32_t sw,
               Lid lid) {
  for (unsigned hops = 0; hops < 64; ++hops) {
    const PortNum port = lfts.port(SwitchId(sw), lid);
    const ChannelId was = port == kNoRoute ? kNoChannel : before.channel_at(SwitchId(sw), port);
    if (was == kNoChannel) return false;
    if (now.channel_at(SwitchId(sw), port) == kNoChannel) return true;
    sw = before.channel(was).to.value();
  }
  return false;
}

/// Whether the path of an entry goes up after it went down.
bool goes_up_again(const Fabric& fabric, const Lfts& lfts, std::uint32_t sw, Lid lid) {
  const auto ranks = tree_ranks(fabric);
  bool down = false;
  for (unsigned hops = 0; hops < 64; ++hops) {
    const PortNum port = lfts.port(SwitchId(sw), lid);
    const ChannelId out = port == kNoRoute ? kNoChannel : fabric.channel_at(SwitchId(sw), port);
    if (out == kNoChannel) return false;
    const bool up = goes_up(fabric.channel(out), ranks);
    if (up && down) return true;
    down = down || !up;
    sw = fabric.channel(out).to.value();
  }
  return false;
}

/// Cables of trees fail one after the other: paths without a failed cable stay, and all pairs that
/// new routes connect are connected. With up*/down* engines, paths that go up again may change too,
/// because they are computed together.
TEST(KeptTables, ChangeOnlyEntriesWithPathsOverLostCables) {
  std::uint64_t changed = 0;
  for (const std::string spec :
       {"fattree2:k=8", "fattree3:k=4", "fattree3:k=8", "xgft:m=4x4x3,w=1x2x4"})
    for (const char* name : {"minhop", "updn", "dnup", "sssp"})
      for (unsigned seed = 1; seed <= 6; ++seed) {
        const auto engine = find_engine(name)->run;
        Fabric fabric = fabric_of(spec);
        Routes routes = *engine(fabric, {});
        for (unsigned step = 1; step <= 2; ++step) {
          const std::string what =
              fmt::format("{} on {}, seed {}, step {}", name, spec, seed, step);
          const Fabric left = without_cables(fabric, step, seed * 10 + step);
          const auto anew = engine(left, {});
          RoutingOptions options;
          options.previous = routes.lfts;
          options.previous_fabric = &fabric;
          const auto kept = engine(left, options);
          ASSERT_EQ(kept.has_value(), anew.has_value()) << what;
          if (!kept) break;
          const bool legal = std::string_view(name) == "updn" || std::string_view(name) == "dnup";
          if (std::string_view(name) == "updn" && *updn_ranks(left, {}) != tree_ranks(left)) break;
          for (std::uint32_t s = 0; s < left.switch_count(); ++s)
            for_each_lid(left, [&](const Endport&, Lid lid) {
              const PortNum was = routes.lfts.port(SwitchId(s), lid);
              if (kept->lfts.port(SwitchId(s), lid) == was || was == kNoRoute) return;
              ++changed;
              EXPECT_TRUE(is_broken(fabric, left, routes.lfts, s, lid) ||
                          (legal && goes_up_again(fabric, routes.lfts, s, lid)))
                  << what << ' ' << s;
            });
          const Verdict verdict = verify(left, *kept), other = verify(left, *anew);
          EXPECT_EQ(verdict.ca_to_ca, other.ca_to_ca) << what;
          EXPECT_EQ(verdict.loops, 0u) << what;
          // Shortest paths of a damaged tree can deadlock, so only up*/down* engines are checked.
          if (legal && other.ok()) {
            EXPECT_TRUE(verdict.ok()) << what;
          }
          fabric = left;
          routes = *kept;
        }
      }
  EXPECT_GT(changed, 1000u);
}

TEST(KeptTables, AreUsedOnlyAfterLossOfCables) {
  const auto kept = [](const Fabric& before, const Lfts& previous, const Fabric& now) {
    return keep_tables(before, previous, now, tree_ranks(now), ftree::Paths::kShortest);
  };
  const Fabric whole = fabric_of("fattree3:k=4");
  const Fabric left = without_cables(whole, 2, 1);
  const Lfts of_whole = route_minhop(whole, {})->lfts, of_left = route_minhop(left, {})->lfts;
  EXPECT_EQ(kept(whole, of_whole, whole), of_whole);
  EXPECT_TRUE(kept(whole, of_whole, left));
  EXPECT_FALSE(kept(left, of_left, whole)) << "cables were added";
  EXPECT_FALSE(kept(fabric_of("fattree3:k=4", 1), of_whole, left)) << "LIDs differ";
  EXPECT_FALSE(kept(fabric_of("fattree3:k=4,pods=3"), of_whole, left)) << "switches differ";
}

/// If an uplink of a leaf fails, the LIDs that used this link are distributed over all other
/// uplinks.
TEST(KeptTables, DistributeTheEntriesOfALostCable) {
  const Fabric whole = fabric_of("fattree3:k=8");
  const SwitchId leaf = whole.endports().back().sw;
  const Channel& cable = whole.channels_from(leaf).front();
  const PortId end = whole.port_id(Fabric::node_of(leaf), cable.from_port);
  const Fabric left = without(whole, {}, std::span(&end, 1));
  const auto ranks = tree_ranks(left);
  for (const auto paths : {ftree::Paths::kShortest, ftree::Paths::kUpDown}) {
    const auto kept = keep_tables(whole, route_minhop(whole, {})->lfts, left, ranks, paths);
    ASSERT_TRUE(kept);
    std::map<PortNum, unsigned> hosts;
    for (const EndportId id : left.hosts())
      if (left.endport(id).sw != leaf) ++hosts[kept->port(leaf, left.endport(id).lid)];
    EXPECT_EQ(hosts.size(), 3u);  // uplinks; before the failure there were four
    for (const auto& [port, count] : hosts) EXPECT_LE(count, (left.hosts().size() - 4) / 3 + 1);
  }
}

// A ring S0 - S1 - S2 - S3 of QDR cables; the cable S0 - S1 runs at the given speed. Both its ends
// have faster cables.
Fabric slow_ring(LinkSpeed slow) {
  Tiny tiny(4);
  for (unsigned i = 0; i < 4; ++i) tiny.link(i, (i + 1) % 4).hosts(i);
  for (unsigned s = 0; s < 4; ++s)
    for (unsigned port = 1; port <= 3; ++port) {
      FabricBuilder::PortSpec spec;
      const bool is_slow = port == 1 && s < 2;
      spec.speed = is_slow ? slow : LinkSpeed::kQdr;
      CHECK(tiny.builder().describe_port(s, PortNum(static_cast<std::uint8_t>(port)), spec));
    }
  return tiny.build();
}

TEST(DegradedLinks, AreAssumedIfBothEndsHaveFasterLinks) {
  const Fabric fabric = slow_ring(LinkSpeed::kSdr);
  const auto degraded = guess_degraded_links(fabric);
  for (std::uint32_t c = 0; c < fabric.channel_count(); ++c) {
    const Channel& channel = fabric.channel(ChannelId(c));
    const bool slow = channel.from.value() + channel.to.value() == 1;
    EXPECT_EQ(degraded[c], slow) << c;
  }
  for (const bool slow : guess_degraded_links(slow_ring(LinkSpeed::kQdr))) EXPECT_FALSE(slow);
  // The only cable of S0 is S0 - S1 at SDR, so the speed that S0 supports is unknown.
  Tiny tiny(3);
  tiny.link(0, 1).link(1, 2);
  FabricBuilder::PortSpec spec;
  spec.speed = LinkSpeed::kSdr;
  ASSERT_TRUE(tiny.builder().describe_port(0, PortNum(1), spec));
  for (const bool slow : guess_degraded_links(tiny.build())) EXPECT_FALSE(slow);
}

TEST(DegradedLinks, AreUsedOnlyWithoutAlternative) {
  const Fabric fabric = slow_ring(LinkSpeed::kSdr);
  RoutingOptions options;
  add_degraded_weights(guess_degraded_links(fabric), options.hop_weights);
  const auto routes = route_minhop(fabric, options);
  ASSERT_TRUE(routes);
  const auto path = [&](std::uint32_t from, SwitchId to) {
    const Endport& host = fabric.endport(fabric.endports_at(to)[0]);
    return walk(fabric, routes->lfts, from, host, host.lid).value();
  };
  EXPECT_EQ(path(0, kS1), (std::vector<std::uint32_t>{0, 3, 2, 1}));
  EXPECT_EQ(path(1, kS0), (std::vector<std::uint32_t>{1, 2, 3, 0}));
  EXPECT_EQ(path(0, kS2), (std::vector<std::uint32_t>{0, 3, 2}));

  // Only S0 - S1: there is no other path.
  const Fabric line = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  options.hop_weights.clear();
  add_degraded_weights({true, true}, options.hop_weights);
  EXPECT_TRUE(verify(line, *route_minhop(line, options)).ok());
  std::vector<std::uint64_t> none;
  add_degraded_weights({false, false}, none);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace weft
