// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fabrics for hosts with several adapters: the leaf of each port of a host, the rails that share
// spines, and the sizes of published designs.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "base/text.h"
#include "unit/fabric/graphs.h"

namespace weft {
namespace {

/// Number of switches by the word at the end of their names: rail (leaves), leaf, spine, core.
std::map<std::string, unsigned> kinds_of(const Fabric& fabric) {
  std::map<std::string, unsigned> count;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    std::string word = fabric.node(SwitchId(s)).description;
    word = word.substr(word.rfind('-') + 1);
    ++count[word.substr(0, word.find_first_of("0123456789"))];
  }
  return count;
}

/// Number of hosts; the name of an adapter is the host, a space and the adapter.
std::size_t servers_of(const Fabric& fabric) {
  std::set<std::string> hosts;
  for (std::uint32_t n = fabric.switch_count(); n < fabric.node_count(); ++n)
    hosts.emplace(split_words(fabric.node(NodeId(n)).description).front());
  return hosts.size();
}

/// Number of connected parts of the fabric with switches.
std::size_t part_count(const Fabric& fabric) {
  std::set<std::vector<bool>> parts;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    std::vector<bool> part;
    for (const std::uint32_t hops : hops_from(fabric, s))
      part.push_back(hops < fabric.switch_count());
    parts.insert(part);
  }
  return parts.size();
}

/// Expects that all leaves have the same number of uplinks.
void expect_equal_uplinks(const Fabric& fabric, const std::string& spec) {
  std::set<std::size_t> uplinks;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (!fabric.endports_at(SwitchId(s)).empty())
      uplinks.insert(fabric.channels_from(SwitchId(s)).size());
  EXPECT_LE(uplinks.size(), 1u) << spec;
}

struct Design {
  std::string spec;
  std::size_t servers;
  std::uint32_t adapters;
  unsigned leaves, spines, cores;
};

/// The cases are DGX SuperPOD reference architectures with their numbers of nodes, GPUs, leaves,
/// spines and cores.
TEST(RailGenerators, SuperpodsHaveThePublishedSizes) {
  for (const auto& [spec, servers, adapters, leaves, spines, cores] :
       std::vector<Design>{{"superpod-h100:su=1", 31, 248, 8, 4, 0},
                           {"superpod-h100:su=2", 63, 504, 16, 8, 0},
                           {"superpod-h100:su=3", 95, 760, 24, 16, 0},
                           {"superpod-h100:su=4", 127, 1016, 32, 16, 0},
                           {"superpod-b200:su=2", 64, 512, 16, 8, 0},
                           {"superpod-b200:su=4", 128, 1024, 32, 16, 0},
                           {"superpod-b200:su=8", 256, 2048, 64, 32, 0},
                           {"superpod-b200:su=16", 512, 4096, 128, 128, 64},
                           {"superpod-b200:su=32", 1024, 8192, 256, 256, 128},
                           {"superpod-b200:su=64", 2048, 16384, 512, 512, 256},
                           {"superpod-b300:su=1", 64, 512, 16, 8, 0},
                           {"superpod-b300:su=2", 128, 1024, 32, 16, 0},
                           {"superpod-b300:su=4", 256, 2048, 64, 32, 0},
                           {"superpod-b300:su=8", 512, 4096, 128, 64, 0},
                           {"superpod-b300:su=16", 1024, 8192, 256, 128, 0},
                           {"superpod-b300-xdr:su=1", 72, 576, 8, 4, 0},
                           {"superpod-b300-xdr:su=2", 144, 1152, 16, 8, 0},
                           {"superpod-b300-xdr:su=4", 288, 2304, 32, 18, 0},
                           {"superpod-b300-xdr:su=8", 576, 4608, 64, 36, 0},
                           {"superpod-b300-xdr:su=18", 1296, 10368, 144, 72, 0}}) {
    const Fabric fabric = fabric_without_lids(spec);
    auto kinds = kinds_of(fabric);
    EXPECT_EQ(servers_of(fabric), servers) << spec;
    EXPECT_EQ(fabric.ca_count(), adapters) << spec;
    EXPECT_EQ(kinds["rail"], leaves) << spec;
    EXPECT_EQ(kinds["spine"], spines) << spec;
    EXPECT_EQ(kinds["core"], cores) << spec;
    EXPECT_EQ(fabric.switch_count(), leaves + spines + cores) << spec;
    const bool xdr = spec.find("xdr") != std::string::npos;
    EXPECT_EQ(fabric.ports(SwitchId(0))[1].speed, xdr ? LinkSpeed::kXdr : LinkSpeed::kNdr) << spec;
    EXPECT_EQ(fabric.node(SwitchId(0)).port_count, xdr ? 144 : 64) << spec;
    expect_equal_uplinks(fabric, spec);
    // The designs are non-blocking: each level has as many uplinks as leaves have ports for
    // adapters.
    const std::uint32_t places = leaves * (xdr ? 72 : 32);
    EXPECT_EQ(fabric.switch_link_count(), cores > 0 ? 2 * places : places) << spec;
  }
}

