// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Guarantees of the engines on every small fabric: with and without missing cables and switches,
// with 1, 2 and 4 LIDs per port, and with global and local balance.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/check.h"
#include "routing/engine.h"
#include "routing/nue/nue.h"
#include "support/fabrics.h"
#include "support/spec_name.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

struct FabricCase {
  std::string spec;
  std::uint8_t lmc = 0;
  Balance balance = Balance::kGlobal;

  std::string replay() const {
    return spec + " lmc " + std::to_string(lmc) +
           (balance == Balance::kLocal ? " --balance=local" : "");
  }
};

/// Returns `spec` without damage, with missing cables, and with missing cables and a missing
/// switch. Damaged fabrics may be partitioned. If `spec` has missing cables itself, returns only
/// `spec`. If `spec` has a seed, no switch is missing.
std::vector<std::string> specs_with_damage(const std::string& spec) {
  std::vector<std::string> specs{spec};
  if (spec.find("fail=") != std::string::npos) return specs;
  for (const int seed : {1, 2}) {
    const std::string tail = ",connected=0,seed=" + std::to_string(seed);
    if (spec.find("seed=") != std::string::npos) {
      specs.push_back(spec + ",connected=0,fail=" + std::to_string(seed + 1));
    } else {
      specs.push_back(spec + ",fail=1" + tail);
      if (spec != "ring:n=2,hosts=2") specs.push_back(spec + ",dead=1,fail=2" + tail);
    }
  }
  return specs;
}

class Engines : public testing::TestWithParam<const char*> {
 protected:
  /// Calls body(fabric, case) for each combination of missing parts, LMC and balance.
  template <class Body>
  void for_each_case(const Body& body) {
    for (const std::string& spec : specs_with_damage(GetParam())) {
      for (std::uint8_t lmc = 0; lmc <= 2; ++lmc) {
        const Fabric fabric = fabric_of(spec, lmc);
        for (const Balance balance : {Balance::kGlobal, Balance::kLocal}) {
          const FabricCase what{spec, lmc, balance};
          body(fabric, what);
          if (HasFailure()) return;
        }
      }
    }
  }
};

Routes routed_as_given(std::string_view engine, const Fabric& fabric,
                       const RoutingOptions& options) {
  auto routes = find_engine(engine)->run(fabric, options);
  CHECK(routes.has_value());
  return std::move(*routes);
}

/// Engines with shortest paths only, which connect all endports of each part.
constexpr std::array kMinimal{"minhop", "sssp", "dfsssp", "lash"};

/// Engines with deadlock-free routes.
constexpr std::array kDeadlockFree{"updn", "dfsssp", "lash"};

/// Whether the engine accepts the fabric: lash requires one LID per port.
bool accepts_case(std::string_view engine, const FabricCase& what) {
  return engine != "lash" || what.lmc == 0;
}

TEST_P(Engines, ShortestPathEnginesReachEverySwitchAndHostOnShortestPaths) {
  for_each_case([&](const Fabric& fabric, const FabricCase& what) {
    const auto graph = neighbors(fabric);
    std::vector<Routes> all;
    for (const char* engine : kMinimal)
      if (accepts_case(engine, what))
        all.push_back(routed_as_given(engine, fabric, {.balance = what.balance}));
    for_each_lid(fabric, [&](const Endport& to, Lid lid) {
      const auto hops = shortest_hops(graph, {to.sw.value()});
      for (const Routes& routes : all) {
        for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
          const auto path = walk(fabric, routes.lfts, s, to, lid);
          const std::string place =
              routes.engine + ' ' + what.replay() + " LID " + std::to_string(lid.value());
          ASSERT_EQ(path.has_value(), hops[s] != kUnreachable) << place;
          if (path) {
            ASSERT_EQ(path->size() - 1, hops[s]) << place;
          } else {
            ASSERT_EQ(routes.lfts.port(SwitchId(s), lid), kNoRoute) << place;
          }
        }
      }
    });
  });
}

/// Every host reaches every host of its part, and there are no credit loops.
TEST_P(Engines, DeadlockFreeEnginesConnectAllConnectedHostsWithoutCreditLoops) {
  for_each_case([&](const Fabric& fabric, const FabricCase& what) {
    const auto graph = neighbors(fabric);
    for (const char* engine : kDeadlockFree) {
      if (!accepts_case(engine, what)) continue;
      const Routes routes = routed_as_given(engine, fabric, {.balance = what.balance});
      const std::string place = std::string(engine) + ' ' + what.replay();
      for_each_lid(fabric, [&](const Endport& to, Lid lid) {
        if (fabric.is_switch(to.node)) return;
        const auto hops = shortest_hops(graph, {to.sw.value()});
        for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
          if (fabric.endports_at(SwitchId(s)).empty()) continue;
          ASSERT_EQ(walk(fabric, routes.lfts, s, to, lid).has_value(), hops[s] != kUnreachable)
              << place << " from switch " << s << " to LID " << lid.value();
        }
      });
      const Verdict verdict = verify(fabric, routes);
      ASSERT_FALSE(verdict.has_credit_loop())
          << place << describe_cycle(fabric, verdict.credit_loop);
      ASSERT_TRUE(verdict.switch_credit_loop.empty()) << place;
      ASSERT_EQ(verdict.loops, 0u) << place;
      ASSERT_LE(routes.vls_needed, routes.vls) << place;
      ASSERT_LE(routes.vls, 8u) << place;
    }
  });
}

