// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routed networks: read from graphs in the format of ORCS, built from fabrics, and serialized.
#include "congestion/routed_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "congestion/dot_echo.h"
#include "congestion/metrics.h"
#include "routes/dump/dot.h"
#include "routing/minhop.h"
#include "support/errors.h"
#include "support/fabrics.h"
#include "support/tiny.h"
#include "unit/congestion/networks.h"

namespace weft {
namespace {

std::uint32_t host(const RoutedNetwork& network, const std::string& name) {
  for (std::uint32_t h = 0; h < network.host_count(); ++h)
    if (network.node(network.node_of_host(h)).name == name) return h;
  ADD_FAILURE() << "no host " << name;
  return 0;
}

/// The nodes of a path, such as "H1 S1 H2". If the path does not reach the host, also the reason.
std::string route(const RoutedNetwork& network, const std::string& from, const std::string& to) {
  std::vector<std::uint32_t> channels;
  const NetWalk walk = network.walk(host(network, from), host(network, to), 0, channels);
  std::string text = from;
  for (const std::uint32_t c : channels)
    text += " " + network.node(network.channel_heads()[c]).name;
  if (walk.end == NetWalkEnd::kLoop) text += ": loop at " + network.node(walk.at).name;
  if (walk.end == NetWalkEnd::kUnrouted) text += ": no route at " + network.node(walk.at).name;
  return text;
}

// Listing 1 of the ORCS report, with the hosts of S11 and S12 that the listing omits.
const std::string kReport = R"(digraph network {
  "S1" -> "H1" [ comment = "H1" ];
  "S1" -> "H2" [ comment = "H2" ];
  "S1" -> "H3" [ comment = "H3" ];
  "S1" -> "H4" [ comment = "H4" ];
  "H1" -> "S1" [ comment = "*" ];
  "H2" -> "S1" [ comment = "*" ];
  "H3" -> "S1" [ comment = "*" ];
  "H4" -> "S1" [ comment = "*" ];
  "S1" -> "S11" [ comment = "H5" ];
  "S1" -> "S11" [ comment = "H6" ];
  "S1" -> "S12" [ comment = "H7" ];
  "S1" -> "S12" [ comment = "H8" ];
  "S11" -> "S1" [ comment = "H1, H2" ];
  "S11" -> "S1" [ comment = "H3, H4" ];
  "S12" -> "S1" [ comment = "H1, H2" ];
  "S12" -> "S1" [ comment = "H3, H4" ];
  "S11" -> "S1" [ comment = "H7,H8" ];
  "S12" -> "S1" [ comment = "H5	H6" ];
  "S11" -> "H5" [ comment = "H5" ]; "H5" -> "S11" [ comment = "*" ];
  "S11" -> "H6" [ comment = "H6" ]; "H6" -> "S11" [ comment = "*" ];
  "S12" -> "H7" [ comment = "H7" ]; "H7" -> "S12" [ comment = "*" ];
  "S12" -> "H8" [ comment = "H8" ]; "H8" -> "S12" [ comment = "*" ];
})";

TEST(RoutedDot, ReadsTheListingOfTheOrcsReport) {
  std::string warning;
  const auto network = read_graph(kReport, &warning);
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(warning, "");
  EXPECT_EQ(network->host_count(), 8u);
  EXPECT_EQ(network->node_count(), 11u);
  EXPECT_EQ(network->channel_count(), 26u);
  EXPECT_EQ(network->node(network->first_node()).name, "S1");
  EXPECT_EQ(route(*network, "H1", "H3"), "H1 S1 H3");
  EXPECT_EQ(route(*network, "H5", "H8"), "H5 S11 S1 S12 H8");
  EXPECT_EQ(route(*network, "H7", "H6"), "H7 S12 S1 S11 H6");
  // From S1 to S11, the paths to H5 and H6 use different cables. In the other direction, the paths
  // to H1 and H2 use the same cable.
  std::vector<std::uint32_t> a, b;
  network->walk(host(*network, "H1"), host(*network, "H5"), 0, a);
  network->walk(host(*network, "H1"), host(*network, "H6"), 0, b);
  EXPECT_NE(a[1], b[1]);
  network->walk(host(*network, "H5"), host(*network, "H1"), 0, a);
  network->walk(host(*network, "H6"), host(*network, "H2"), 0, b);
  EXPECT_EQ(a[1], b[1]);
}

