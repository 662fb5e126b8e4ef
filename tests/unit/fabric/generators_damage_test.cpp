// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dead=N removes exactly N switches with the hosts and cables of these switches, fail=N exactly N
// cables between the remaining switches. The seed selects the switches and cables.
#include <algorithm>
#include <array>
#include <set>

#include "support/errors.h"
#include "unit/fabric/graphs.h"

namespace weft {
namespace {

/// A cable, identified by the sorted GUIDs and ports of its ends, which other damage does not
/// change.
using CableEnds = std::array<std::uint64_t, 4>;

std::set<CableEnds> cables_of(const Fabric& fabric) {
  std::set<CableEnds> cables;
  for (NodeId node(0); node.value() < fabric.node_count(); node = NodeId(node.value() + 1))
    for (const Port& port : fabric.ports(node)) {
      if (port.peer == kNoPort) continue;
      const Port& peer = fabric.port(port.peer);
      const std::uint64_t here = fabric.node(node).node_guid.value();
      const std::uint64_t there = fabric.node(peer.node).node_guid.value();
      if (here < there) cables.insert({here, port.num.value(), there, peer.num.value()});
    }
  return cables;
}

std::set<std::uint64_t> nodes_of(const Fabric& fabric) {
  std::set<std::uint64_t> guids;
  for (const Node& node : fabric.nodes()) guids.insert(node.node_guid.value());
  return guids;
}

/// Expects that the damage is exactly `dead` missing switches with their hosts, and `failed`
/// missing cables between the remaining switches.
void expect_exact_damage(const std::string& shape, unsigned dead, unsigned failed,
                         const std::string& rest) {
  const std::string spec = fmt::format("{},dead={},fail={}{}", shape, dead, failed, rest);
  SCOPED_TRACE(spec);
  const Fabric whole = fabric_without_lids(shape);
  const Fabric broken = fabric_without_lids(spec);
  EXPECT_EQ(broken.switch_count(), whole.switch_count() - dead);
  const auto left = nodes_of(broken);
  std::set<CableEnds> expected;  // cables of the remaining nodes, before `fail` removes some
  unsigned hosts_of_remaining_switches = 0;
  for (const CableEnds& cable : cables_of(whole)) {
    const bool to_host = cable[2] >> 52 == 2;
    const bool remains = left.contains(cable[0]) && (to_host || left.contains(cable[2]));
    if (remains) expected.insert(cable);
    if (remains && to_host) ++hosts_of_remaining_switches;
  }
  EXPECT_EQ(broken.ca_count(), hosts_of_remaining_switches);
  const auto found = cables_of(broken);
  EXPECT_TRUE(std::ranges::includes(expected, found));
  EXPECT_EQ(found.size(), expected.size() - failed);
  for (const CableEnds& cable : expected)
    if (!found.contains(cable)) {
      EXPECT_EQ(cable[2] >> 52, 1u) << "a cable to a host is missing";
    }
  for (const Node& node : broken.nodes()) {
    const Node& before = whole.node(*whole.find_node(node.node_guid));
    EXPECT_EQ(node.description, before.description);
    EXPECT_EQ(node.port_count, before.port_count);
  }
  EXPECT_EQ(text_of(broken), text_of(fabric_without_lids(spec)));
  if (rest.find("connected=0") == std::string::npos) {
    EXPECT_TRUE(is_connected(broken));
  }
}

TEST(GeneratorDamage, IsExactlyAsRequestedOnEveryShape) {
  for (const char* shape : {"fattree2:k=8", "fattree3:k=4", "xgft:m=4x4x4,w=1x2x4",
                            "torus:4x4,hosts=2", "mesh:4x5", "hypercube:n=4", "hyperx:3x4,hosts=2",
                            "dragonfly:a=4,h=2,p=2", "dragonflyplus:leaves=2,spines=2,h=2",
                            "slimfly:q=5", "kautz:b=2,n=2", "full:n=8", "random:n=32,degree=4"})
    for (const char* rest : {"", ",seed=1", ",seed=18446744073709551615", ",connected=0,seed=5"}) {
      if (std::string_view(shape).starts_with("random") && *rest != '\0') continue;
      expect_exact_damage(shape, 2, 3, rest);
      expect_exact_damage(shape, 0, 1, rest);
      expect_exact_damage(shape, 1, 0, rest);
    }
}

TEST(GeneratorDamage, RemovesAsMuchAsConnectivityPermits) {
  expect_exact_damage("torus:4x4", 0, 32 - 15, "");  // the remaining cables are a spanning tree
  expect_exact_damage("ring:n=6", 0, 1, "");
  expect_exact_damage("ring:n=6", 4, 0, "");
  expect_exact_damage("line:n=9", 8, 0, ",seed=3");
  expect_exact_damage("fattree3:k=4", 19, 0, "");
  expect_exact_damage("ring:n=6,trunks=2", 0, 12 - 5, ",seed=2");
  expect_exact_damage("ring:n=6", 0, 6, ",connected=0");
}

TEST(GeneratorDamage, DependsOnTheSeed) {
  std::set<std::string> texts;
  for (int seed = 0; seed < 20; ++seed)
    texts.insert(
        text_of(fabric_without_lids(fmt::format("torus:4x4,fail=2,dead=1,seed={}", seed))));
  EXPECT_GE(texts.size(), 18u);
}

TEST(GeneratorDamage, RejectionOfTooMuchDamageStatesTheMaximum) {
  const auto refusal = [](const char* spec) { return error_of(generate(spec)); };
  EXPECT_EQ(refusal("ring:n=4,fail=2"),
            "ring:n=4,fail=2: column 10: found fail=2, expected at most 1 of 4 cables: more would "
            "disconnect the fabric (connected=0 allows that)");
  EXPECT_EQ(
      refusal("ring:n=4,fail=5,connected=0"),
      "ring:n=4,fail=5,connected=0: column 10: found fail=5, expected at most the 4 cables that "
      "there are");
  EXPECT_EQ(
      refusal("ring:n=4,dead=4"),
      "ring:n=4,dead=4: column 10: found dead=4, expected less than the 4 switches that there "
      "are");
  EXPECT_EQ(refusal("full:n=1,fail=1"),
            "full:n=1,fail=1: column 10: found fail=1, expected at most 0 of 0 cables: more would "
            "disconnect the fabric (connected=0 allows that)");
  EXPECT_EQ(refusal("line:n=3,dead=1,fail=2,connected=0,seed=1").substr(0, 60),
            "line:n=3,dead=1,fail=2,connected=0,seed=1: column 17: found ");
}

}  // namespace
}  // namespace weft