/// With any number of VLs, every switch and host reaches every LID of its part, the routes use at
/// most that many VLs, and the routes are deadlock-free, also for packets that switches send.
TEST_P(Engines, NueConnectsAllConnectedEndportsOnAnyNumberOfVls) {
  for_each_case([&](const Fabric& fabric, const FabricCase& what) {
    const auto graph = neighbors(fabric);
    for (const unsigned lanes : {1u, 2u, 4u, 8u}) {
      const Routes routes = routed_as_given(
          "nue", fabric,
          {.seed = lanes, .balance = what.balance, .parameters = {{kNueVls, lanes}}});
      const std::string replay = what.replay() + " lanes " + std::to_string(lanes);
      ASSERT_LE(routes.vls, lanes) << replay;
      for_each_lid(fabric, [&](const Endport& to, Lid lid) {
        ASSERT_LT(routes.path_sl.sl(SwitchId(0), to.sw, lid).value(), routes.vls) << replay;
        const auto hops = shortest_hops(graph, {to.sw.value()});
        for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
          ASSERT_EQ(walk(fabric, routes.lfts, s, to, lid).has_value(), hops[s] != kUnreachable)
              << replay << " from switch " << s << " to LID " << lid.value();
      });
      const Verdict verdict = verify(fabric, routes);
      ASSERT_FALSE(verdict.has_credit_loop())
          << replay << describe_cycle(fabric, verdict.credit_loop);
      ASSERT_TRUE(verdict.switch_credit_loop.empty()) << replay;
      ASSERT_EQ(verdict.loops, 0u) << replay;
    }
  });
}

/// Each part has one root, so that every pair of switches has a legal path and the test can compute
/// the ranks.
TEST_P(Engines, UpdnWithGivenRootsHasNoUpHopAfterADownHop) {
  for_each_case([&](const Fabric& fabric, const FabricCase& what) {
    const auto graph = neighbors(fabric);
    std::vector<unsigned> rank(fabric.switch_count(), kUnreachable);
    std::vector<std::uint32_t> roots;
    for (std::uint32_t s = fabric.switch_count(); s-- > 0;) {
      if (rank[s] != kUnreachable) continue;
      roots.push_back(s);
      rank = shortest_hops(graph, roots);
    }
    RoutingOptions options{.balance = what.balance};
    for (const std::uint32_t root : roots) options.roots.push_back(SwitchId(root));
    const Routes routes = routed_as_given("updn", fabric, options);
    for_each_lid(fabric, [&](const Endport& to, Lid lid) {
      const auto hops = shortest_hops(graph, {to.sw.value()});
      for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
        const auto path = walk(fabric, routes.lfts, s, to, lid);
        ASSERT_EQ(path.has_value(), hops[s] != kUnreachable)
            << what.replay() << " LID " << lid.value();
        bool down = false;
        for (std::size_t i = 0; path && i + 1 < path->size(); ++i) {
          const std::uint32_t from = (*path)[i];
          const std::uint32_t next = (*path)[i + 1];
          const bool up = std::pair(rank[next], next) < std::pair(rank[from], from);
          ASSERT_FALSE(down && up)
              << what.replay() << " from switch " << s << " to LID " << lid.value()
              << " has an up hop after a down hop at switch " << from;
          down = down || !up;
        }
      }
    });
  });
}

/// ftree accepts every undamaged fat tree. On every fabric that ftree accepts, it connects as many
/// pairs of hosts as updn.
TEST_P(Engines, FtreeConnectsEveryPairOfHostsWithoutCreditLoopsOrRefusesTheFabric) {
  for_each_case([&](const Fabric& fabric, const FabricCase& what) {
    const auto routes = find_engine("ftree")->run(fabric, {});
    if (!routes) {
      ASSERT_EQ(routes.error().code, Code::kUnroutable) << what.replay();
      const bool tree = what.spec.find("fattree") == 0 || what.spec.find("xgft") == 0;
      const bool whole = what.spec.find("fail=") == std::string::npos;
      ASSERT_FALSE(tree && whole) << what.replay() << ": " << routes.error().message;
      return;
    }
    const Verdict verdict = verify(fabric, *routes);
    const Verdict updn = verify(fabric, routed_as_given("updn", fabric, {}));
    ASSERT_EQ(verdict.ca_to_ca.arrived, updn.ca_to_ca.arrived) << what.replay();
    ASSERT_FALSE(verdict.has_credit_loop())
        << what.replay() << describe_cycle(fabric, verdict.credit_loop);
    ASSERT_TRUE(verdict.switch_credit_loop.empty()) << what.replay();
    ASSERT_EQ(verdict.loops, 0u) << what.replay();
  });
}

