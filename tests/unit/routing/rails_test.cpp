// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hosts with several ports or adapters on different leaves. The tests check which leaves form a
// rail, and that the ports of one host are reachable over different spines. Cases: two bonded ports
// of an IPoIB interface, and the rings of NCCL, one on each of eight rails.
#include "routing/tables/rails.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/check.h"
#include "fabric/builder.h"
#include "routing/engine.h"
#include "support/routed_by.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

struct RailedTree {
  unsigned units = 2;            // a unit: hosts on the same leaves
  unsigned rails = 2;            // number of leaves of a unit
  unsigned hosts = 8;            // number of hosts of a unit
  unsigned spines = 8;           // number of spines, each cabled to each leaf
  bool one_adapter = true;       // one adapter with a port on each rail; else one adapter per rail
  const char* adapter = "HCA-";  // prefix of a name; the number of the adapter follows
  unsigned other_adapter_every = 0;  // if n > 0: in every n-th host all adapters have number 77
};

Fabric build(const RailedTree& tree) {
  FabricBuilder builder;
  const unsigned leaves = tree.units * tree.rails;
  for (unsigned s = 0; s < leaves + tree.spines; ++s) {
    Node node;
    node.type = NodeType::kSwitch;
    node.node_guid = node.system_guid = Guid(0x100 + s);
    node.port_count = 40;
    node.description = fmt::format("S{}", s);
    builder.add_node(node);
  }
  const auto number = [](unsigned port) { return PortNum(static_cast<std::uint8_t>(port)); };
  for (unsigned leaf = 0; leaf < leaves; ++leaf)
    for (unsigned spine = 0; spine < tree.spines; ++spine)
      CHECK(builder.connect(leaf, number(1 + spine), leaves + spine, number(1 + leaf)).has_value());
  for (unsigned h = 0; h < tree.units * tree.hosts; ++h) {
    FabricBuilder::NodeIndex ca = 0;
    const bool is_other = tree.other_adapter_every != 0 && h % tree.other_adapter_every == 0;
    for (unsigned rail = 0; rail < tree.rails; ++rail) {
      if (rail == 0 || !tree.one_adapter) {
        Node node;
        node.node_guid = node.system_guid = Guid(0x10000 + 256 * h + 16 * rail);
        node.port_count = static_cast<std::uint8_t>(tree.one_adapter ? tree.rails : 1);
        node.description = fmt::format("h{} {}{}", h, tree.adapter, is_other ? 77 : rail + 1);
        ca = builder.add_node(node);
      }
      const unsigned leaf = h / tree.hosts * tree.rails + rail;
      CHECK(builder
                .connect(ca, number(tree.one_adapter ? rail + 1 : 1), leaf,
                         number(1 + tree.spines + h % tree.hosts))
                .has_value());
    }
  }
  const auto fabric = builder.build();
  CHECK(fabric.has_value());
  return with_lids(*fabric);
}

/// The spine over which the CA port with this index on leaf `to` is reachable from leaf `from`.
std::uint32_t spine_between(const Fabric& fabric, const Routes& routes, unsigned from, unsigned to,
                            unsigned index) {
  const EndportId id = host_at(fabric, SwitchId(to), index);
  const auto path = walk(fabric, routes.lfts, from, fabric.endport(id), fabric.endport(id).lid);
  CHECK(path.has_value() && path->size() == 3);
  return (*path)[1];
}

TEST(Rails, AreThePortsOfAnAdapter) {
  const Fabric fabric = build({.rails = 2});
  const Rails rails = rails_of(fabric);
  EXPECT_EQ(rails.count, 2u);
  for (unsigned leaf = 0; leaf < 4; ++leaf) EXPECT_EQ(rails.of[leaf], leaf % 2) << leaf;
}

TEST(Rails, AreTheNumbersOfAdapters) {
  for (const char* const adapter : {"HCA-", "mlx5_"}) {
    const Rails rails = rails_of(build({.rails = 3, .one_adapter = false, .adapter = adapter}));
    EXPECT_EQ(rails.count, 3u) << adapter;
    for (unsigned leaf = 0; leaf < 6; ++leaf) EXPECT_EQ(rails.of[leaf], leaf % 3) << adapter;
  }
}

TEST(Rails, AreNotFoundIfDescriptionsHaveNoAdapterNumber) {
  for (const char* const word : {"card ", "serial1000", "", "Mellanox Technologies "}) {
    const Rails rails = rails_of(build({.rails = 3, .one_adapter = false, .adapter = word}));
    EXPECT_EQ(rails.count, 1u) << word;
  }
}

