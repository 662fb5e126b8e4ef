// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fabrics with an aggregation node in every switch, as in current switches. Every two aggregation
// nodes must be connected without credit loops. Aggregation nodes do not count as hosts in quality
// figures, and change the balance of hosts only slightly.

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "congestion/quality/quality.h"
#include "congestion/routed_network.h"
#include "fabric/aggregation.h"
#include "fabric/builder.h"
#include "routing/adaptive/group_divisions.h"
#include "routing/adaptive/groups.h"
#include "routing/engine.h"
#include "routing/reweight/tables.h"
#include "support/routed_by.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

constexpr std::uint16_t kAggregationDevice = 0xCF09;

/// The same fabric with 1 + `extra_hosts` more ports and an aggregation node at every switch, and
/// `extra_hosts` ordinary hosts at the last switch.
Fabric with_aggregation_nodes(const Fabric& plain, unsigned extra_hosts = 0) {
  FabricBuilder builder;
  for (std::uint32_t n = 0; n < plain.node_count(); ++n) {
    Node node = plain.node(NodeId(n));
    if (plain.is_switch(NodeId(n)))
      node.port_count = static_cast<std::uint8_t>(node.port_count + 1 + extra_hosts);
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
  for (unsigned i = 0; i < extra_hosts; ++i) add(plain.switch_count() - 1, 1 + i, 0);
  const auto fabric = builder.build();
  CHECK(fabric.has_value());
  return with_lids(*fabric);
}

class Aggregation : public ::testing::TestWithParam<const char*> {};

constexpr const char* kEngines[] = {"updn", "dnup", "ftree", "dfsssp", "lash", "nue"};

TEST_P(Aggregation, NodesAreConnectedWithoutCreditLoops) {
  for (const unsigned extra_hosts : {0u, 1u}) {
    const Fabric fabric = with_aggregation_nodes(fabric_of(GetParam()), extra_hosts);
    for (const char* engine : kEngines) {
      const Routes routes = routed_by(engine, fabric);
      const Verdict verdict = verify(fabric, routes);
      EXPECT_TRUE(verdict.ok()) << engine << " " << verdict.ca_to_ca.arrived << " of "
                                << verdict.ca_to_ca.pairs << " pairs, extra hosts " << extra_hosts
                                << " " << describe_cycle(fabric, verdict.credit_loop);
      EXPECT_TRUE(verdict.ca_to_switch.all()) << engine;
      EXPECT_EQ(routes.lfts, routed_by(engine, fabric, {.threads = 3}).lfts) << engine;
    }
  }
}

// The passes count the same flows as the quality figures.
TEST(AggregationNodes, HaveNoLoadInPassesOfReweighting) {
  const Fabric fabric = with_aggregation_nodes(fabric_of("fattree3:k=8,fail=20,seed=1"));
  const reweight::Arcs arcs = reweight::channels_as_arcs(fabric, {});
  EXPECT_EQ(arcs.hosts, traffic_ports_by_switch(fabric));
  std::vector<EndportId> ignored;
  for (const EndportId host : fabric.hosts())
    if (is_aggregation_node(fabric.node(fabric.endport(host).node))) ignored.push_back(host);
  EXPECT_EQ(reweight::channels_as_arcs(fabric, ignored).hosts, arcs.hosts);
  RoutingOptions options;
  options.parameters.set(kReweight, 24);
  const Lfts before = routed_by("updn", fabric).lfts;
  const Lfts after = routed_by("updn", fabric, options).lfts;
  const auto load = [&](const Lfts& lfts) {
    Routes routes;
    routes.lfts = lfts;
    return assess(fabric, routes, {.matchings = 1}).link_load_max;
  };
  for (const Lfts& lfts : {before, after})
    EXPECT_EQ(reweight::measure_tables(fabric, lfts, 1).largest, load(lfts) * reweight::kFlowTime);
  EXPECT_LT(load(after), load(before));
  for (const EndportId node : ignored)
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      const Lid lid = fabric.endport(node).lid;
      EXPECT_EQ(after.port(SwitchId(s), lid), before.port(SwitchId(s), lid));
    }
}

