// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Policy files of routing chains: parsing, groups on a fabric, and errors with file and line.

#include "policy/chain_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "policy/routing_inputs.h"
#include "sm/partitions/partitions.h"
#include "support/temp_dir.h"
#include "support/tiny.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ChainPolicyFiles : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    const std::string path = folder_ / "p";
    EXPECT_TRUE(write_file(path, text));
    return path;
  }
  Result<PortGroups> groups(const std::string& text) { return read_port_groups(file(text)); }
  static std::string group(const std::string& rule) {
    return "port-group\nname: g\n" + rule + "\nend-port-group\n";
  }
  /// Returns the error message without the folder of the file.
  template <class T>
  std::string problem(const Result<T>& result) {
    EXPECT_FALSE(result);
    if (result) return {};
    EXPECT_EQ(result.error().code, Code::kBadInput);
    std::string text = result.error().message;
    const std::string folder = folder_.path() + "/";
    for (std::size_t at; (at = text.find(folder)) != std::string::npos;)
      text.erase(at, folder.size());
    return text;
  }
  Result<std::vector<FiledStep>> steps(const std::string& text, unsigned lmc = 0) {
    return read_steps(file(text), {{1, "g", "g"}}, lmc);
  }
  static std::string step(const std::string& more) {
    return "unicast-step\nid: 1\nengine: updn\nend-unicast-step\n"
           "unicast-step\nid: 2\nengine: ftree\n" +
           more + "\nend-unicast-step\n";
  }

  TempDir folder_;
};

//   S0 --- S1 --- S2, hosts H0 and H1 at S0, H2 at S2
Fabric line() { return Tiny(3).link(0, 1).link(1, 2).hosts(0, 2).hosts(2).build(); }

TEST_F(ChainPolicyFiles, GroupsSelectPortsByEachKindOfRule) {
  const Fabric fabric = line();
  const auto members = [&](const std::string& rule) {
    const auto read = groups(
        "# groups\nport-group\nname: other # a comment\nuse: for rules\nport-guid: 0x100, "
        "0x101\nend-port-group\n" +
        group(rule));
    EXPECT_TRUE(read) << rule << read.error().message;
    std::vector<unsigned> ids;
    if (read)
      for (const EndportId id : endports_of_group(*read, "g", fabric)) ids.push_back(id.value());
    return ids;
  };
  EXPECT_THAT(members("port-guid: 0x102, 10010"), ElementsAre(2, 4));
  EXPECT_THAT(members("port-guid: 0x10011"), ElementsAre(4));
  EXPECT_THAT(members("port-guid: 0x100@2-3/5, 0x101@7, 0x10000@2"), ElementsAre(0, 1));
  EXPECT_THAT(members("port-guid: 0xdead"), ElementsAre());
  EXPECT_THAT(members("port-guid-range: 0x101-0x10000"), ElementsAre(1, 2, 3));
  EXPECT_THAT(members("port-name: hostname=H2, hostname=H0; port=1"), ElementsAre(3, 5));
  EXPECT_THAT(members("port-name: hostname=H2; hca_idx=1"), ElementsAre());
  EXPECT_THAT(members("port-name: hostname=S1"), ElementsAre());
  EXPECT_THAT(members("port-regexp: ^S[01]$"), ElementsAre(0, 1));
  EXPECT_THAT(members("port-regexp: H.:1"), ElementsAre(3, 4, 5));
  EXPECT_THAT(members("port-regexp: H.:2"), ElementsAre());
  EXPECT_THAT(members("union-rule: other, ALL_CAS"), ElementsAre(0, 1, 3, 4, 5));
  EXPECT_THAT(members("subtract-rule: ALL_SWITCHES, other"), ElementsAre(2));
  EXPECT_THAT(members("subtract-rule: ALL, later\nend-port-group\nport-group\nname: later\n"
                      "port-regexp: H"),
              ElementsAre(0, 1, 2));
}

TEST_F(ChainPolicyFiles, AGroupMaySelectSomePortsOfASwitch) {
  const Fabric fabric = line();
  const auto read = groups(group("port-guid: 0x100@2"));
  ASSERT_TRUE(read);
  const auto ports = ports_of_group(*read, "g", fabric);
  for (std::uint32_t p = 0; p < ports.size(); ++p) {
    const Port& port = fabric.port(PortId(p));
    EXPECT_EQ(ports[p],
              port.node == NodeId(0) && (port.num == PortNum(0) || port.num == PortNum(2)));
  }
}