TEST(Rails, DoNotDependOnTheDescriptionsOfAFewHosts) {
  const RailedTree plain{.rails = 2, .one_adapter = false};
  RailedTree renamed = plain;
  renamed.other_adapter_every = 3;
  EXPECT_EQ(rails_of(build(renamed)).of, rails_of(build(plain)).of);
}

std::vector<EndportId> ordered(std::span<const EndportId> cas, std::uint32_t rail,
                               std::uint64_t first, std::uint32_t spines, std::size_t places) {
  std::vector<EndportId> order{kNoEndport};  // content that order_by_rail() replaces
  order_by_rail(cas, rail, first, spines, places, order);
  return order;
}

TEST(OrderByRail, ShiftsThePathsByTheRail) {
  std::vector<EndportId> cas;
  for (unsigned i = 0; i < 4; ++i) cas.push_back(EndportId(i));
  EXPECT_EQ(ordered(cas, 0, 0, 4, 4), cas);
  EXPECT_EQ(ordered(cas, 1, 0, 4, 4),
            (std::vector{EndportId(3), EndportId(0), EndportId(1), EndportId(2)}));
  // The first place has path 2, so the paths of the places are 2, 3, 0 and 1.
  EXPECT_EQ(ordered(cas, 0, 2, 4, 4),
            (std::vector{EndportId(2), EndportId(3), EndportId(0), EndportId(1)}));
  EXPECT_EQ(ordered(cas, 1, 0, 0, 5),
            (std::vector{EndportId(0), EndportId(1), EndportId(2), EndportId(3), kNoEndport}));
}

TEST(OrderByRail, EveryCaHasAPositionForAnyNumberOfPaths) {
  std::vector<EndportId> cas;
  for (unsigned i = 0; i < 7; ++i) cas.push_back(EndportId(i));
  for (std::uint32_t spines = 1; spines < 10; ++spines)
    for (std::uint32_t rail = 0; rail < 4; ++rail) {
      auto order = ordered(cas, rail, 5, spines, 8);
      EXPECT_EQ(order.size(), 8u);
      std::ranges::sort(order);
      EXPECT_TRUE(std::ranges::equal(std::span(order).first(7), cas)) << spines << " " << rail;
    }
}

class RailsOfEngine : public ::testing::TestWithParam<const char*> {};

// A bond of the two ports of a host keeps one reachable port if any single spine fails.
TEST_P(RailsOfEngine, TwoPortsOfAHostAreReachedOverDifferentSpines) {
  for (const unsigned hosts : {4u, 8u, 16u}) {
    const Fabric fabric = build({.hosts = hosts});
    const Routes routes = routed_by(GetParam(), fabric);
    EXPECT_TRUE(verify(fabric, routes).ca_to_ca.all());
    for (unsigned host = 0; host < hosts; ++host)
      EXPECT_NE(spine_between(fabric, routes, 0, 2, host),
                spine_between(fabric, routes, 1, 3, host))
          << hosts << " hosts, host " << host;
  }
}

// Each host of one unit sends on every rail to the host with the same number in the other unit. The
// eight flows of a host use eight spines, and each uplink carries one flow.
TEST_P(RailsOfEngine, RingsOnEightRailsUseEverySpineOnceForEachHost) {
  const Fabric fabric = build({.rails = 8, .one_adapter = false, .adapter = "mlx5_"});
  const Routes routes = routed_by(GetParam(), fabric);
  for (unsigned host = 0; host < 8; ++host) {
    std::set<std::uint32_t> spines;
    for (unsigned rail = 0; rail < 8; ++rail)
      spines.insert(spine_between(fabric, routes, rail, 8 + rail, host));
    EXPECT_EQ(spines.size(), 8u) << host;
  }
  for (unsigned rail = 0; rail < 8; ++rail) {
    std::set<std::uint32_t> uplinks;
    for (unsigned host = 0; host < 8; ++host)
      uplinks.insert(spine_between(fabric, routes, rail, 8 + rail, host));
    EXPECT_EQ(uplinks.size(), 8u) << rail;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, RailsOfEngine,
                         ::testing::Values("minhop", "updn", "dnup", "ftree", "sssp", "dfsssp",
                                           "lash", "nue"),
                         [](const auto& engine) { return std::string(engine.param); });

}  // namespace
}  // namespace weft
