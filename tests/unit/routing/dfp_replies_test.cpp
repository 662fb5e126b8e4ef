// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dfp uses one SL for both directions of every connection, on dragonflies with and without missing
// cables and switches, with detours and with adaptive routing. Also tests multicast trees, and the
// order of channels on lanes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "routing/dfp/dfp.h"
#include "routing/dfp/lane_order.h"
#include "routing/engine.h"
#include "support/full_size.h"
#include "support/groups.h"
#include "support/replies.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kDragonflies[] = {"dragonfly:a=4,h=2,p=2",
                                        "dragonfly:a=6,h=3,p=3",
                                        "dragonfly:a=5,h=2,p=1,g=7",
                                        "dragonfly:a=4,h=1,p=1",
                                        "dragonflyplus:leaves=4,spines=4,h=2,hosts=4",
                                        "dragonflyplus:leaves=3,spines=3,h=1,hosts=2",
                                        "dragonflyplus:leaves=4,spines=2,h=2,hosts=2,g=4"};
constexpr const char* kDamage[] = {"",        ",fail=1", ",fail=3",       ",fail=6",
                                   ",dead=1", ",dead=2", ",dead=2,fail=2"};
constexpr unsigned kSeeds = 3;

/// The share of (switch with hosts, host) pairs with different paths to the first and the second
/// LID of the host.
double share_of_detours(const Fabric& fabric, const Routes& routes) {
  std::uint64_t all = 0, other = 0;
  for (const EndportId id : fabric.hosts()) {
    const Endport& to = fabric.endport(id);
    const Lid second(static_cast<std::uint16_t>(to.lid.value() + 1));
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      if (fabric.endports_at(SwitchId(s)).empty()) continue;
      ++all;
      if (walk(fabric, routes.lfts, s, to, to.lid) != walk(fabric, routes.lfts, s, to, second))
        ++other;
    }
  }
  return static_cast<double>(other) / static_cast<double>(all);
}

/// Calls body(fabric, spec) for every `step`-th fabric of the list of dragonflies, whole and
/// damaged.
template <class Body>
void for_each_fabric(std::uint8_t lmc, unsigned step, const Body& body) {
  unsigned next = 0;
  for (const char* base : kDragonflies)
    for (const std::string damage : kDamage)
      for (unsigned seed = 0; seed < (damage.empty() ? 1 : kSeeds); ++seed) {
        if (next++ % step != 0) continue;
        const std::string spec = fmt::format("{}{},seed={}", base, damage, seed);
        body(fabric_of(spec, lmc), spec);
      }
}

TEST(DfpReplies, HaveTheSlOfTheRequestOnWholeAndDamagedFabrics) {
  unsigned routed = 0, lanes = 0;
  for_each_fabric(0, 1, [&](const Fabric& fabric, const std::string& spec) {
    const auto routes = route_dfp(fabric, {});
    if (!routes) {
      EXPECT_THAT(routes.error().message, HasSubstr("the fabric is not a dragonfly")) << spec;
      return;
    }
    ++routed;
    lanes += routes->vls_needed;
    EXPECT_EQ(pairs_with_another_sl_back(fabric, *routes), 0u) << spec;
    EXPECT_EQ(wrong_with_replies(fabric, *routes), "") << spec;
  });
  EXPECT_GE(routed, 120u);
  EXPECT_LE(lanes, 5 * routed / 2);  // at most 2.5 lanes on average
}

TEST(DfpReplies, HaveTheSlOfTheRequestWithDetours) {
  double detours = 0;
  unsigned routed = 0;
  for_each_fabric(1, case_step(2), [&](const Fabric& fabric, const std::string& spec) {
    const auto routes = route_dfp(fabric, RoutingOptions{.parameters = {{kDfpDetours, 1}}});
    if (!routes) {
      EXPECT_THAT(routes.error().message, HasSubstr("the fabric is not a dragonfly")) << spec;
      return;
    }
    ++routed;
    detours += share_of_detours(fabric, *routes);
    EXPECT_EQ(pairs_with_another_sl_back(fabric, *routes), 0u) << spec;
    EXPECT_EQ(wrong_with_replies(fabric, *routes), "") << spec;
  });
  EXPECT_GT(detours / routed, 0.35);
}

TEST(DfpReplies, HaveTheSlOfTheRequestWithAdaptiveRouting) {
  for (const bool detours : {false, true})
    for_each_fabric(
        detours ? 1 : 0, case_step(2), [&](const Fabric& fabric, const std::string& spec) {
          const auto routes =
              run_engine(*find_engine("ar_dfp"), fabric, {.parameters = {{kDfpDetours, detours}}});
          if (!routes) return;
          EXPECT_EQ(pairs_with_another_sl_back(fabric, *routes), 0u) << spec;
          EXPECT_EQ(wrong_with_replies(fabric, *routes), "") << spec << " detours " << detours;
        });
}

