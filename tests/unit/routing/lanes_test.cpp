// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dfsssp and lash: number of virtual lanes, errors, and the SLs of pairs in lash. Recognition of
// meshes, orders for pairs, and sssp with I/O nodes.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "fabric/without.h"
#include "routing/deadlock/lanes.h"
#include "routing/deadlock/ordered_lanes.h"
#include "routing/dfsssp.h"
#include "routing/engine.h"
#include "routing/lash.h"
#include "routing/shapes/mesh.h"
#include "routing/sssp.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

struct Need {
  const char* spec;
  unsigned dfsssp;
  unsigned lash;
};

// For comparison, OpenSM's dfsssp needs 9 lanes on the hypercube, 2 on the HyperX, and 2 on the
// tree with missing cables. OpenSM's lash needs 6 lanes on the random graph and on the dragonfly,
// and 5 on the tree with missing cables.
constexpr std::array kNeeds{
    Need{"fattree2:k=8", 1, 1},
    Need{"fattree3:k=6", 1, 1},
    Need{"mesh:4x4,hosts=2", 1, 1},
    Need{"hypercube:n=6,hosts=4", 1, 1},
    Need{"hyperx:6x6,hosts=6", 1, 1},
    Need{"ring:n=8,hosts=1", 2, 2},
    Need{"torus:6x6x6,hosts=4", 6, 6},
    Need{"dragonfly:a=8,h=4,p=4", 3, 3},
    Need{"torus:6x6x6,hosts=1,dead=12,seed=5", 6, 6},
    Need{"mesh:6x6x6,hosts=1,fail=8,seed=1", 4, 4},
    Need{"fattree3:k=16,fail=41,seed=1", 3, 3},
    Need{"fattree3:k=24,fail=138,seed=1", 3, 3},
    Need{"fattree2:k=8,fail=9,seed=9", 2, 1},
    Need{"random:n=128,degree=8,hosts=4,seed=1", 5, 5},
};

TEST(LanesOfEngines, AreNoMoreThanTheListedNumber) {
  for (const Need& need : kNeeds) {
    const Fabric fabric = fabric_of(need.spec);
    for (const auto& [run, lanes] : {std::pair(find_engine("dfsssp")->run, need.dfsssp),
                                     std::pair(find_engine("lash")->run, need.lash)}) {
      const auto routes = run(fabric, {});
      ASSERT_TRUE(routes.has_value()) << need.spec << ' ' << routes.error().message;
      EXPECT_LE(routes->vls_needed, lanes) << routes->engine << ' ' << need.spec;
      EXPECT_TRUE(verify(fabric, *routes).ok()) << routes->engine << ' ' << need.spec;
    }
  }
}

TEST(LanesOfEngines, AreAllUsedByDfsssp) {
  const Fabric fabric = fabric_of("fattree2:k=8");
  const auto routes = route_dfsssp(fabric, RoutingOptions{.vls_max = 4});
  ASSERT_TRUE(routes.has_value());
  EXPECT_EQ(routes->vls_needed, 1u);
  EXPECT_EQ(routes->vls, 4u);
  std::array<unsigned, 4> paths{};
  for_each_lid(fabric, [&](const Endport& to, Lid lid) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      ++paths[routes->path_sl.sl(SwitchId(s), to.sw, lid).value()];
  });
  const auto [least, most] = std::ranges::minmax(paths);
  EXPECT_LE(most - least, fabric.switch_count());
}

TEST(LanesOfEngines, AreCountedInTheErrorIfTooFew) {
  const Fabric fabric = fabric_of("ring:n=8,hosts=1");
  for (const auto run : {find_engine("dfsssp")->run, find_engine("lash")->run}) {
    const auto routes = run(fabric, {.vls_max = 1});
    ASSERT_FALSE(routes.has_value());
    EXPECT_EQ(routes.error().code, Code::kOutOfVls);
  }
  EXPECT_EQ(route_dfsssp(fabric, RoutingOptions{.vls_max = 1}).error().message,
            "dfsssp needs 2 virtual lanes, found 1");
  EXPECT_EQ(route_lash(fabric, RoutingOptions{.vls_max = 1}).error().message,
            "lash needs 2 virtual lanes from VL 0 on, found 1");
}

