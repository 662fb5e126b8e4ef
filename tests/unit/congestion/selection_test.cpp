// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Selection of the hosts that take part in a study, and their order.
#include "congestion/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "support/temp_dir.h"
#include "unit/congestion/networks.h"

namespace weft {
namespace {

// Hc on S1, Ha on S2, Hb and H1f on S3; S1 is cabled to S2 and S3. The graph names S1 S2 S3 Hb Ha
// Hc H1f in this order. Hd on S9 is not connected to the other nodes.
const std::string kGraph = R"(digraph g {
  S1 -> S2 [comment="Ha"]; S1 -> S3 [comment="Hb H1f"]; S3 -> Hb [comment="Hb"];
  S2 -> Ha [comment="Ha"]; S1 -> Hc [comment="Hc"]; S3 -> H1f [comment="H1f"];
  Ha -> S2 [comment="*"]; Hb -> S3 [comment="*"]; Hc -> S1 [comment="*"]; H1f -> S3 [comment="*"];
  S2 -> S1 [comment="*"]; S3 -> S1 [comment="*"]; Hd -> S9 [comment="*"]; S9 -> Hd [comment="Hd"];
})";

std::string chosen(const std::string& subset, std::uint32_t size = 0, std::uint64_t seed = 0) {
  const RoutedNetwork network = graph(kGraph);
  const auto spec = parse_subset(subset);
  if (!spec) return spec.error().message;
  const auto hosts = choose_hosts(network, *spec, size, Rng(seed));
  if (!hosts) return hosts.error().message;
  std::string text;
  for (const std::uint32_t host : *hosts)
    text += network.node(network.node_of_host(host)).name + " ";
  return text;
}

TEST(Selection, LinearBfsOrdersHostsByDistanceFromTheFirstNode) {
  // Neighbors of S1: S2, S3, Hc. Then the host of S2 (Ha), the hosts of S3 (Hb, H1f), and last the
  // host that is not connected.
  EXPECT_EQ(chosen("linear_bfs"), "Hc Ha Hb H1f Hd ");
  EXPECT_EQ(chosen("linear_bfs", 3), "Hc Ha Hb ");
}

TEST(Selection, SortsHostsByTheGuidInTheName) {
  EXPECT_EQ(chosen("guid_asc"), "Ha Hb Hc Hd H1f ");
  EXPECT_EQ(chosen("guid_desc", 2), "H1f Hd ");
}

TEST(Selection, RandomOrderDependsOnTheSeed) {
  EXPECT_EQ(chosen("rand", 0, 1), chosen("rand", 0, 1));
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) seen.insert(chosen("rand", 2, seed));
  EXPECT_EQ(seen.size(), 20u);  // all ordered pairs of five hosts
}

TEST(Selection, ReadsNamesLabelsAndGuidsFromAFile) {
  const TempDir dir;
  const auto listed = [&](const std::string& text, std::uint32_t size = 0) {
    EXPECT_TRUE(write_file(dir / "f", text));
    std::string answer = chosen("file:" + (dir / "f"), size);
    if (const std::size_t at = answer.find(dir / "f"); at == 0)
      answer.erase(0, (dir / "f").size() - 1);
    return answer;
  };
  EXPECT_EQ(listed("# order\nHb\n\n  H1f # last\n0xa\n"), "Hb H1f Ha ");
  EXPECT_EQ(listed("Hb\nHa\n", 1), "Hb ");
  EXPECT_EQ(listed("Hb\nHb\n"), "f: host 'Hb' is listed twice");
  EXPECT_EQ(listed("Hz\n"), "f: found 'Hz', expected the name, label or GUID of a host");
  EXPECT_THAT(listed("# none\n"), testing::HasSubstr("lists no host"));
  EXPECT_THAT(listed("Hb\n", 2), testing::HasSubstr("found 2, expected at most the 1 hosts of"));
}

TEST(Selection, ReportsInvalidWordsAndSizes) {
  EXPECT_EQ(
      chosen("random"),
      "--subset: found 'random', expected rand, linear_bfs, guid_asc, guid_desc or file:PATH");
  EXPECT_EQ(chosen("rand", 6), "--commsize: found 6, expected at most the 5 hosts of the network");
  EXPECT_THAT(chosen("file:/no/such"), testing::HasSubstr("/no/such"));
  const RoutedNetwork network =
      graph("digraph g { Hx -> S [comment=\"*\"]; S -> Hx [comment=\"Hx\"]; }");
  EXPECT_THAT(choose_hosts(network, {Subset::kGuidAscending, {}, {}}, 0, Rng(0)).error().message,
              testing::HasSubstr("host \"Hx\" has no GUID in its name"));
}

}  // namespace
}  // namespace weft