TEST(DfpMulticast, ClosesNoCycleWithUnicastOnWholeAndDamagedFabrics) {
  for (const bool detours : {false, true})
    for_each_fabric(detours ? 1 : 0, case_step(3),
                    [&](const Fabric& fabric, const std::string& spec) {
                      const auto groups = some_groups(fabric, 5);
                      const auto routes =
                          run_engine(*find_engine("dfp"), fabric,
                                     {.parameters = {{kDfpDetours, detours}}, .groups = groups});
                      if (!routes) return;
                      const Verdict verdict = verify(fabric, *routes, {.groups = groups});
                      EXPECT_TRUE(verdict.multicast_ok())
                          << spec << " detours " << detours << '\n'
                          << describe_cycle(fabric, verdict.multicast_credit_loop);
                      EXPECT_TRUE(verdict.ok()) << spec << " detours " << detours;
                    });
}

// Unicast packets use both lanes, so no lane is free for multicast.
TEST(DfpMulticast, SharesTheTwoLanesOfADamagedDragonfly) {
  for (const char* spec : {"dragonfly:a=3,h=2,p=1,g=5,seed=252151,fail=0,dead=1,connected=0",
                           "dragonfly:a=3,h=2,p=1,g=5,seed=259468,fail=1,dead=0,connected=1"}) {
    const Fabric fabric = fabric_of(spec, 1);
    const auto groups = some_groups(fabric, 5);
    const auto routes = run_engine(*find_engine("dfp"), fabric, {.vls_max = 2, .groups = groups});
    ASSERT_TRUE(routes) << spec << ": " << routes.error().message;
    EXPECT_EQ(routes->vls, 2u);
    EXPECT_FALSE(routes->sl2vl.uniform());
    const Verdict verdict = verify(fabric, *routes, {.groups = groups});
    EXPECT_TRUE(verdict.ok() && verdict.multicast_ok())
        << spec << '\n'
        << describe_cycle(fabric, verdict.multicast_credit_loop);
    EXPECT_TRUE(verdict.switch_credit_loop.empty())
        << spec << '\n'
        << describe_cycle(fabric, verdict.switch_credit_loop);
  }
}

TEST(DfpMulticast, IsFreeOfCreditLoopsOrTheFabricIsRefusedWhereLanesAreFew) {
  unsigned routed = 0, refused = 0;
  for (const char* base :
       {"dragonfly:a=3,h=2,p=1,g=5", "dragonfly:a=4,h=1,p=1",
        "dragonflyplus:leaves=2,spines=2,h=2,hosts=2", "dragonflyplus:leaves=3,spines=3,h=1"})
    for (const char* damage : {"", ",fail=2", ",fail=5", ",dead=1,fail=1"})
      for (unsigned seed = 0; seed < 6; ++seed) {
        const std::string spec = fmt::format("{}{},seed={}", base, damage, seed);
        const Fabric fabric = fabric_of(spec, seed % 2);
        const auto groups = some_groups(fabric, seed);
        for (const unsigned vls : {1u, 2u, 3u})
          for (const std::string_view engine : {"dfp", "ar_dfp"}) {
            const RoutingOptions options{
                .vls_max = vls, .parameters = {{kDfpDetours, seed % 2 == 1}}, .groups = groups};
            const auto routes = run_engine(*find_engine(engine), fabric, options);
            const std::string replay = fmt::format("{} -R {} {} VLs", spec, engine, vls);
            if (!routes) {
              refused +=
                  routes.error().message.find("multicast tree over all") != std::string::npos;
              continue;
            }
            ++routed;
            const Verdict verdict = verify(fabric, *routes, {.groups = groups});
            EXPECT_TRUE(verdict.ok() && verdict.multicast_ok())
                << replay << '\n'
                << describe_cycle(fabric, verdict.multicast_credit_loop);
            EXPECT_TRUE(verdict.switch_credit_loop.empty())
                << replay << '\n'
                << describe_cycle(fabric, verdict.switch_credit_loop);
          }
      }
  EXPECT_GT(routed, 100u);
  EXPECT_GT(refused, 0u);
}