TEST_P(Engines, RoutesAreEqualForAnyNumberOfThreads) {
  for_each_case([&](const Fabric& fabric, const FabricCase& what) {
    for (const Engine& engine : engines()) {
      const auto one = engine.run(fabric, {.threads = 1, .balance = what.balance});
      for (const unsigned threads : {2u, 8u})
        ASSERT_TRUE(engine.run(fabric, {.threads = threads, .balance = what.balance}) == one)
            << engine.name << ' ' << what.replay() << ' ' << threads << " threads";
    }
  });
}

/// A port has 2^LMC LIDs. Each switch forwards packets to these LIDs to as many different neighbors
/// as possible: to all neighbors on shortest paths, or to 2^LMC neighbors.
TEST_P(Engines, MinhopRoutesTheLidsOfAPortOverDifferentNeighbors) {
  for_each_case([&](const Fabric& fabric, const FabricCase& what) {
    if (what.lmc == 0) return;
    const Routes routes = routed_as_given("minhop", fabric, {.balance = what.balance});
    const auto graph = neighbors(fabric);
    for (const Endport& to : fabric.endports()) {
      if (to.sw == kNoSwitch || fabric.is_switch(to.node)) continue;
      const auto hops = shortest_hops(graph, {to.sw.value()});
      for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
        if (hops[s] == 0 || hops[s] == kUnreachable) continue;
        std::set<std::uint32_t> possible, used;
        for (const std::uint32_t next : graph[s])
          if (hops[next] + 1 == hops[s]) possible.insert(next);
        for (unsigned i = 0; i < 1u << to.lmc; ++i) {
          const Lid lid(static_cast<std::uint16_t>(to.lid.value() + i));
          used.insert(*switch_behind(fabric, s, routes.lfts.port(SwitchId(s), lid)));
        }
        ASSERT_EQ(used.size(), std::min<std::size_t>(possible.size(), 1u << to.lmc))
            << what.replay() << " switch " << s << " LID " << to.lid.value();
      }
    }
  });
}

/// The order of the LIDs (-X) affects which paths are selected, but not the guarantees.
TEST_P(Engines, RoutesConnectTheSamePairsInAnyOrderOfLids) {
  for_each_case([&](const Fabric& fabric, const FabricCase& what) {
    RoutingOptions options{.balance = what.balance};
    for (std::uint32_t i = fabric.endport_count(); i > fabric.switch_count(); i -= 2) {
      options.order.push_back(EndportId(i - 1));
      if (i - 1 <= fabric.switch_count()) break;
    }
    options.order.push_back(EndportId(0));           // a switch
    options.order.push_back(options.order.front());  // a duplicate
    for (const Engine& engine : engines()) {
      const auto routes = engine.run(fabric, {.balance = what.balance});
      if (!routes) continue;
      const Verdict plain = verify(fabric, *routes);
      const Verdict ordered = verify(fabric, routed_as_given(engine.name, fabric, options));
      ASSERT_EQ(ordered.ca_to_ca.arrived, plain.ca_to_ca.arrived) << what.replay();
      ASSERT_EQ(ordered.ca_to_switch.arrived, plain.ca_to_switch.arrived) << what.replay();
      ASSERT_EQ(ordered.switch_to_switch.arrived, plain.switch_to_switch.arrived) << what.replay();
      ASSERT_EQ(ordered.loops, 0u) << what.replay();
    }
  });
}

/// Routing an unchanged fabric again, with the previous tables as input, changes no table.
TEST_P(Engines, RoutesAreEqualIfTheFabricIsUnchanged) {
  for_each_case([&](const Fabric& fabric, const FabricCase& what) {
    RoutingOptions options{.balance = what.balance};
    for (const Engine& engine : engines()) {
      options.previous.reset();
      auto first = engine.run(fabric, options);
      if (!first) continue;
      options.previous = first->lfts;
      options.previous_engine = engine.name;
      Routes again = routed_as_given(engine.name, fabric, options);
      // dfsssp keeps the tables, but assigns the VLs anew in the first repetition.
      if (engine.name == "dfsssp" && again != *first) {
        options.previous = again.lfts;
        *first = std::move(again);
        again = routed_as_given(engine.name, fabric, options);
      }
      ASSERT_EQ(again, *first) << engine.name << ' ' << what.replay();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Small, Engines, testing::ValuesIn(kSmallSpecs), spec_name);

}  // namespace
}  // namespace weft
