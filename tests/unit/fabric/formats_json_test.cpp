// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "fabric/formats/read.h"
#include "fabric/formats/write.h"
#include "support/fabric_compare.h"
#include "unit/fabric/read_text.h"

namespace weft {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Two switches, a CA with a port on each, a router and a loopback cable. Each attribute differs
/// from its default in at least one node or port.
Fabric sample() {
  FabricBuilder builder;
  Node node{NodeType::kSwitch, Guid(0x10), Guid(0x99), 713, 53000, 0xA1, 36, true, "leaf"};
  const auto leaf = builder.add_node(node);
  node = {NodeType::kSwitch, Guid(0xFFFFFFFFFFFFFFF0), Guid(1), 1, 2, 3, 4, false, "sp\xE4\"\n\\"};
  const auto spine = builder.add_node(node);
  const auto ca = builder.add_node({NodeType::kCa, Guid(0x30), {}, 0, 0, 0, 2, false, "h ü"});
  const auto router = builder.add_node({NodeType::kRouter, Guid(0x40), {}, 0, 0, 0, 3, false, ""});
  FabricBuilder::PortSpec spec;
  spec.width = LinkWidth::k2x;
  spec.speed = LinkSpeed::kNdr;
  spec.mtu_cap = Mtu::k4096;
  spec.data_vls = 4;
  spec.guid = Guid(0x77);
  spec.lid = LidRange{Lid(8), 2};
  EXPECT_TRUE(builder.describe_port(ca, PortNum(1), spec));
  spec = {};
  spec.lid = LidRange{Lid(3), 0};
  spec.guid = Guid(0x11);
  EXPECT_TRUE(builder.describe_port(leaf, PortNum(0), spec));
  EXPECT_TRUE(builder.connect(leaf, PortNum(1), ca, PortNum(1)));
  EXPECT_TRUE(builder.connect(spine, PortNum(1), ca, PortNum(2)));
  EXPECT_TRUE(builder.connect(leaf, PortNum(2), spine, PortNum(2)));
  EXPECT_TRUE(builder.connect(leaf, PortNum(36), router, PortNum(3)));
  EXPECT_TRUE(builder.connect(spine, PortNum(3), spine, PortNum(4)));
  return builder.build().value();
}

std::string text_of(const Fabric& fabric) {
  return write_fabric_text(fabric, **find_writer("json"));
}

TEST(FabricJson, KeepsAllProperties) {
  const Fabric fabric = sample();
  const auto again = read_fabric_text(text_of(fabric), "f");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->format, "json");
  EXPECT_EQ(joined(differences(fabric, again->fabric)), "");
  EXPECT_EQ(text_of(again->fabric), text_of(fabric));
}

TEST(FabricJson, HasTheDocumentedKeys) {
  const json root = json::parse(text_of(sample()));
  EXPECT_EQ(root["format"], "weft-fabric");
  EXPECT_EQ(root["version"], 1);
  EXPECT_EQ(root["summary"], json::parse(R"({"switches": 2, "cas": 2, "links": 5})"));
  const json& ca = root["nodes"][2];
  EXPECT_EQ(ca["type"], "ca");
  EXPECT_EQ(ca["guid"], "0x0000000000000030");
  EXPECT_EQ(ca["port_count"], 2);
  EXPECT_EQ(ca["ports"][0], json::parse(R"({"port": 1, "guid": "0x0000000000000077", "lid": 8,
                                            "lmc": 2, "mtu": 4096, "data_vls": 4})"));
  EXPECT_EQ(root["links"][0], json::parse(R"({"a": "0x0000000000000010", "a_port": 1,
                                              "b": "0x0000000000000030", "b_port": 1,
                                              "width": "2x", "speed": "NDR"})"));
}

TEST(FabricJson, ReadsKeysInAnyOrderAndLayout) {
  const Fabric fabric = sample();
  const json root = json::parse(text_of(fabric));  // sorted keys: links before nodes
  for (const std::string& text : {root.dump(), root.dump(2)}) {
    const auto again = read_fabric_text(text, "f");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(joined(differences(fabric, again->fabric)), "");
  }
}

TEST(FabricJson, SkipsUnknownKeys) {
  json root = json::parse(text_of(sample()));
  root["later"] = json::parse(R"([[{"nodes": [1, 2]}], {"ports": {"guid": null}}])");
  root["nodes"][0]["color"] = json::parse(R"({"guid": "0x5", "type": [1.5, -1, true]})");
  root["links"][0]["length_m"] = 2.5;
  const auto again = read_fabric_text(root.dump(), "f");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(joined(differences(sample(), again->fabric)), "");
}

