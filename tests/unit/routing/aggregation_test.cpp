// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fabrics with an aggregation node in every switch, as in current switches: the topology stays the
// same, so balance and the number of lanes must not change, yet every two of these nodes must be
// connected without credit loops.

#include <gtest/gtest.h>

#include "base/check.h"
#include "congestion/quality/quality.h"
#include "fabric/builder.h"
#include "routing/engine.h"
#include "support/routed_by.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

constexpr std::uint16_t kAggregationDevice = 0xCF09;

/// The same fabric with one more port and an aggregation node in every switch, and `strays`
/// ordinary hosts at the last switch.
Fabric with_aggregation_nodes(const Fabric& plain, unsigned strays = 0) {
  FabricBuilder builder;
  for (std::uint32_t n = 0; n < plain.node_count(); ++n) {
    Node node = plain.node(NodeId(n));
    if (plain.is_switch(NodeId(n)))
      node.port_count = static_cast<std::uint8_t>(node.port_count + 1 + strays);
    builder.add_node(node);
  }
  for (std::uint32_t n = 0; n < plain.node_count(); ++n)
    for (const Port& port : plain.ports(NodeId(n)))
      if (port.peer != kNoPort) {
        const Port& peer = plain.port(port.peer);
        CHECK(builder.connect(n, port.num, peer.node.value(), peer.num).has_value());
      }
  const auto add = [&](std::uint32_t sw, unsigned offset, std::uint16_t device) {
    Node node;
    node.node_guid = node.system_guid = Guid(0x77000000u + 16 * sw + offset);
    node.port_count = 1;
    node.device_id = device;
    node.description = "extra";
    const PortNum port(static_cast<std::uint8_t>(plain.node(SwitchId(sw)).port_count + 1 + offset));
    CHECK(builder.connect(builder.add_node(node), PortNum(1), sw, port).has_value());
  };
  for (std::uint32_t s = 0; s < plain.switch_count(); ++s) add(s, 0, kAggregationDevice);
  for (unsigned i = 0; i < strays; ++i) add(plain.switch_count() - 1, 1 + i, 0);
  const auto fabric = builder.build();
  CHECK(fabric.has_value());
  return with_lids(*fabric);
}

class Aggregation : public ::testing::TestWithParam<const char*> {};

constexpr const char* kEngines[] = {"updn", "dnup", "ftree", "dfsssp", "lash", "nue"};

TEST_P(Aggregation, NodesAreConnectedWithoutCreditLoops) {
  for (const unsigned strays : {0u, 1u}) {
    const Fabric fabric = with_aggregation_nodes(fabric_of(GetParam()), strays);
    for (const char* engine : kEngines) {
      const Routes routes = routed_by(engine, fabric);
      const Verdict verdict = verify(fabric, routes);
      EXPECT_TRUE(verdict.ok()) << engine << " " << verdict.ca_to_ca.arrived << " of "
                                << verdict.ca_to_ca.pairs << " pairs, strays " << strays << " "
                                << describe_cycle(fabric, verdict.credit_loop);
      EXPECT_TRUE(verdict.ca_to_switch.all()) << engine;
      EXPECT_EQ(routes.lfts, routed_by(engine, fabric, {.threads = 3}).lfts) << engine;
    }
  }
}

TEST_P(Aggregation, NodesDoNotReduceTheBalanceOfUpDown) {
  const Fabric fabric = with_aggregation_nodes(fabric_of(GetParam()));
  const double free = assess(fabric, routed_by("minhop", fabric)).ebb;  // to close credit loops
  for (const char* engine : {"updn", "dnup", "ftree", "dfsssp"}) {
    const Quality quality = assess(fabric, routed_by(engine, fabric));
    EXPECT_GE(quality.ebb, 0.92 * free) << engine;
  }
}

/// Without counting pairs of aggregation nodes, 2.4 % of all take a detour in the second fabric.
TEST(AggregationByNue, NodesHaveShortestPathsAndHostsKeepTheirBalance) {
  const struct {
    const char* spec;
    double share_most;  // of all pairs that take a detour
  } cases[] = {{"fattree2:k=8", 0}, {"fattree3:k=12,fail=8,seed=2", 0.016}};
  for (const auto& [spec, share_most] : cases) {
    const Fabric fabric = with_aggregation_nodes(fabric_of(spec));
    const Quality quality = assess(fabric, routed_by("nue", fabric));
    const auto hosts = static_cast<double>(fabric.hosts().size());
    EXPECT_LE(static_cast<double>(quality.nonminimal), share_most * hosts * (hosts - 1)) << spec;
    EXPECT_GE(quality.ebb, 0.95 * assess(fabric, routed_by("minhop", fabric)).ebb) << spec;
  }
}

INSTANTIATE_TEST_SUITE_P(Trees, Aggregation,
                         ::testing::Values("fattree2:k=8", "fattree2:k=8,trunks=2",
                                           "fattree2:k=12,fail=3,seed=1", "fattree3:k=6",
                                           "fattree3:k=8,fail=8,seed=2",
                                           "fattree3:k=8,dead=1,seed=3", "xgft:m=3x3x3,w=1x2x3",
                                           "xgft:m=4x4,w=1x3", "xgft:m=4x2x2x2,w=1x2x2x2"));

}  // namespace
}  // namespace weft