/// The design of the paper "Insights into DeepSeek-V3": switches of 64 ports, 8 planes.
TEST(RailGenerators, MultiplaneHasThePublishedSize) {
  const Fabric fabric = fabric_without_lids("multiplane:planes=8,k=64");
  EXPECT_EQ(fabric.endport_count() - fabric.switch_count(), 16'384u);
  EXPECT_EQ(fabric.switch_count(), 768u);
  EXPECT_EQ(fabric.switch_link_count(), 16'384u);
  EXPECT_EQ(servers_of(fabric), 2'048u);
  EXPECT_EQ(part_count(fabric_without_lids("multiplane:planes=3,k=4")), 3u);
  EXPECT_EQ(part_count(fabric_without_lids("multiplane:planes=2,k=8,leaves=1,hosts=8")), 2u);
}

/// A segment of Alibaba HPN: 128 servers with 8 adapters of 2 ports on 16 leaves of 128 ports.
TEST(RailGenerators, PlanesAreNotConnected) {
  const Fabric segment =
      fabric_without_lids("rail:su=1,servers=128,nics=8,planes=2,k=192,blocking=2:1");
  EXPECT_EQ(kinds_of(segment)["rail"], 16u);
  EXPECT_EQ(segment.ca_count(), 1'024u);
  EXPECT_EQ(segment.endport_count() - segment.switch_count(), 2'048u);
  EXPECT_EQ(part_count(segment), 2u);
}

/// Port 1 of adapter i of server n of unit s is on port n of the leaf of rail i and unit s.
TEST(RailGenerators, AdaptersAreOnTheLeavesOfTheRails) {
  const Fabric fabric = fabric_without_lids("rail:su=2,servers=3,nics=4,k=8,planes=2,blocking=3:4");
  ASSERT_EQ(fabric.ca_count(), 24u);
  for (std::uint32_t a = 0; a < fabric.ca_count(); ++a) {
    const NodeId id(fabric.switch_count() + a);
    const unsigned server = a / 4, rail = a % 4;
    EXPECT_EQ(fabric.node(id).description, fmt::format("host-{} mlx5_{}", server + 1, rail));
    ASSERT_EQ(fabric.node(id).port_count, 2);
    for (unsigned plane = 0; plane < 2; ++plane) {
      const Port& peer = fabric.port(fabric.ports(id)[plane + 1].peer);
      EXPECT_EQ(fabric.node(peer.node).description,
                fmt::format("plane{}-su{}-rail{}", plane + 1, server / 3 + 1, rail + 1));
      EXPECT_EQ(peer.num.value(), server % 3 + 1);
    }
  }
}

TEST(RailGenerators, RailsShareSpinesOnlyWithinAGroup) {
  EXPECT_EQ(part_count(fabric_without_lids("rail:su=2,servers=2,nics=4,k=8")), 1u);
  EXPECT_EQ(part_count(fabric_without_lids("rail:su=2,servers=2,nics=4,k=8,groups=2")), 2u);
  EXPECT_EQ(part_count(fabric_without_lids("railonly:su=2,servers=2,nics=4,k=8")), 4u);
  // With one unit each rail is a single switch.
  const Fabric single = fabric_without_lids("railonly:su=1,servers=8,nics=4,k=8");
  EXPECT_EQ(single.switch_count(), 4u);
  EXPECT_EQ(single.switch_link_count(), 0u);
}

TEST(RailGenerators, OversubscriptionAndPodsHaveTheCountsOfTheFormula) {
  // 16 leaves with 6 uplinks, one to each of 6 spines.
  const Fabric blocked =
      fabric_without_lids("rail:su=4,servers=12,nics=4,k=36,blocking=2:1,spines=6");
  EXPECT_EQ(blocked.switch_count(), 16u + 6u);
  EXPECT_EQ(blocked.switch_link_count(), 16u * 6u);
  // 4 pods of one unit with 4 leaves and 4 spines; each spine has 4 uplinks. There are 4 groups of
  // 2 cores.
  const Fabric pods = fabric_without_lids("rail:su=4,servers=4,nics=4,k=8,pods=4");
  EXPECT_EQ(kinds_of(pods),
            (std::map<std::string, unsigned>{{"rail", 16}, {"spine", 16}, {"core", 8}}));
  EXPECT_EQ(pods.switch_link_count(), 16u * 4u + 16u * 4u);
  EXPECT_EQ(diameter(pods), 4u);
}

TEST(RailGenerators, DamageOfALeafKeepsAllAdaptersAndPortCounts) {
  const Fabric whole = fabric_without_lids("rail:su=2,servers=2,nics=2,k=8,planes=2");
  const Fabric damaged =
      fabric_without_lids("rail:su=2,servers=2,nics=2,k=8,planes=2,dead=1,seed=3");
  EXPECT_EQ(damaged.switch_count() + 1, whole.switch_count());
  EXPECT_EQ(damaged.ca_count(), whole.ca_count());
  for (std::uint32_t n = damaged.switch_count(); n < damaged.node_count(); ++n)
    EXPECT_EQ(damaged.node(NodeId(n)).port_count, 2);
}

}  // namespace
}  // namespace weft