// The lanes of port 0 and of ports without a cable do not count, because they are on no link.
TEST(LanesOfEngines, AreLimitedByCabledPortsOnly) {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0).hosts(1);
  const auto data_vls = [&](unsigned node, unsigned port, std::uint8_t count) {
    FabricBuilder::PortSpec spec;
    spec.data_vls = count;
    EXPECT_TRUE(tiny.builder().describe_port(node, PortNum(static_cast<std::uint8_t>(port)), spec));
  };
  data_vls(0, 0, 1);
  for (const unsigned sw : {0u, 1u})
    for (const unsigned port : {1u, 2u}) data_vls(sw, port, 8);
  data_vls(0, 7, 2);  // a port without a cable
  for (const EndportId id : tiny.build().hosts())
    data_vls(tiny.build().endport(id).node.value(), 1, 4);
  EXPECT_EQ(lanes_available(tiny.build(), 15), 4u);
  EXPECT_EQ(lanes_available(tiny.build(), 3), 3u);
  data_vls(1, 1, 2);
  EXPECT_EQ(lanes_available(tiny.build(), 15), 2u);
}

TEST(Lash, AssignsALayerToPairsWithASwitchWithoutHosts) {
  const Fabric whole = fabric_of("torus:5x5,hosts=1");
  for (const std::uint32_t every : {2u, 3u, 4u}) {
    std::vector<NodeId> hosts;
    for (std::uint32_t s = 0; s < whole.switch_count(); ++s)
      if (s % every != 0) hosts.push_back(whole.endport(whole.endports_at(SwitchId(s))[0]).node);
    const Fabric fabric = without(whole, hosts, {});
    const auto routes = route_lash(fabric, {});
    ASSERT_TRUE(routes) << every;
    const Verdict verdict = verify(fabric, *routes);
    EXPECT_TRUE(verdict.ok() && verdict.switches_ok()) << every;
    EXPECT_TRUE(verdict.switch_to_ca.all()) << every;
  }
}

/// Checks the SLs of the paths between the first hosts on every two switches.
TEST(Lash, UsesOneSlForBothDirectionsOfAPair) {
  for (const char* spec : {"torus:5x5x3,hosts=1", "random:n=32,degree=5,hosts=2,seed=3"}) {
    const Fabric fabric = fabric_of(spec);
    const auto routes = route_lash(fabric, {});
    ASSERT_TRUE(routes.has_value());
    EXPECT_GT(routes->vls, 1u);
    std::vector<unsigned> pairs(routes->vls, 0);
    for (std::uint32_t a = 0; a < fabric.switch_count(); ++a)
      for (std::uint32_t b = 0; b < a; ++b) {
        const auto sl = [&](std::uint32_t from, std::uint32_t to) {
          return routes->path_sl.sl(fabric, fabric.endports_at(SwitchId(from)).front(),
                                    fabric.endport(fabric.endports_at(SwitchId(to)).front()).lid);
        };
        ASSERT_EQ(sl(a, b), sl(b, a)) << spec << ' ' << a << ' ' << b;
        ++pairs[sl(a, b).value()];
      }
    const auto [least, most] = std::ranges::minmax(pairs);
    EXPECT_LE(most, 3 * least) << spec << ": the numbers of pairs on the layers must be balanced";
  }
}

TEST(Lash, RefusesMoreThanOneLidPerPort) {
  const auto routes = route_lash(fabric_of("ring:n=4,hosts=1", 1), {});
  ASSERT_FALSE(routes.has_value());
  EXPECT_EQ(routes.error().code, Code::kUnroutable);
  EXPECT_NE(routes.error().message.find("has LMC 1"), std::string::npos) << routes.error().message;
}

TEST(Lash, BeginsAtTheStartVl) {
  const Fabric fabric = fabric_of("torus:4x4,hosts=1");
  const auto plain = route_lash(fabric, {});
  ASSERT_TRUE(plain.has_value());
  RoutingOptions options;
  options.parameters.set(kStartVl, 3);
  const auto shifted = route_lash(fabric, options);
  ASSERT_TRUE(shifted.has_value());
  EXPECT_EQ(shifted->vls, plain->vls + 3);
  for_each_lid(fabric, [&](const Endport& to, Lid lid) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      ASSERT_EQ(shifted->path_sl.sl(SwitchId(s), to.sw, lid).value(),
                plain->path_sl.sl(SwitchId(s), to.sw, lid).value() + 3);
  });
  EXPECT_TRUE(verify(fabric, *shifted).ok());
  options.parameters.set(kStartVl, 8);
  const auto none = route_lash(fabric, options);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, Code::kOutOfVls);
}

