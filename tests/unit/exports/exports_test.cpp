// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "exports/groups.h"
#include "exports/hostlist.h"
#include "exports/kubernetes.h"
#include "exports/slurm.h"
#include "exports/topology_yaml.h"
#include "fabric/formats/slurm_topology.h"
#include "fabric/generators/spec.h"

namespace weft {
namespace {

std::vector<std::string> expanded(const std::string& text) {
  std::size_t left = 100'000;
  std::vector<std::string> names;
  const auto items = expand_hostlist(text, left);
  if (!items) return {items.error().message};
  for (const HostlistItem& item : *items)
    names.insert(names.end(), item.names.begin(), item.names.end());
  return names;
}

TEST(HostlistText, HasRangesOfConsecutiveNumbersWithEqualPadding) {
  EXPECT_EQ(compress_hostlist({"n10", "n9", "n8", "n12"}), "n[8-10,12]");
  EXPECT_EQ(compress_hostlist({"n008", "n009", "n010", "n9"}), "n[008-009,9,010]");
  EXPECT_EQ(compress_hostlist({"a", "b1", "a", "b2-x"}), "a,b1,b2-x");
  EXPECT_EQ(compress_hostlist({"c99", "c100", "c01"}), "c[01,99-100]");
  EXPECT_EQ(compress_hostlist({"H-0002c90300048eb1", "H-0002c90300048eb2"}),
            "H-0002c90300048eb1,H-0002c90300048eb2");
  EXPECT_EQ(compress_hostlist({}), "");
}

RC_GTEST_PROP(HostlistText, ExpandsToTheSameNames, ()) {
  std::set<std::string> names;
  const auto count = *rc::gen::inRange(1, 60);
  for (int i = 0; i < count; ++i) {
    std::string name = *rc::gen::element<std::string>("n", "a-", "rack1n", "", "x0");
    const auto width = *rc::gen::inRange(1, 5);
    name += fmt::format("{:0{}}", *rc::gen::inRange(0, 120), width);
    names.insert(name + *rc::gen::element<std::string>("", "", "-ib"));
  }
  auto again = expanded(compress_hostlist({names.begin(), names.end()}));
  std::ranges::sort(again);
  RC_ASSERT(again == std::vector<std::string>(names.begin(), names.end()));
}

HostGroups groups_of(const std::string& spec) {
  const auto fabric = generate(spec);
  EXPECT_TRUE(fabric) << spec;
  return group_hosts(*fabric, hosts_of(*fabric, {}), switch_names(*fabric, {}));
}

/// On a tree of three levels, each unit has the hosts of one leaf, each inner group is a pod, and
/// one top group contains all pods.
TEST(HostGroups, ArePodsOnATreeOfThreeLevels) {
  const HostGroups groups = groups_of("fattree3:k=8");
  EXPECT_EQ(groups.shape, "tree of 3 levels");
  EXPECT_EQ(groups.units.size(), 32u);
  ASSERT_EQ(groups.groups.size(), 9u);
  for (std::size_t pod = 0; pod < 8; ++pod) {
    EXPECT_EQ(groups.groups[pod].units.size(), 4u);
    EXPECT_EQ(groups.groups[pod].tops.size(), 4u);
    EXPECT_EQ(groups.groups[pod].parent, 8u);
  }
  EXPECT_EQ(groups.groups[8].name, "top");
  EXPECT_EQ(groups.groups[8].groups.size(), 8u);
  EXPECT_EQ(groups.groups[8].tops.size(), 16u);
}

TEST(HostGroups, AreASingleGroupOnATorus) {
  const HostGroups groups = groups_of("torus:4x4x4,hosts=2");
  EXPECT_EQ(groups.shape, "irregular");
  EXPECT_EQ(groups.units.size(), 64u);
  ASSERT_EQ(groups.groups.size(), 1u);
  EXPECT_EQ(groups.groups[0].units.size(), 64u);
}

/// On any connected fabric with several units, every host is in one unit, and all units and groups
/// are below one top group.
TEST(HostGroups, ContainEveryHostOnce) {
  for (const char* spec : {"fattree2:k=6", "fattree3:k=4,fail=3,seed=2", "torus:3x3,hosts=1",
                           "dragonfly:a=4,h=2,p=2", "slimfly:q=5", "hyperx:3x3,hosts=2",
                           "random:n=30,degree=4,hosts=2,seed=3", "xgft:m=3x3x3,w=1x2x2"}) {
    const HostGroups groups = groups_of(spec);
    const auto fabric = generate(spec);
    std::set<std::string> names;
    std::size_t count = 0;
    for (const HostUnit& unit : groups.units) {
      names.insert(unit.hosts.begin(), unit.hosts.end());
      count += unit.hosts.size();
      EXPECT_TRUE(unit.parent < groups.groups.size()) << spec;
    }
    EXPECT_EQ(names.size(), count) << spec;
    EXPECT_EQ(count, fabric->ca_count()) << spec;
    EXPECT_EQ(std::ranges::count(groups.groups, kNoGroup, &HostGroup::parent), 1) << spec;
  }
}

/// Two rails: the hosts have an adapter on each of two leaves; one host has only one adapter.
///
///         spine
///        |     |
///   leaf-1     leaf-2
///   a b c      a b
TEST(HostGroups, HostsOnTheSameLeavesAreOneUnitEvenIfAHostLacksARail) {
  FabricBuilder builder;
  const auto add = [&](NodeType type, std::uint64_t guid, std::uint8_t ports,
                       const std::string& name) {
    Node node;
    node.type = type;
    node.node_guid = Guid(guid);
    node.port_count = ports;
    node.description = name;
    return builder.add_node(node);
  };
  const auto spine = add(NodeType::kSwitch, 1, 8, "MF0;spine:M/U1");
  const auto leaf1 = add(NodeType::kSwitch, 2, 8, "MF0;leaf-1:M/U1");
  const auto leaf2 = add(NodeType::kSwitch, 3, 8, "MF0;leaf-2:M/U1");
  ASSERT_TRUE(builder.connect(spine, PortNum(1), leaf1, PortNum(8)));
  ASSERT_TRUE(builder.connect(spine, PortNum(2), leaf2, PortNum(8)));
  const auto plug = [&](std::uint32_t leaf, std::uint8_t port, const std::string& name) {
    const auto host = add(NodeType::kCa, 16 * leaf + port, 1, name);
    ASSERT_TRUE(builder.connect(leaf, PortNum(port), host, PortNum(1)));
  };
  plug(leaf1, 1, "a mlx5_0");
  plug(leaf1, 2, "b mlx5_0");
  plug(leaf1, 3, "c mlx5_0");
  plug(leaf2, 1, "a mlx5_1");
  plug(leaf2, 2, "b mlx5_1");
  const auto fabric = builder.build();
  ASSERT_TRUE(fabric) << fabric.error().message;
  const auto names = switch_names(*fabric, {});
  const HostGroups groups = group_hosts(*fabric, hosts_of(*fabric, {}), names);
  ASSERT_EQ(groups.units.size(), 1u);
  EXPECT_EQ(groups.units[0].name, "leaf-1-to-leaf-2");
  EXPECT_EQ(groups.units[0].hosts, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(slurm_tree(groups, names),
            "# leaf-1-to-leaf-2: 2 leaf switches: leaf-[1-2]\n"
            "SwitchName=leaf-1-to-leaf-2 Nodes=a,b,c\n");
}

TEST(StableNames, ContainTheNameOfTheFirstUnit) {
  HostGroups groups = groups_of("fattree3:k=4");
  name_by_first_unit(groups);
  std::vector<std::string> names;
  for (const HostGroup& group : groups.groups) names.push_back(group.name);
  EXPECT_EQ(names, (std::vector<std::string>{"pod-of-leaf-1", "pod-of-leaf-3", "pod-of-leaf-5",
                                             "pod-of-leaf-7", "top"}));
}

TEST(KubernetesLabels, AreHashedIfInvalid) {
  EXPECT_EQ(label_value("leaf-1.rack_2"), "leaf-1.rack_2");
  EXPECT_EQ(label_value(std::string(63, 'a')), std::string(63, 'a'));
  // Published test vector of FNV-1a with 64 bits for the text "".
  EXPECT_EQ(label_value(""), "xcbf29ce484222325");
  EXPECT_NE(label_value("-a"), label_value("-b"));
  for (const std::string& text : {std::string(64, 'a'), std::string("-a"), std::string("a_"),
                                  std::string("a b"), std::string("a/b")}) {
    EXPECT_EQ(label_value(text).front(), 'x') << text;
    EXPECT_LE(label_value(text).size(), 17u) << text;
  }
}

TEST(KubernetesLabels, HaveAPrefixThatIsADnsName) {
  for (const char* good : {"fabric.topograph.run", "a", "a-b.c1"})
    EXPECT_TRUE(is_label_prefix(good)) << good;
  for (const char* wrong : {"", "A.b", "a_b", "-a", "a.", "a..b", "a/b"})
    EXPECT_FALSE(is_label_prefix(wrong)) << wrong;
  EXPECT_FALSE(is_label_prefix(std::string(254, 'a')));
}

TEST(KubernetesObjects, NamesThatBecomeEqualGetAHash) {
  HostGroups groups;
  groups.units = {{"Leaf", {}, {"H_1"}, 0}, {"leaf", {}, {"h2"}, 0}};
  groups.groups = {{"top", 1, {0, 1}, {}, {}, kNoGroup}};
  const std::string text = kubernetes_objects(groups, "p", {.labels = false, .kueue = false});
  EXPECT_NE(text.find("name: \"leaf\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("name: \"leaf-"), std::string::npos) << text;
  EXPECT_NE(text.find("name: \"h-1\"\n"), std::string::npos) << text;
}

TEST(KubernetesObjects, HaveALabelForEachLevelOfEachHost) {
  HostGroups groups;  // unit b is directly below the top group
  groups.units = {{"a", {}, {"h1"}, 0}, {"b", {}, {"h2"}, 1}};
  groups.groups = {{"pod", 1, {0}, {}, {}, 1}, {"top", 2, {1}, {0}, {}, kNoGroup}};
  const std::string text = kubernetes_objects(groups, "p", {.kueue = false, .volcano = false});
  EXPECT_EQ(text,
            "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: \"h1\"\n  labels:\n"
            "    p/tier-0: \"a\"\n    p/tier-1: \"pod\"\n    p/tier-2: \"top\"\n"
            "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: \"h2\"\n  labels:\n"
            "    p/tier-0: \"b\"\n    p/tier-1: \"top\"\n    p/tier-2: \"top\"\n");
}

}  // namespace
}  // namespace weft
