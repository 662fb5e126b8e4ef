// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// -R auto and single engines on fabrics of machine-learning clusters: hosts with several adapters,
// networks that no cables join, and graphs of diameter two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "congestion/quality/quality.h"
#include "congestion/simulate.h"
#include "fabric/formats/read.h"
#include "policy/route_chain.h"
#include "support/fabric_of.h"

namespace weft {
namespace {

using testing::HasSubstr;

ChainResult routed_by(const Fabric& fabric, const std::string& engines) {
  const auto choice = parse_engine_choice(engines);
  EXPECT_TRUE(choice);
  return route_by_chain(fabric, *choice, {}, VerifyMode::kEnforce);
}

TEST(RailFabrics, AutoRoutesAreFreeOfDeadlockAndLoops) {
  for (const char* spec :
       {"rail:su=2,servers=4,nics=4,k=8", "rail:su=4,servers=4,nics=4,k=8,pods=4",
        "rail:su=3,servers=4,nics=2,k=16,blocking=2:1,planes=2",
        "railonly:su=2,servers=4,nics=4,k=8", "railonly:su=1,servers=8,nics=4,k=8",
        "multiplane:planes=2,k=4", "superpod-h100:su=1", "superpod-b300:su=1",
        "hammingmesh:a=2,b=2,x=3,y=3", "hammingmesh:a=1,b=1,x=3,y=2,k=4", "polarfly:q=5,hosts=3",
        "polarfly:q=4,hosts=2", "jellyfish:n=20,k=12,seed=3", "slimfly:q=5,hosts=4",
        "dragonflyplus:k=6"}) {
    const Fabric fabric = fabric_of(spec);
    const ChainResult chosen = routed_by(fabric, "auto,no_fallback");
    ASSERT_TRUE(chosen.status) << spec << ' ' << chosen.status.error().message;
    EXPECT_TRUE(chosen.verdict.ok()) << spec;
    EXPECT_GT(chosen.verdict.ca_to_ca.arrived, 0u) << spec;
    EXPECT_EQ(chosen.verdict.ca_to_ca.cut_off, 0u) << spec;
  }
}

TEST(RailFabrics, AutoRecognizesRailsAsTrees) {
  for (const char* spec : {"rail:su=2,servers=8,nics=8,k=16", "superpod-h100:su=2"}) {
    const ChainResult chosen = routed_by(fabric_of(spec), "auto");
    ASSERT_TRUE(chosen.status) << spec;
    EXPECT_EQ(chosen.routes.engine, "ftree") << spec;
    EXPECT_THAT(chosen.choice, HasSubstr("a tree of 2 levels")) << spec;
  }
}

/// No cable joins the rails, and each host has a port on each rail.
TEST(RailFabrics, SeparateRailsAreConnectedByTheirHosts) {
  for (const char* engine : {"minhop", "updn", "ftree", "dfsssp", "lash", "nue"}) {
    const Fabric fabric = fabric_of("railonly:su=2,servers=4,nics=3,k=8");
    const ChainResult routed = routed_by(fabric, std::string(engine) + ",no_fallback");
    ASSERT_TRUE(routed.status) << engine;
    EXPECT_EQ(routed.verdict.ca_to_ca.pairs, 3u * 8u * 7u) << engine;
    EXPECT_TRUE(routed.verdict.ok()) << engine;
    EXPECT_EQ(routed.parts.size(), 3u) << engine;
  }
}

/// The ports of a host count as one host. A rail of a single switch has full bisection bandwidth.
TEST(RailFabrics, PermutationsAreBetweenHostsNotPorts) {
  const Fabric fabric = fabric_of("railonly:su=1,servers=8,nics=4,k=8");
  const ChainResult routed = routed_by(fabric, "minhop");
  ASSERT_TRUE(routed.status);
  const Quality quality = assess(fabric, routed.routes, {.shifts = true});
  EXPECT_DOUBLE_EQ(quality.ebb, 1.0);
  ASSERT_TRUE(quality.shifts);
  EXPECT_EQ(quality.shifts->measured, 7u) << "the shifts must be those of 8 hosts, not of 32 ports";
  EXPECT_DOUBLE_EQ(quality.shifts->worst, 1.0);
}

/// In a bisection of 8 hosts, 4 hosts send from each of their 4 ports: 16 messages without
/// congestion.
TEST(RailFabrics, SimulatedPatternsAreBetweenHosts) {
  const Fabric fabric = fabric_of("railonly:su=1,servers=8,nics=4,k=8");
  const ChainResult routed = routed_by(fabric, "minhop");
  ASSERT_TRUE(routed.status);
  const auto network = network_of(fabric, routed.routes.lfts);
  ASSERT_TRUE(network);
  StudySpec spec;
  spec.pattern.name = "bisect";
  const auto study = make_study(*network, spec);
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->pattern.ranks, 8u);
  const Tally tally = run_simulation(*network, *study, 0, 10, {.threads = 2});
  EXPECT_EQ(tally.dropped, 0u);
  EXPECT_EQ(tally.connections, 10u * 4u * 4u);
  for (const RunResult& run : tally.results) EXPECT_DOUBLE_EQ(run.bandwidth, 1.0);
  spec.ranks = 9;
  EXPECT_THAT(make_study(*network, spec).error().message,
              HasSubstr("--commsize: found 9, expected at most the 8 hosts of the network"));
  // The serialized network for other processes has the hosts too.
  const auto again = RoutedNetwork::from_bytes(network->to_bytes());
  ASSERT_TRUE(again);
  spec.ranks = 0;
  EXPECT_EQ(make_study(*again, spec)->pattern.ranks, 8u);
}

/// With ftree every shift permutation of the hosts of a non-blocking rail fabric has full
/// bandwidth. No engine loads a cable more than shortest paths require.
TEST(RailFabrics, EnginesBalanceTheRails) {
  const Fabric fabric = fabric_of("rail:su=4,servers=8,nics=4,k=16");
  for (const char* engine : {"minhop", "updn", "dnup", "ftree", "dfsssp", "sssp", "lash", "nue"}) {
    const ChainResult routed = routed_by(fabric, std::string(engine) + ",no_fallback");
    ASSERT_TRUE(routed.status) << engine;
    const Quality quality = assess(fabric, routed.routes, {.bound = true, .shifts = true});
    ASSERT_TRUE(quality.link_load_bound) << engine;
    EXPECT_EQ(quality.link_load_max, *quality.link_load_bound) << engine;
    EXPECT_EQ(quality.nonminimal, 0u) << engine;
    if (std::string(engine) == "ftree") {
      EXPECT_DOUBLE_EQ(quality.shifts->worst, 1.0);
    }
  }
}

/// Two switches without a cable between them; `hosts` are pairs of a description and a switch.
Fabric two_planes(const std::vector<std::pair<std::string, int>>& hosts) {
  std::string text =
      "<graphml><key id=\"t\" attr.name=\"type\"/><key id=\"l\" attr.name=\"label\"/>"
      "<graph edgedefault=\"undirected\"><node id=\"0\"/><node id=\"1\"/>\n";
  for (std::size_t i = 0; i < hosts.size(); ++i)
    text += fmt::format(
        "<node id=\"h{0}\"><data key=\"t\">host</data><data key=\"l\">{1}</data></node>"
        "<edge source=\"{2}\" target=\"h{0}\"/>\n",
        i, hosts[i].first, hosts[i].second);
  auto read = read_fabric_text(text + "</graph></graphml>\n", "planes");
  EXPECT_TRUE(read) << read.error().message;
  return with_lids(read->fabric);
}

TEST(RailFabrics, HostsInDifferentPlanesAreNotConnected) {
  const Fabric joined = two_planes(
      {{"a mlx5_0", 0}, {"a mlx5_1", 1}, {"b mlx5_0", 0}, {"b mlx5_1", 1}, {"c mlx5_0", 0}});
  const ChainResult good = routed_by(joined, "minhop,no_fallback");
  ASSERT_TRUE(good.status);
  EXPECT_TRUE(good.verdict.ok());
  EXPECT_EQ(good.verdict.ca_to_ca.pairs, 3u * 2u + 2u * 1u)
      << "pairs must be those of three ports in one plane and two ports in the other plane";
  // Hosts c and d have no plane in common.
  const Fabric apart =
      two_planes({{"a mlx5_0", 0}, {"a mlx5_1", 1}, {"c mlx5_0", 0}, {"d mlx5_1", 1}});
  const ChainResult bad = routed_by(apart, "minhop,no_fallback");
  EXPECT_EQ(bad.verdict.ca_to_ca.cut_off, 2u);
  EXPECT_FALSE(bad.verdict.ok());
  // Two adapters with the same number in the description do not count as one host.
  const Fabric doubtful =
      two_planes({{"a mlx5_0", 0}, {"a mlx5_0", 1}, {"b mlx5_0", 0}, {"b mlx5_0", 1}});
  EXPECT_EQ(routed_by(doubtful, "minhop,no_fallback").verdict.ca_to_ca.cut_off, 8u);
}

}  // namespace
}  // namespace weft