TEST(RoutedDot, UsesTheFirstEdgeThatListsTheDestination) {
  const RoutedNetwork network = graph(R"(digraph g {
    H1 -> S1 [comment="H2"]; H1 -> S2 [comment="*"]; H2 -> S2 [comment="*"]; H3 -> S2 [comment="*"];
    S1 -> S2 [comment="H3 H2"]; S1 -> H2 [comment="H2, *"]; S1 -> H1 [comment="*"];
    S2 -> H1 [comment="H1"]; S2 -> H2 [comment="H2"]; S2 -> H3 [comment="*"]; S2 -> H1 [comment="H3"];
  })");
  EXPECT_EQ(route(network, "H1", "H2"), "H1 S1 S2 H2");
  EXPECT_EQ(route(network, "H1", "H3"), "H1 S2 H3");
  EXPECT_EQ(route(network, "H2", "H1"), "H2 S2 H1");
}

const std::string kBroken = R"(digraph g {
  H1 -> S1 [comment="*"]; H2 -> S2 [comment="*"]; H3 -> S3 [comment="*"]; H4 -> S3;
  S1 -> S2 [comment="H2 H3 H4"]; S2 -> S1 [comment="H1 H3"]; S2 -> S3 [comment="H4"];
  S1 -> H1 [comment="H1"]; S2 -> H2 [comment="H2"]; S3 -> H4 [comment="H4"]; S3 -> S2 [comment="H1"];
})";

TEST(RoutedDot, WalksEndAtLoopsAndMissingEdges) {
  const RoutedNetwork network = graph(kBroken);
  EXPECT_EQ(route(network, "H1", "H4"), "H1 S1 S2 S3 H4");
  EXPECT_THAT(route(network, "H1", "H3"), testing::HasSubstr(": loop at S1"));
  EXPECT_EQ(route(network, "H3", "H2"), "H3 S3: no route at S3");
  EXPECT_EQ(route(network, "H4", "H1"), "H4: no route at H4");
}

TEST(RoutedDot, DropsAndReportsFailedRoutes) {
  const RoutedNetwork network = graph(kBroken);
  StudySpec spec = study_of("gather");
  spec.shuffle = false;
  spec.measures.channels = true;
  const auto study = make_study(network, spec);
  ASSERT_TRUE(study);
  // All hosts send to the first host in breadth-first order, which is H1.
  EXPECT_EQ(network.node(network.node_of_host(study->hosts[0])).name, "H1");
  const Tally tally = run_simulation(network, *study, 0, 2, {.threads = 1});
  EXPECT_EQ(tally.connections, 4u);  // messages of H2 and H3 in two runs
  EXPECT_EQ(tally.dropped, 2u);
  ASSERT_EQ(tally.failures.size(), 2u);
  EXPECT_EQ(describe(network, tally.failures[1]),
            R"(run 1, level 0: "H4" to "H1": no next hop at "H4")");
  EXPECT_EQ(tally.weights, (std::map<Ticks, WeightBin>{{2, {4, 4}}}));

  spec = study_of("scatter");
  spec.shuffle = false;
  const Tally scattered = simulated(network, spec, 1);
  EXPECT_EQ(scattered.dropped, 1u);
  EXPECT_EQ(describe(network, scattered.failures.at(0)),
            R"(run 0, level 0: "H1" to "H3": forwarding loop at "S1")");
  // Messages in the loop do not count.
  EXPECT_EQ(scattered.weights, (std::map<Ticks, WeightBin>{{2, {2, 2}}}));
}