/// Engines also balance the paths to aggregation nodes, so the balance of hosts is slightly worse.
TEST_P(Aggregation, NodesChangeTheBalanceOfHostsLittle) {
  const Fabric fabric = with_aggregation_nodes(fabric_of(GetParam()));
  // minhop does not avoid credit loops, so deadlock freedom does not limit its bisection.
  const double free = assess(fabric, routed_by("minhop", fabric)).ebb;
  for (const char* engine : {"updn", "dnup", "ftree", "dfsssp"}) {
    const Quality quality = assess(fabric, routed_by(engine, fabric));
    EXPECT_GE(quality.ebb, (engine == std::string_view("dfsssp") ? 0.86 : 0.9) * free) << engine;
  }
}

/// The forwarding tables of the plain fabric, with the LIDs of the fabric with aggregation nodes.
Lfts tables_of_hosts(const Fabric& plain, const Lfts& lfts, const Fabric& fabric) {
  Lfts result(plain.switch_count(), plain.lid_top());
  for (std::uint32_t e = 0; e < plain.endport_count(); ++e) {
    const Endport& endport = plain.endport(EndportId(e));
    const auto same = fabric.find_endport(plain.port(endport.port).guid);
    CHECK(same.has_value());
    for (std::uint32_t s = 0; s < plain.switch_count(); ++s)
      result.set(SwitchId(s), endport.lid, lfts.port(SwitchId(s), fabric.endport(*same).lid));
  }
  return result;
}

/// The figures of a fabric are the same with and without aggregation nodes, for the same tables.
TEST_P(Aggregation, NodesDoNotCountAsHostsInAnyFigure) {
  const Fabric plain = with_lids(fabric_of(GetParam()));
  const Fabric fabric = with_aggregation_nodes(plain);
  const Routes routes = routed_by("minhop", fabric);
  Routes of_hosts = routed_by("minhop", plain);
  of_hosts.lfts = tables_of_hosts(plain, routes.lfts, fabric);
  const QualityOptions options{
      .threads = 1, .bound = true, .shifts = true, .permutations = true, .lid_paths = true};
  const Quality with = assess(fabric, routes, options);
  const Quality without = assess(plain, of_hosts, options);
  EXPECT_EQ(with.hops_max, without.hops_max);
  EXPECT_EQ(with.hops_mean, without.hops_mean);
  EXPECT_EQ(with.nonminimal, without.nonminimal);
  EXPECT_EQ(with.link_load_max, without.link_load_max);
  EXPECT_EQ(with.link_load_mean, without.link_load_mean);
  EXPECT_EQ(with.link_load_bound, without.link_load_bound);
  EXPECT_EQ(with.timed_load_bound, without.timed_load_bound);
  EXPECT_EQ(with.matchings, without.matchings);
  EXPECT_DOUBLE_EQ(with.alltoall, without.alltoall);
  EXPECT_DOUBLE_EQ(with.alltoall_bound.value(), without.alltoall_bound.value());
  ASSERT_TRUE(with.shifts && without.shifts);
  EXPECT_EQ(with.shifts->mean, without.shifts->mean);
  EXPECT_EQ(with.shifts->worst, without.shifts->worst);
  EXPECT_EQ(with.permutation_flows, without.permutation_flows);
  EXPECT_EQ(network_of(fabric, routes.lfts)->host_count(), plain.hosts().size());
}

/// Endports are in the order of GUIDs, so the last host follows aggregation nodes.
TEST_P(Aggregation, NodesHaveNoChannelInTheNetworkOfHosts) {
  const Fabric fabric = with_aggregation_nodes(fabric_of(GetParam()), 1);
  const RoutedNetwork network = *network_of(fabric, routed_by("minhop", fabric).lfts);
  const auto channels = channels_by_port(fabric, network);
  for (const Endport& endport : fabric.endports().subspan(fabric.switch_count())) {
    const Node& node = fabric.node(endport.node);
    const std::uint32_t channel = channels[endport.port.value()];
    if (node.device_id == kAggregationDevice)
      EXPECT_EQ(channel, RoutedNetwork::kNone);
    else
      EXPECT_EQ(network.node(network.channel(channel).from).guid, node.node_guid);
  }
}