TEST(FabricJson, ReportsThePositionOfErrors) {
  const std::string head = "{\"format\": \"weft-fabric\", \"version\": 1,\n\"nodes\": [\n";
  const std::string node = "{\"type\": \"ca\", \"guid\": \"0x1\", \"port_count\": 1}";
  EXPECT_EQ(error_of(head + node, "json"), "f:3:47: found the end of the file, expected JSON");
  EXPECT_EQ(error_of("[]", "json"), "f:1:1: found an array, expected an object with \"format\"");
  EXPECT_EQ(error_of("{}", "json"), "f: the JSON lacks \"format\"");
  EXPECT_EQ(error_of("{\"format\": \"weft-fabric\"}", "json"), "f: the JSON lacks \"version\"");
  EXPECT_EQ(error_of("{\"format\": \"x\"}", "json"),
            "f:1:14: \"format\": found 'x', expected weft-fabric");
  EXPECT_EQ(error_of("{\"version\": 2}", "json"),
            "f:1:14: \"version\": found 2, expected 1, the only supported version");
  EXPECT_EQ(error_of(head + "{\"guid\": \"0x1\"}]}", "json"),
            "f:3:15: the node that ends here lacks \"type\"");
  EXPECT_EQ(error_of(head + "{\"type\": \"ca\", \"port_count\": 254}]}", "json"),
            "f:3:33: the node that ends here lacks \"guid\"");
  EXPECT_EQ(error_of(head + "{\"type\": \"ca\", \"guid\": \"0x1\"}]}", "json"),
            "f:3:29: the node that ends here lacks \"port_count\"");
  EXPECT_EQ(error_of(head + "{\"ports\": [{\"data_vls\": 3}]}]}", "json"),
            "f:3:26: \"data_vls\": found 3, expected 1, 2, 4, 8 or 15");
  EXPECT_EQ(error_of(head + "{\"type\": \"bridge\"}]}", "json"),
            "f:3:17: \"type\": found 'bridge', expected 'switch', 'ca' or 'router'");
  EXPECT_EQ(error_of(head + "{\"port_count\": 300}]}", "json"),
            "f:3:19: \"port_count\": found 300, expected 0 to 254");
  EXPECT_EQ(error_of(head + "{\"guid\": 5}]}", "json"),
            "f:3:11: \"guid\": found 5, expected a GUID such as '0x0002c90300000001'");
  EXPECT_EQ(error_of(head + "{\"description\": null}]}", "json"),
            "f:3:20: \"description\": found null or a number that is negative or not an integer, "
            "expected a string");
  EXPECT_EQ(error_of(head + "{\"enhanced_port0\": \"\"}]}", "json"),
            "f:3:21: \"enhanced_port0\": found an empty string, expected true or false");
  EXPECT_EQ(error_of(head + "{\"ports\": true}]}", "json"),
            "f:3:14: \"ports\": found true, expected an array");
  EXPECT_EQ(error_of(head + node + ",\n" + node + "]}", "json"),
            "f:4:46: a second node has GUID 0x0000000000000001");
  EXPECT_EQ(error_of(head + "3]}", "json"), "f:3:2: found a plain value, expected an object");
  const std::string links = head + node + "],\n\"links\": [";
  EXPECT_EQ(error_of(links + "{\"a\": \"0x1\"}]}", "json"),
            "f:4: the link lacks \"a\", \"a_port\", \"b\" or \"b_port\"");
  EXPECT_EQ(
      error_of(links + "{\"a\": \"0x1\", \"a_port\": 1, \"b\": \"0x2\", \"b_port\": 1}]}", "json"),
      "f:4: no node has GUID 0x0000000000000002");
  EXPECT_EQ(
      error_of(links + "{\"a\": \"0x1\", \"a_port\": 1, \"b\": \"0x1\", \"b_port\": 2}]}", "json"),
      "f:4: '' (0x0000000000000001) port 2: the node has 1 ports");
  EXPECT_EQ(error_of(links + "{\"width\": \"7x\"}]}", "json"),
            "f:4:24: \"width\": found '7x', expected one such as \"4x\"");
}

TEST(FabricJson, RefusesObjectsInPlaceOfLists) {
  const std::string head = "{\"format\": \"weft-fabric\", \"version\": 1,\n";
  EXPECT_EQ(error_of(head + "\"nodes\": {}}", "json"),
            "f:2:10: \"nodes\": found an object, expected an array");
  EXPECT_EQ(error_of(head + "\"nodes\": [], \"links\": {}}", "json"),
            "f:2:23: \"links\": found an object, expected an array");
  EXPECT_EQ(error_of(head + "\"nodes\": [{\"ports\": {}}]}", "json"),
            "f:2:21: \"ports\": found an object, expected an array");
}

TEST(FabricJson, WarnsOfAnLmcWithoutALid) {
  const auto read = read_good(
      "{\"format\": \"weft-fabric\", \"version\": 1, \"nodes\": [\n"
      "{\"type\": \"ca\", \"guid\": \"0x1\", \"port_count\": 2,\n"
      "\"ports\": [{\"port\": 1, \"lid\": 4, \"lmc\": 2}, {\"port\": 2, \"lmc\": 2}]}]}\n");
  EXPECT_THAT(read.warnings,
              testing::Contains("f:3: \"lmc\" of port 2 without \"lid\" is ignored"));
}

TEST(FabricJson, LimitsTheNestingDepth) {
  EXPECT_THAT(error_of("{\"x\": " + std::string(900'000, '['), "json"), HasSubstr("expected JSON"));
}

}  // namespace
}  // namespace weft