/// Expects that no path returns to a dimension that it left.
TEST(Lash, RoutesMeshesInDimensionOrderIfEnabled) {
  RoutingOptions options;
  options.parameters.set(kMeshAnalysis, 1);
  for (const char* spec : {"mesh:3x5x2,hosts=1", "torus:5x5,hosts=1", "torus:3x6x3,trunks=2"}) {
    const Fabric fabric = fabric_of(spec);
    const auto mesh = find_mesh(fabric);
    ASSERT_TRUE(mesh.has_value()) << spec;
    const auto routes = route_lash(fabric, options);
    ASSERT_TRUE(routes.has_value()) << spec;
    EXPECT_TRUE(verify(fabric, *routes).ok()) << spec;
    for_each_lid(fabric, [&](const Endport& to, Lid lid) {
      for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
        unsigned dimension = 0;
        for (SwitchId at(s); at != to.sw;) {
          const ChannelId out = fabric.channel_at(at, routes->lfts.port(at, lid));
          ASSERT_GE(mesh->dimension[out.value()], dimension) << spec;
          dimension = mesh->dimension[out.value()];
          at = fabric.channel(out).to;
        }
      }
    });
  }
}

TEST(Mesh, IsDetectedInProductsOfLinesAndRingsOnly) {
  const std::array<std::pair<const char*, unsigned>, 10> cases{{{"line:n=5,hosts=1", 1},
                                                                {"ring:n=7,hosts=1", 1},
                                                                {"ring:n=4,hosts=1", 2},
                                                                {"mesh:3x4,hosts=1", 2},
                                                                {"torus:5x6x7", 3},
                                                                {"torus:3x3x3", 3},
                                                                {"torus:4x5", 3},
                                                                {"hypercube:n=5", 5},
                                                                {"mesh:2x3,trunks=3", 2},
                                                                {"full:n=3,hosts=1", 1}}};
  for (const auto& [spec, dimensions] : cases) {
    const auto mesh = find_mesh(fabric_of(spec));
    ASSERT_TRUE(mesh.has_value()) << spec;
    EXPECT_EQ(mesh->dimensions, dimensions) << spec;
  }
  for (const char* spec :
       {"full:n=4,hosts=1", "fattree2:k=4", "dragonfly:a=4,h=1,p=2",
        "random:n=16,degree=4,hosts=2,seed=1", "hyperx:4x4,hosts=1", "torus:5x5,fail=1,seed=1"})
    EXPECT_FALSE(find_mesh(fabric_of(spec)).has_value()) << spec;
}

std::optional<OrderedLanes> order_pairs(const Fabric& fabric, unsigned lanes_max) {
  return order_pair_lanes(fabric, Turns(fabric), sssp_tables(fabric, {}), lanes_max, 1.0, 1);
}

TEST(PairOrders, KeepTheTablesOfDamagedTrees) {
  for (const char* spec : {"fattree3:k=6,fail=8,seed=1", "fattree3:k=8,fail=20,seed=3"}) {
    const Fabric fabric = fabric_of(spec);
    const auto ordered = order_pairs(fabric, 5);
    ASSERT_TRUE(ordered.has_value()) << spec;
    const std::size_t switches = fabric.switch_count();
    for (std::size_t a = 0; a < switches; ++a)
      for (std::size_t b = 0; b < switches; ++b)
        ASSERT_EQ(ordered->lanes[a * switches + b], ordered->lanes[b * switches + a]) << spec;
  }
}

// With 15 orders each pair agrees with an order, but only on paths other than the paths of the
// tables.
TEST(PairOrders, AreNotUsedWhereMostPairsWouldBeRerouted) {
  for (const char* spec : {"random:n=48,degree=5,hosts=1,seed=1", "torus:6x6,hosts=1"})
    EXPECT_FALSE(order_pairs(fabric_of(spec), 15).has_value()) << spec;
}

// Two switches with two cables. Any two of the six hosts on one switch are I/O nodes, and paths to
// these two hosts use different cables.
TEST(Sssp, RoutesIoNodesOverDifferentCables) {
  const Fabric fabric = fabric_of("mesh:2,hosts=6,trunks=2");
  for (std::uint32_t sw = 0; sw < 2; ++sw) {
    const auto hosts = fabric.endports_at(SwitchId(sw));
    ASSERT_EQ(hosts.size(), 6u);
    for (std::size_t a = 0; a < hosts.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        RoutingOptions options;
        options.io_nodes = {hosts[a], hosts[b]};
        for (const auto run : {find_engine("sssp")->run, find_engine("dfsssp")->run}) {
          const auto routes = run(fabric, options);
          ASSERT_TRUE(routes.has_value());
          const SwitchId other(1 - sw);
          EXPECT_NE(routes->lfts.port(other, fabric.endport(hosts[a]).lid),
                    routes->lfts.port(other, fabric.endport(hosts[b]).lid))
              << routes->engine;
        }
      }
  }
}

}  // namespace
}  // namespace weft