TEST_F(ChainPolicyFiles, ReportsPlaceOfInvalidGroups) {
  EXPECT_EQ(problem(groups(group("port-guids: 0x1"))),
            "p:3:1: found 'port-guids', expected name, use, port-guid, port-guid-range, port-name, "
            "port-regexp, union-rule, subtract-rule or end-port-group");
  EXPECT_EQ(problem(groups("port-group\nport-guid: 0x1\nend-port-group")),
            "p:1: this port-group has no 'name'");
  EXPECT_EQ(problem(groups("\nport-group\nname: g\nend-port-group")),
            "p:2: port-group 'g' has no rule, expected port-guid, port-guid-range, port-name, "
            "port-regexp, "
            "union-rule or subtract-rule");
  EXPECT_EQ(
      problem(groups(group("port-guid: 0x1\nport-regexp: S"))),
      "p:4:14: found 'port-regexp', expected one rule only, and the group already has 'port-guid'");
  EXPECT_EQ(problem(groups("port-group\nname: a:b\nport-guid: 0x1\nend-port-group")),
            "p:2:7: found 'a:b', expected a value without a colon");
  EXPECT_EQ(problem(groups("port-group\nname: ALL_CAS\nport-guid: 0x1\nend-port-group")),
            "p:2:7: found 'ALL_CAS', expected a name that no predefined group has");
  EXPECT_EQ(problem(groups(group("port-guid: 0x1") + group("port-guid: 0x2"))),
            "p:6:7: found 'g', expected a name that is not in use");
  EXPECT_EQ(problem(groups(group("port-guid: 0x1, S1"))),
            "p:3:12: found 'S1', expected a GUID in hex");
  EXPECT_EQ(problem(groups(group("port-guid: 0x1@255"))),
            "p:3:12: found '255', expected a port from 1 to 254");
  EXPECT_EQ(problem(groups(group("port-guid: 0x1@5-2"))),
            "p:3:12: found '5-2', expected a range of ports with the second not below the first");
  EXPECT_EQ(problem(groups(group("port-guid-range: 0x1-0x2, 0x5-0x6"))),
            "p:3:18: found '0x1-0x2, 0x5-0x6', expected one range GUID-GUID");
  EXPECT_EQ(problem(groups(group("port-name: port=2"))),
            "p:3:12: found 'port=2', expected a list with hostname=NAME");
  EXPECT_THAT(problem(groups(group("port-regexp: S("))),
              HasSubstr("p:3:14: found 'S(', expected a regular expression ("));
  EXPECT_EQ(problem(groups(group("port-regexp: :1"))),
            "p:3:14: found '', expected a regular expression");
  EXPECT_EQ(problem(groups(group("port-regexp: S:x"))),
            "p:3:14: found 'x', expected a port from 1 to 254");
  EXPECT_EQ(problem(groups(group("union-rule: a"))),
            "p:3:13: found 'a', expected two groups with a comma between them");
  EXPECT_EQ(
      problem(groups(group("union-rule: ALL, x"))),
      "p:3:13: port group 'x' is not defined in p; expected one of: g, ALL, ALL_SWITCHES, ALL_CAS");
  EXPECT_EQ(
      problem(groups(group("union-rule: ALL, g"))),
      "p:3:13: found 'g', expected a group that does not contain this group: the definitions are "
      "cyclic");
  EXPECT_EQ(problem(groups("port-group\nname: g\nport-guid: 0x1\n")),
            "p:1: found the end of the file, expected 'end-port-group'");
  EXPECT_EQ(problem(groups("name: g\n")), "p:1:1: found 'name', expected 'port-group'");
  EXPECT_EQ(problem(groups("port-group\nname:\nuse: x\nuse: y\nend-port-group")),
            "p:2:1: name: found the end of the line, expected a value\n"
            "p:4:1: found 'use', expected the qualifier once only");
  EXPECT_EQ(problem(groups("port-group\nname\nend-port-group")),
            "p:2:1: name: found the end of the line, expected ': VALUE'");
}