TEST(DfpDetours, UseThreeLanesAndOneSlOnAWholeDragonflyOfManyGroups) {
  const Fabric fabric = fabric_of("dragonfly:a=8,h=4,p=4", 1);
  const auto routes = route_dfp(fabric, RoutingOptions{.parameters = {{kDfpDetours, 1}}});
  ASSERT_TRUE(routes) << routes.error().message;
  EXPECT_EQ(routes->vls, 3u);
  EXPECT_EQ(routes->path_sl.kind(), PathSl::Kind::kUniform);
  EXPECT_TRUE(routes->notes.empty());
  EXPECT_GT(share_of_detours(fabric, *routes), 0.8);
  const Verdict verdict = verify(fabric, *routes);
  EXPECT_TRUE(verdict.ok());
  EXPECT_TRUE(verdict.switch_credit_loop.empty());
  EXPECT_EQ(*routes,
            *route_dfp(fabric, RoutingOptions{.threads = 5, .parameters = {{kDfpDetours, 1}}}));
}

/// With only as many lanes as routes without detours need, either some detours are possible, or a
/// note reports that no detours are possible.
TEST(DfpDetours, AreFewerOrLeftOutWithANoteWhereLanesAreTooFew) {
  unsigned left_out = 0;
  for (const char* spec : {"dragonfly:a=4,h=2,p=2", "dragonfly:a=4,h=2,p=2,fail=6,seed=0",
                           "dragonfly:a=6,h=3,p=3,dead=2,fail=2,seed=0",
                           "dragonflyplus:leaves=4,spines=4,h=2,hosts=4,fail=6,seed=1"}) {
    const Fabric fabric = fabric_of(spec, 1);
    const auto plain = route_dfp(fabric, {});
    ASSERT_TRUE(plain) << spec;
    const auto routes = route_dfp(
        fabric, RoutingOptions{.vls_max = plain->vls_needed, .parameters = {{kDfpDetours, 1}}});
    ASSERT_TRUE(routes) << spec << ": " << routes.error().message;
    EXPECT_LE(routes->vls, plain->vls_needed) << spec;
    EXPECT_EQ(wrong_with_replies(fabric, *routes), "") << spec;
    EXPECT_LE(share_of_detours(fabric, *routes),
              share_of_detours(
                  fabric, *route_dfp(fabric, RoutingOptions{.parameters = {{kDfpDetours, 1}}})))
        << spec;
    if (routes->notes.empty()) continue;
    ++left_out;
    EXPECT_THAT(routes->notes,
                ElementsAre(HasSubstr(
                    "virtual lanes in this fabric: all LIDs of a port have paths without detours")))
        << spec;
    EXPECT_EQ(routes->lfts, plain->lfts) << spec;
  }
  EXPECT_GT(left_out, 0u);
}

/// Adds random paths that change lanes. After each path, a search for a cycle computes the expected
/// answer.
TEST(DfpLaneOrder, AcceptsExactlyThePathsThatCloseNoCycle) {
  const Fabric fabric = fabric_of("dragonfly:a=4,h=1,p=1");
  const Turns turns(fabric);
  constexpr unsigned kLanes = 2;
  const std::size_t vertices = std::size_t{kLanes} * fabric.channel_count();
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Rng rng(seed);
    dfp::LaneOrder order(turns, kLanes, std::vector<std::uint16_t>(turns.count(), 0), ~0ull);
    std::vector<std::vector<std::uint32_t>> next(vertices);
    const auto closes_cycle = [&](std::uint32_t from, std::uint32_t to) {
      std::vector<bool> seen(vertices, false);
      std::vector<std::uint32_t> todo{to};
      while (!todo.empty()) {
        const std::uint32_t at = todo.back();
        todo.pop_back();
        if (at == from) return true;
        if (seen[at]) continue;
        seen[at] = true;
        todo.insert(todo.end(), next[at].begin(), next[at].end());
      }
      return false;
    };
    unsigned accepted = 0, refused = 0;
    for (unsigned round = 0; round < 400; ++round) {
      std::vector<std::uint32_t> path;
      auto channel = static_cast<std::uint32_t>(rng.below(fabric.channel_count()));
      for (std::uint64_t hops = 2 + rng.below(3); hops-- > 0;) {
        path.push_back(channel * kLanes + static_cast<std::uint32_t>(rng.below(kLanes)));
        channel =
            turns.first_out(channel) + static_cast<std::uint32_t>(rng.below(turns.outs(channel)));
      }
      const auto before = next;
      bool cyclic = false;
      for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        cyclic = cyclic || closes_cycle(path[i], path[i + 1]);
        next[path[i]].push_back(path[i + 1]);
      }
      if (cyclic) next = before;
      ASSERT_EQ(order.add_paths(std::span(&path, 1)), !cyclic) << seed << ' ' << round;
      ++(cyclic ? refused : accepted);
    }
    EXPECT_GT(accepted, 50u);
    EXPECT_GT(refused, 50u);
  }
}

}  // namespace
}  // namespace weft
