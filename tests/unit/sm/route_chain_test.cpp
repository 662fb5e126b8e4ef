// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The chain of engines: attempts, rejections and reports, with engines of the test.

#include "policy/route_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "routing/minhop.h"
#include "routing/updn.h"
#include "support/fabric_of.h"
#include "support/tiny.h"

namespace weft {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<Routes> named(std::string_view name, Result<Routes> routes) {
  if (routes) routes->engine = name;
  return routes;
}

Result<Routes> run_good(const Fabric& fabric, const RoutingOptions& options) {
  return named("good", route_updn(fabric, options));
}
Result<Routes> run_fallback(const Fabric& fabric, const RoutingOptions& options) {
  return named(kFallbackEngine, route_updn(fabric, options));
}
Result<Routes> run_out_of_vls(const Fabric&, const RoutingOptions&) {
  return fail(Code::kOutOfVls, "needs 9 VLs, the fabric has 8");
}
/// An engine that returns routes with a credit loop on ring_of_five().
Result<Routes> run_deadlocking(const Fabric& fabric, const RoutingOptions& options) {
  return named("deadlocking", route_minhop(fabric, options));
}
Result<Routes> run_empty(const Fabric& fabric, const RoutingOptions&) {
  Routes routes;
  routes.engine = "empty";
  routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  return routes;
}
/// An engine that maps its SLs to VLs 0 and 1.
Result<Routes> run_on_two_vls(const Fabric& fabric, const RoutingOptions& options) {
  auto routes = named("two_vls", route_updn(fabric, options));
  routes->vls = 2;
  routes->sl2vl = Sl2Vl(modulo_map(2));
  return routes;
}
/// An engine that returns invalid routes if the options have previous routes.
Result<Routes> run_invalid_incremental(const Fabric& fabric, const RoutingOptions& options) {
  return options.previous ? run_empty(fabric, options)
                          : named("invalid_incremental", route_updn(fabric, options));
}
/// An engine that returns invalid routes if the options have the previous routes and the previous
/// fabric, so that it could route only the changes.
Result<Routes> run_invalid_changes_only(const Fabric& fabric, const RoutingOptions& options) {
  if (options.previous && options.previous_fabric) return run_empty(fabric, options);
  auto routes = named("invalid_changes_only", route_updn(fabric, {}));
  if (options.previous) routes->lfts = *options.previous;
  return routes;
}
/// An engine that returns the previous routes.
Result<Routes> run_unchanged(const Fabric& fabric, const RoutingOptions& options) {
  auto routes = named("unchanged", route_updn(fabric, {}));
  if (options.previous) routes->lfts = *options.previous;
  return routes;
}

constexpr std::array kFakes{Engine{"good", "", &run_good},
                            Engine{kFallbackEngine, "", &run_fallback},
                            Engine{"out_of_vls", "", &run_out_of_vls},
                            Engine{"deadlocking", "", &run_deadlocking},
                            Engine{"empty", "", &run_empty},
                            Engine{"invalid_incremental", "", &run_invalid_incremental},
                            Engine{"unchanged", "", &run_unchanged},
                            Engine{"two_vls", "", &run_on_two_vls},
                            Engine{"invalid_changes_only", "", &run_invalid_changes_only}};
constexpr std::array kWithoutFallback{Engine{kFallbackEngine, "", &run_empty},
                                      Engine{"out_of_vls", "", &run_out_of_vls}};

template <const auto& kTable>
const Engine* find_fake(std::string_view name) {
  const auto found = std::ranges::find(kTable, name, &Engine::name);
  return found == kTable.end() ? nullptr : &*found;
}

//  A ring of five switches with a host on each: shortest paths can deadlock
Fabric ring_of_five() {
  Tiny tiny(5);
  for (unsigned i = 0; i < 5; ++i) tiny.link(i, (i + 1) % 5).hosts(i);
  return tiny.build();
}

class RouteChain : public testing::Test {
 protected:
  ChainResult route(std::vector<std::string> engines, bool fallback,
                    VerifyMode mode = VerifyMode::kEnforce, RoutingOptions options = {},
                    EngineFinder find = &find_fake<kFakes>) {
    return route_by_chain(fabric_, {std::move(engines), fallback}, std::move(options), mode, find);
  }
  static std::vector<std::string> names(const ChainResult& result) {
    std::vector<std::string> names;
    for (const EngineAttempt& attempt : result.failed) names.push_back(attempt.engine);
    return names;
  }
  const Fabric fabric_ = ring_of_five();
};

TEST_F(RouteChain, StopsAtTheFirstSuccess) {
  const ChainResult result = route({"good", "out_of_vls"}, true);
  ASSERT_TRUE(result.status);
  EXPECT_EQ(result.routes.engine, "good");
  EXPECT_TRUE(result.verdict.ok());
  EXPECT_GT(result.verdict.ca_to_ca.pairs, 0u);
  EXPECT_THAT(result.failed, IsEmpty());
}

TEST_F(RouteChain, ReportsWhyEarlierEnginesFailed) {
  const ChainResult result = route({"out_of_vls", "deadlocking", "empty", "good"}, false);
  ASSERT_TRUE(result.status);
  EXPECT_EQ(result.routes.engine, "good");
  EXPECT_TRUE(result.verdict.ok());
  EXPECT_THAT(names(result), ElementsAre("out_of_vls", "deadlocking", "empty"));
  EXPECT_EQ(result.failed[0].reason, "needs 9 VLs, the fabric has 8");
  EXPECT_THAT(result.failed[1].reason,
              HasSubstr("its routes were rejected: a credit loop over 5 channels"));
  EXPECT_THAT(result.failed[2].reason, HasSubstr("20 of 20 CA pairs are not connected"));
}

// With the turns of all groups, two spines have no paths to some hosts.
TEST_F(RouteChain, UsesThePlainEngineIfAdaptiveRoutesAreRejected) {
  const Fabric fabric =
      fabric_of("dragonflyplus:leaves=8,spines=4,h=8,hosts=2,fail=2,connected=1,seed=3");
  ASSERT_FALSE(verify(fabric, *run_engine(*find_engine("ar_updn"), fabric, {})).ok());
  const ChainResult result = route_by_chain(fabric, {{"ar_updn"}, false}, {}, VerifyMode::kEnforce);
  ASSERT_TRUE(result.status) << result.status.error().message;
  EXPECT_EQ(result.routes.engine, "updn");
  EXPECT_FALSE(result.routes.adaptive);
  EXPECT_THAT(result.failed, IsEmpty());
  EXPECT_THAT(result.warnings,
              Contains(HasSubstr("adaptive routing is off: ar_updn: its routes were rejected: 352 "
                                 "of 209088 switch to CA pairs")));
}

TEST_F(RouteChain, FallsBackAfterTheLastEngine) {
  const ChainResult result = route({"out_of_vls", "deadlocking"}, true);
  ASSERT_TRUE(result.status);
  EXPECT_EQ(result.routes.engine, kFallbackEngine);
  EXPECT_THAT(names(result), ElementsAre("out_of_vls", "deadlocking"));
}

TEST_F(RouteChain, FailsWithAllAttemptsWithoutFallback) {
  const ChainResult result = route({"out_of_vls", "deadlocking"}, false);
  ASSERT_FALSE(result.status);
  EXPECT_EQ(result.status.error().code, Code::kUnroutable);
  EXPECT_EQ(exit_status(result.status.error()), 1);
  EXPECT_THAT(result.status.error().message, HasSubstr("out_of_vls: needs 9 VLs"));
  EXPECT_THAT(result.status.error().message, HasSubstr("deadlocking: its routes were rejected"));
  EXPECT_THAT(names(result), ElementsAre("out_of_vls", "deadlocking"));
  EXPECT_EQ(result.routes, Routes{});
}

TEST_F(RouteChain, DoesNotTryTheFallbackTwice) {
  const ChainResult result = route({std::string(kFallbackEngine), "out_of_vls"}, true,
                                   VerifyMode::kEnforce, {}, &find_fake<kWithoutFallback>);
  ASSERT_FALSE(result.status);
  EXPECT_THAT(names(result), ElementsAre(kFallbackEngine, "out_of_vls"));
}

TEST_F(RouteChain, FailsIfTheFallbackIsRejected) {
  const ChainResult result =
      route({"out_of_vls"}, true, VerifyMode::kEnforce, {}, &find_fake<kWithoutFallback>);
  ASSERT_FALSE(result.status);
  EXPECT_THAT(names(result), ElementsAre("out_of_vls", kFallbackEngine));
}

TEST_F(RouteChain, UsesUnverifiedRoutesInWarnMode) {
  const ChainResult result = route({"out_of_vls", "deadlocking"}, true, VerifyMode::kWarn);
  ASSERT_TRUE(result.status);
  EXPECT_EQ(result.routes.engine, "deadlocking");
  EXPECT_TRUE(result.verdict.has_credit_loop());
  EXPECT_THAT(names(result), ElementsAre("out_of_vls"));
}

TEST_F(RouteChain, SkipsVerificationWhenOff) {
  const ChainResult result = route({"deadlocking"}, true, VerifyMode::kOff);
  ASSERT_TRUE(result.status);
  EXPECT_EQ(result.routes.engine, "deadlocking");
  EXPECT_EQ(result.verdict.ca_to_ca.pairs, 0u);
}

TEST_F(RouteChain, ContinuesAfterAnUnknownName) {
  const ChainResult result = route({"unknown", "good"}, true);
  ASSERT_TRUE(result.status);
  EXPECT_EQ(result.routes.engine, "good");
  EXPECT_THAT(names(result), ElementsAre("unknown"));
}

TEST_F(RouteChain, PassesActiveRoutesOnlyToTheirEngine) {
  RoutingOptions options;
  options.previous = route_minhop(fabric_, {})->lfts;
  options.previous_engine = "unchanged";
  const ChainResult kept = route({"out_of_vls", "unchanged"}, true, VerifyMode::kWarn, options);
  ASSERT_TRUE(kept.status);
  EXPECT_EQ(kept.routes.lfts, *options.previous);
  options.previous_engine = "good";
  const ChainResult recomputed = route({"unchanged"}, true, VerifyMode::kWarn, options);
  ASSERT_TRUE(recomputed.status);
  EXPECT_NE(recomputed.routes.lfts, *options.previous);
}

TEST_F(RouteChain, RoutesFromScratchIfKeptRoutesFailVerification) {
  RoutingOptions options;
  options.previous = route_minhop(fabric_, {})->lfts;
  options.previous_engine = "invalid_incremental";
  const ChainResult result = route({"invalid_incremental"}, false, VerifyMode::kEnforce, options);
  ASSERT_TRUE(result.status);
  EXPECT_EQ(result.routes.engine, "invalid_incremental");
  ASSERT_THAT(names(result), ElementsAre("invalid_incremental"));
  EXPECT_THAT(result.failed[0].reason, HasSubstr("(keeping active routes)"));
}

TEST_F(RouteChain, BalancesPreviousRoutesIfRoutingOfChangesFailsVerification) {
  RoutingOptions options;
  options.previous = route_updn(fabric_, RoutingOptions{.roots = {kS0}})->lfts;
  ASSERT_NE(*options.previous, route_updn(fabric_, {})->lfts);
  options.previous_engine = "invalid_changes_only";
  options.previous_fabric = &fabric_;
  const ChainResult result = route({"invalid_changes_only"}, false, VerifyMode::kEnforce, options);
  ASSERT_TRUE(result.status);
  EXPECT_THAT(names(result), ElementsAre("invalid_changes_only"));
  EXPECT_EQ(result.routes.lfts, *options.previous);
}

/// Without verification a configured SL2VL map is used only if it equals that of the engine for the
/// SLs in use, or if the routes have one VL.
TEST_F(RouteChain, UnverifiedMapsAreUsedOnlyIfDeadlockFreedomIsUnaffected) {
  const auto maps_of = [&](const char* engine, const SlMap& map) {
    const WantedMaps wanted{Sl2Vl(map), "qos_sl2vl"};
    return route_by_chain(fabric_, {{engine}, false}, {}, VerifyMode::kOff, &find_fake<kFakes>, {},
                          {.wanted = &wanted});
  };
  const SlMap swapped = [] {
    SlMap map = modulo_map(2);
    std::swap(map[0], map[1]);
    return map;
  }();
  SlMap same_on_used = modulo_map(2);
  same_on_used[2] = 1;  // the routes use SLs 0 and 1
  for (const SlMap& map : {modulo_map(2), same_on_used}) {
    const ChainResult equal = maps_of("two_vls", map);
    ASSERT_TRUE(equal.status);
    EXPECT_EQ(equal.routes.sl2vl.common(), map);
    EXPECT_THAT(equal.warnings, IsEmpty());
  }
  for (const SlMap& map : {swapped, modulo_map(1)}) {
    const ChainResult other = maps_of("two_vls", map);
    ASSERT_TRUE(other.status);
    EXPECT_EQ(other.routes.sl2vl.common(), modulo_map(2));
    EXPECT_THAT(other.warnings, ElementsAre(HasSubstr("SL2VL of qos_sl2vl is not used")));
  }
  const ChainResult one_vl = maps_of("good", swapped);
  ASSERT_TRUE(one_vl.status);
  EXPECT_EQ(one_vl.routes.sl2vl.common(), swapped);
  EXPECT_THAT(one_vl.warnings, IsEmpty());
}

TEST(EngineChoices, AreReadFromTheCommandLine) {
  const auto choice = [](std::string_view text) { return parse_engine_choice(text).value(); };
  EXPECT_EQ(choice("updn"), (EngineChoice{{"updn"}, true}));
  EXPECT_EQ(choice(" updn , minhop"), (EngineChoice{{"updn", "minhop"}, true}));
  EXPECT_EQ(choice("no_fallback,updn,minhop"), (EngineChoice{{"updn", "minhop"}, false}));
  EXPECT_EQ(choice("no_fallback"), (EngineChoice{{std::string(kDefaultEngine)}, false}));
}

TEST(EngineChoices, NameAnUnknownEngineAndTheKnownEngines) {
  for (const char* text : {"updn,magic", "", "updn,", "UPDN"}) {
    const auto choice = parse_engine_choice(text);
    ASSERT_FALSE(choice) << text;
    EXPECT_EQ(choice.error().code, Code::kUsage);
    EXPECT_EQ(exit_status(choice.error()), 2);
    EXPECT_THAT(choice.error().message, HasSubstr("expected one of: auto, minhop, "));
  }
  EXPECT_THAT(parse_engine_choice("updn,magic").error().message, HasSubstr("'magic'"));
}

}  // namespace
}  // namespace weft