TEST(RoutedDot, ReportsErrorsWithTheirPosition) {
  const auto error = [](const std::string& text) { return error_of(read_graph(text)); };
  EXPECT_EQ(
      error("digraph g { S1 -> S2 [comment=\"S2\"]; }"),
      "g.dot: found no host, expected at least one (a graph's hosts are the nodes with names that "
      "begin with H)");
  EXPECT_THAT(error("graph g { H1 -- S1 [comment=\"*\"]; }"),
              testing::HasSubstr("expected a digraph"));
  EXPECT_THAT(error("digraph g { }"), testing::HasSubstr("no node"));
  EXPECT_THAT(error("digraph g { H1 -> S1; }"), testing::HasSubstr("holds no routes"));
  EXPECT_THAT(error("digraph g {\n H1 -> [ ]; }"), testing::StartsWith("g.dot:2:8: "));
  EXPECT_THAT(read_graph("digraph g {\n H1 -> S1 [comment=\"*"), HasError("g.dot", 2, ""));
}

TEST(RoutedDot, WarnsOfDestinationsThatAreNoNodes) {
  std::string warning;
  read_graph("digraph g { H1 -> S1 [comment=\"*\"]; S1 -> H1 [comment=\"H1 H7 H8 S1 H1:2\"]; }",
             &warning);
  EXPECT_EQ(warning,
            "g.dot: comments list 2 destinations that are no nodes of the graph, the first is "
            "'H7': left out\n");
}

// A switch may have more than 255 edges.
TEST(RoutedDot, AcceptsAnyNumberOfEdgesOfASwitch) {
  std::string text = "digraph g {\n";
  for (int i = 0; i < 300; ++i)
    text += fmt::format("S -> H{0} [comment=\"H{0}\"]; H{0} -> S [comment=\"*\"];\n", i);
  const RoutedNetwork network = graph(text + "}");
  EXPECT_TRUE(network.narrow_table().empty());
  EXPECT_EQ(route(network, "H7", "H299"), "H7 S H299");
  const Tally tally = simulated(network, study_of("bisect"), 5);
  EXPECT_EQ(tally.weights, (std::map<Ticks, WeightBin>{{1, {750, 750}}}));
  EXPECT_EQ(*RoutedNetwork::from_bytes(network.to_bytes()), network);
}

TEST(RoutedDot, IsWrittenAgainWithTheCongestionOfEachEdge) {
  DotEcho echo;
  const auto network = read_graph(R"(digraph g {
    "H1" [label="say \"a\"", color=blue]; H1 -> "S1":3 [comment="*", color="red"];
    S1 -> H1 [comment="H1"]; H2 -> S1 [comment="*"]; H3 -> S1 [comment="*"];
    S1 -> H2 [comment="H2"]; S1 -> H3 [comment="H3"];
  })",
                                  nullptr, &echo);
  ASSERT_TRUE(network);
  StudySpec spec = study_of("gather");
  spec.shuffle = false;
  spec.measures.channels = true;
  const Tally tally = simulated(*network, spec, 3);
  const std::uint64_t largest = largest_channel_sum(tally);
  EXPECT_EQ(largest, 6u);
  std::string text;
  echo.write([&](std::uint32_t channel) { return cable_attributes(tally, channel, largest); },
             [&](std::string_view piece) { text += piece; });
  EXPECT_EQ(text, R"(digraph network {
	"H1" ["label"="say \"a\""];
	"H1" -> "S1":"3" ["comment"="*", congestion="0.000000", color="0.400000 0.9 0.9"];
	"S1" -> "H1" ["comment"="H1", congestion="1.000000", color="0.000000 0.9 0.9"];
	"H2" -> "S1" ["comment"="*", congestion="0.500000", color="0.200000 0.9 0.9"];
	"H3" -> "S1" ["comment"="*", congestion="0.500000", color="0.200000 0.9 0.9"];
	"S1" -> "H2" ["comment"="H2", congestion="0.000000", color="0.400000 0.9 0.9"];
	"S1" -> "H3" ["comment"="H3", congestion="0.000000", color="0.400000 0.9 0.9"];
}
)");
  EXPECT_TRUE(read_graph(text));
}