/// Engines of dragonflies+ distinguish leaves and spines, and must not take spines with an
/// aggregation node for leaves.
TEST(AggregationOnDragonflyPlus, SpinesAreNoLeaves) {
  for (const char* spec : {"dragonflyplus:leaves=2,spines=2,h=2,hosts=2",
                           "dragonflyplus:leaves=3,spines=3,h=1,hosts=2",
                           "dragonflyplus:leaves=4,spines=4,h=2,hosts=2,fail=2,seed=3"}) {
    SCOPED_TRACE(spec);
    const Fabric plain = with_lids(fabric_of(spec));
    const Fabric fabric = with_aggregation_nodes(plain);
    EXPECT_EQ(leaf_switches(fabric), leaf_switches(plain));
    EXPECT_EQ(upward_channels(fabric), upward_channels(plain));
    for (const AsymmetricFlow where : {AsymmetricFlow::kLeaves, AsymmetricFlow::kAll})
      EXPECT_EQ(switches_with_division(where, fabric), switches_with_division(where, plain));
    for (const char* engine : {"dfp", "ar_dfp", "dfp2", "hoplanes"}) {
      const Routes routes = routed_by(engine, fabric);
      const Routes of_hosts = routed_by(engine, plain);
      const Verdict verdict = verify(fabric, routes);
      EXPECT_TRUE(verdict.ok()) << engine << " " << describe_cycle(fabric, verdict.credit_loop);
      EXPECT_TRUE(verdict.ca_to_switch.all()) << engine;
      if (!of_hosts.adaptive) continue;
      EXPECT_EQ(routes.adaptive->table_count(), of_hosts.adaptive->table_count())
          << engine << " " << fmt::format("{}", fmt::join(routes.notes, "; "));
    }
  }
}

TEST(AggregationOnly, SwitchesWithAnAggregationNodeAreLeavesIfThereAreNoOtherHosts) {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0);
  tiny.builder().node(2).device_id = kAggregationDevice;
  EXPECT_EQ(leaf_switches(tiny.build()), (std::vector<bool>{true, false}));
}

// S0 and S1 under S2 and S3, which are cabled to each other, so that the fabric is no tree. If the
// two aggregation nodes at S3 counted as senders, S0 would send to both hosts at S1 over S2.
TEST(AggregationBalance, NodesDoNotCountAsSenders) {
  Tiny tiny(4);
  tiny.link(0, 2).link(0, 3).link(1, 2).link(1, 3).link(2, 3).hosts(0).hosts(1, 2).hosts(3, 2);
  for (const std::uint32_t node : {7u, 8u})
    tiny.builder().node(node).device_id = kAggregationDevice;
  const Fabric fabric = tiny.build();
  const auto port_of = [&](const Routes& routes, unsigned host) {
    return routes.lfts.port(kS0, fabric.endport(host_at(fabric, kS1, host)).lid);
  };
  const Routes routes = routed_by("minhop", fabric);
  EXPECT_NE(port_of(routes, 0), port_of(routes, 1));
  const Routes ignoring = routed_by("minhop", fabric, {.ignored = {host_at(fabric, kS3, 0)}});
  EXPECT_NE(port_of(ignoring, 0), port_of(ignoring, 1));
}

/// In the second fabric, if nue did not count pairs of aggregation nodes, 2.4 % of all pairs would
/// have a detour.
TEST(AggregationByNue, NodesCauseFewDetoursAndKeepTheBalanceOfHosts) {
  const struct {
    const char* spec;
    double share_most;  // limit of the share of pairs with a detour
  } cases[] = {{"fattree2:k=8", 0}, {"fattree3:k=12,fail=8,seed=2", 0.016}};
  for (const auto& [spec, share_most] : cases) {
    const Fabric fabric = with_aggregation_nodes(fabric_of(spec));
    const Quality quality = assess(fabric, routed_by("nue", fabric));
    const auto hosts = static_cast<double>(fabric.hosts().size());
    EXPECT_LE(static_cast<double>(quality.nonminimal), share_most * hosts * (hosts - 1)) << spec;
    EXPECT_GE(quality.ebb, 0.85 * assess(fabric, routed_by("minhop", fabric)).ebb) << spec;
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