TEST_F(ChainPolicyFiles, ReportsPlaceOfInvalidTopologies) {
  const auto known = groups(group("port-guid: 0x1"));
  ASSERT_TRUE(known);
  const auto topologies = [&](const std::string& text) {
    const std::string path = folder_ / "t";
    EXPECT_TRUE(write_file(path, text));
    return read_topologies(path, *known);
  };
  const auto good = topologies("topology\nid: 3\nsw-grp: g\nhca-grp: ALL_CAS\nend-topology\n");
  ASSERT_TRUE(good);
  EXPECT_THAT(*good, ElementsAre(FiledTopology{3, "g", "ALL_CAS"}));
  EXPECT_EQ(problem(topologies("topology\nid: 1\nsw-grp: g\nend-topology\n")),
            "t:1: this topology has no 'hca-grp'");
  EXPECT_EQ(
      problem(topologies("topology\nid: 0\nsw-grp: g\nhca-grp: x\nend-topology\n")),
      "t:2:5: id: found '0', expected a number from 1 to 1000000\n"
      "t:4:10: hca-grp: port group 'x' is not defined in p; expected one of: g, ALL, ALL_SWITCHES, "
      "ALL_CAS");
  const std::string one = "topology\nid: 1\nsw-grp: g\nhca-grp: g\nend-topology\n";
  EXPECT_EQ(problem(topologies(one + one)),
            "t:7:5: id: found '1', expected an id that no other topology has");
}

TEST_F(ChainPolicyFiles, StepsAreInOrderOfTheirIds) {
  const auto read = steps(
      "unicast-step\nid: 7\nengine: ftree\nuse: the tree\nconfig: c.conf\ntopology: 1\n"
      "path-bit: 1\nend-unicast-step\n"
      "unicast-step\nid: 9\nengine: nue\ntopology: 1\nfallback-to: 7\nend-unicast-step\n"
      "unicast-step\nid: 2\nengine: updn\nend-unicast-step\n",
      1);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 3u);
  EXPECT_EQ((*read)[0].id, 2u);
  EXPECT_EQ((*read)[1].config, "c.conf");
  EXPECT_EQ((*read)[1].path_bit, 1u);
  EXPECT_EQ((*read)[2].fallback_to, 7u);
}

TEST_F(ChainPolicyFiles, ReportsPlaceOfInvalidSteps) {
  EXPECT_EQ(problem(steps(step("topology: 2"))),
            "p:8:11: topology: found '2', expected 0 or the id of a topology");
  EXPECT_EQ(problem(steps(step("fallback-to: 3"))),
            "p:8:14: fallback-to: found '3', expected 0 or the id of a unicast-step");
  EXPECT_EQ(
      problem(steps(step("path-bit: 1"))),
      "p:8:11: path-bit: found '1', expected less than 1, the number of LIDs per port with lmc 0");
  EXPECT_EQ(problem(steps(step("config: a:b"))),
            "p:8:9: found 'a:b', expected a value without a colon");
  EXPECT_EQ(problem(steps("unicast-step\nid: 1\nend-unicast-step\n")),
            "p:1: this unicast-step has no 'engine'");
  for (const char* engine : {"magic", "chain", "auto"})
    EXPECT_THAT(
        problem(steps(fmt::format("unicast-step\nid: 1\nengine: {}\nend-unicast-step\n", engine))),
        HasSubstr(fmt::format("p:3:9: engine: found '{}', expected one of minhop", engine)));
  EXPECT_EQ(problem(steps("unicast-step\nid: 1\nengine: updn\ntopology: 1\nend-unicast-step\n")),
            "p:4:11: topology: found '1', expected 0: the first step routes the whole fabric");
  EXPECT_EQ(problem(steps("unicast-step\nid: 1\nengine: updn\npath-bit: 1\nend-unicast-step\n", 1)),
            "p:4:11: path-bit: found '1', expected 0: the first step routes the whole fabric");
  EXPECT_EQ(
      problem(steps(step("topology: 1") + "unicast-step\nid: 2\nengine: nue\nend-unicast-step\n")),
      "p:11:5: id: found '2', expected an id that no other step has");
  EXPECT_EQ(problem(steps("")), "p:1: found no unicast-step, expected at least one");
  std::string many;
  for (unsigned id = 1; id <= 252; ++id)
    many += fmt::format("unicast-step\nid: {}\nengine: updn\nend-unicast-step\n", id);
  EXPECT_EQ(steps(many)->size(), 252u);
  many += "unicast-step\nid: 253\nengine: updn\nend-unicast-step\n";
  EXPECT_EQ(problem(steps(many)), "p:1009: found 253 unicast-steps, expected at most 252");
  EXPECT_EQ(
      problem(steps(step("fallback-to: 3") + "unicast-step\nid: 3\nengine: nue\nfallback-to: "
                                             "2\nend-unicast-step\n")),
      "p:8:14: fallback-to: found '3', expected a step that does not fall back to this step: the "
      "fallbacks are cyclic\n"
      "p:13:14: fallback-to: found '2', expected a step that does not fall back to this step: the "
      "fallbacks are cyclic");
}