class NetworkOfSpecs : public testing::TestWithParam<const char*> {};

/// Studies are equal for the routes of a fabric, and for these routes written as a graph and read
/// again.
TEST_P(NetworkOfSpecs, StudiesOfFabricAndWrittenGraphAreEqual) {
  const Fabric fabric = fabric_of(GetParam());
  const auto routes = route_minhop(fabric, {});
  ASSERT_TRUE(routes);
  const auto direct = network_of(fabric, routes->lfts);
  ASSERT_TRUE(direct);
  std::string text;
  write_dot_routes(fabric, *routes, [&](std::string_view piece) { text += piece; });
  std::string warning;
  const auto read_again = read_graph(text, &warning);
  ASSERT_TRUE(read_again) << read_again.error().message;
  EXPECT_EQ(warning, "");
  ASSERT_EQ(read_again->host_count(), direct->host_count());
  std::vector<std::uint32_t> a, b;
  for (std::uint32_t from = 0; from < direct->host_count(); ++from)
    for (std::uint32_t to = 0; to < direct->host_count(); ++to) {
      ASSERT_EQ(direct->walk(from, to, 0, a).end, NetWalkEnd::kArrived);
      ASSERT_EQ(read_again->walk(from, to, 0, b).end, NetWalkEnd::kArrived);
      const auto ends = [](const RoutedNetwork& network, const std::vector<std::uint32_t>& route) {
        std::string all;
        for (const std::uint32_t c : route)
          all += fmt::format("{}:{} ", network.node(network.channel(c).from).name,
                             network.channel(c).from_port);
        return all;
      };
      ASSERT_EQ(ends(*direct, a), ends(*read_again, b));
    }
  StudySpec spec = study_of("rand");
  spec.subset.kind = Subset::kGuidAscending;
  EXPECT_EQ(simulated(*direct, spec, 20).weights, simulated(*read_again, spec, 20).weights);
}

/// Compares paths with the forwarding tables hop by hop.
TEST_P(NetworkOfSpecs, FollowsTheForwardingTables) {
  const Fabric fabric = fabric_of(GetParam());
  const auto routes = route_minhop(fabric, {});
  const RoutedNetwork network = *network_of(fabric, routes->lfts);
  std::vector<std::uint32_t> hosts;  // endports in the order of the hosts
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e) hosts.push_back(e);
  ASSERT_EQ(hosts.size(), network.host_count());
  std::vector<std::uint32_t> channels;
  for (std::uint32_t from = 0; from < hosts.size(); ++from)
    for (std::uint32_t to = 0; to < hosts.size(); ++to) {
      if (from == to) continue;
      network.walk(from, to, 0, channels);
      const Endport& target = fabric.endport(EndportId(hosts[to]));
      SwitchId at = fabric.endport(EndportId(hosts[from])).sw;
      for (std::size_t i = 1; i < channels.size(); ++i) {
        const NetChannel& channel = network.channel(channels[i]);
        ASSERT_EQ(network.node(channel.from).guid, fabric.node(at).node_guid);
        ASSERT_EQ(channel.from_port, routes->lfts.port(at, target.lid).value());
        if (i + 1 < channels.size())
          at = fabric.channel(fabric.channel_at(at, PortNum(channel.from_port))).to;
      }
      ASSERT_EQ(at, target.sw);
    }
}

TEST_P(NetworkOfSpecs, IsEqualAfterSerialization) {
  const RoutedNetwork network = routed(fabric_of(GetParam()));
  const auto bytes = network.to_bytes();
  const auto decoded = RoutedNetwork::from_bytes(bytes);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, network);
  EXPECT_EQ(simulated(*decoded, study_of("rand"), 5), simulated(network, study_of("rand"), 5));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{7}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_FALSE(RoutedNetwork::from_bytes(std::span(bytes).first(size)));
}

INSTANTIATE_TEST_SUITE_P(Small, NetworkOfSpecs, testing::ValuesIn(kSmallSpecs));

}  // namespace
}  // namespace weft