TEST_F(ChainPolicyFiles, StepsAreNotComparedIfTheIdOfAStepIsInvalid) {
  const std::string first = "unicast-step\nid: 1\nengine: updn\nend-unicast-step\n";
  const std::string later = "engine: nue\ntopology: 1\nfallback-to: 1\nend-unicast-step\n";
  EXPECT_EQ(problem(steps(first + "unicast-step\nid: x\n" + later)),
            "p:6:5: id: found 'x', expected a number from 1 to 1000000");
  EXPECT_EQ(problem(steps("unicast-step\nid:\nengine: updn\nend-unicast-step\n"
                          "unicast-step\nid: 2\n" +
                          later)),
            "p:2:1: id: found the end of the line, expected a value");
}

TEST_F(ChainPolicyFiles, GroupsReplaceGuidsInOtherFiles) {
  const Fabric fabric = line();
  std::vector<std::string> warnings;
  RoutingInputs inputs;
  inputs.port_groups = *groups(group("port-regexp: ^(S1|H1)$"));
  inputs.roots = *read_guid_file(file("group:g\n"), warnings);
  inputs.order = *read_guid_file(file("0x10021\ngroup:g\n"), warnings);
  inputs.compute_nodes = *read_guid_file(file("group:g\n"), warnings);
  inputs.ignored = *read_ignored_ports(file("group:g\n"));
  inputs.node_weights = *read_node_weights(file("group:g 7\n"));
  inputs.switch_ids = *read_switch_ids(file("group:g 0\n"));
  EXPECT_TRUE(check_groups(inputs));
  const RoutingOptions options = resolve(inputs, fabric, warnings);
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  EXPECT_THAT(options.roots,
              ElementsAre(SwitchId(0), SwitchId(1)));  // H1 is resolved to its switch
  EXPECT_THAT(options.order, ElementsAre(EndportId(5), EndportId(1), EndportId(4)));
  EXPECT_THAT(options.compute_nodes, ElementsAre(EndportId(4)));
  EXPECT_THAT(options.ignored, ElementsAre(EndportId(1), EndportId(4)));
  EXPECT_THAT(options.node_weights, ElementsAre(1, 1, 1, 1, 7, 1));
  EXPECT_THAT(options.switch_rank, ElementsAre(1, 0, 2));

  inputs.io_nodes = *read_guid_file(file("\ngroup:x\n"), warnings);
  const auto status = check_groups(inputs);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("p:2: port group 'x' is not defined in "));
}

TEST_F(ChainPolicyFiles, GroupsAreMembersOfPartitions) {
  const Fabric fabric = line();
  std::vector<std::string> warnings;
  auto file =
      parse_partitions("A=0x8001: group:g=full, 0x10021;\nDefault: ALL=full;", "q", warnings);
  ASSERT_TRUE(file) << file.error().message;
  file->port_groups = *groups(group("port-name: hostname=H0, hostname=H1"));
  EXPECT_TRUE(check_port_groups(*file));
  const auto ports = resolve_partitions(*file, fabric, EndportId(0), warnings);
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  const PortMember full{1, Membership::kFull}, limited{1, Membership::kLimited};
  EXPECT_THAT(ports[3].members, testing::Contains(full));
  EXPECT_THAT(ports[4].members, testing::Contains(full));
  EXPECT_THAT(ports[5].members, testing::Contains(limited));
  EXPECT_THAT(ports[0].members, testing::SizeIs(1));
  file->port_groups = {};
  const auto status = check_port_groups(*file);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "q:1: port group 'g' is not defined: there is no pgrp_policy_file");
}

}  // namespace
}  // namespace weft
