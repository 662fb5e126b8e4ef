// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/dot/dot.h"

#include <gtest/gtest.h>

#include <string>

#include "fabric/formats/read.h"
#include "support/fabric_compare.h"
#include "unit/fabric/read_text.h"

namespace weft {
namespace {

ReadResult read_dot(const std::string& text) {
  auto got = read_fabric_text(text, "f");
  EXPECT_TRUE(got) << got.error().message;
  if (got) {
    EXPECT_EQ(got->format, "dot");
  }
  return got ? std::move(*got) : ReadResult{};
}

/// "NODE/PORT-NODE/PORT" for each cable, separated by spaces; the end with the lower port ID is
/// first.
std::string cables(const Fabric& fabric) {
  std::string text;
  for (const Node& node : fabric.nodes()) {
    const NodeId id = *fabric.find_node(node.node_guid);
    for (const Port& port : fabric.ports(id)) {
      if (port.peer == kNoPort || port.peer < fabric.port_id(id, port.num)) continue;
      const Port& peer = fabric.port(port.peer);
      text += fmt::format("{}{}/{}-{}/{}", text.empty() ? "" : " ", node.description,
                          port.num.value(), fabric.node(peer.node).description, peer.num.value());
    }
  }
  return text;
}

TEST(Dot, IsRecognized) {
  EXPECT_TRUE(looks_like_dot("digraph network {"));
  EXPECT_TRUE(looks_like_dot("// by hand\n# line 1\n/* of\nmine */ strict Graph{"));
  EXPECT_TRUE(looks_like_dot("digraph\n\"a b\"\n{"));
  EXPECT_FALSE(looks_like_dot("digraphs {"));
  EXPECT_FALSE(looks_like_dot("{\"graph\": {}}"));
  EXPECT_FALSE(looks_like_dot("graph"));
  EXPECT_FALSE(looks_like_dot("graph = 1"));
  EXPECT_FALSE(looks_like_dot("/* digraph {"));
  EXPECT_FALSE(looks_like_dot(""));
}

TEST(Dot, PairsTheTwoEdgesOfEachCableInOrder) {
  const ReadResult got = read_dot(
      "digraph {\n"
      "S1 -> H1; H1 -> S1\n"
      "S2 -> S1 -> S2; S2 -> S1 [comment=\"x\"]; S1 -> S2\n"
      "S2 -> S2; S2 -> S2\n"
      "}\n");
  EXPECT_EQ(joined(got.warnings), "");
  EXPECT_EQ(cables(got.fabric), "S1/1-H1/1 S1/2-S2/1 S1/3-S2/2 S2/3-S2/4");
  EXPECT_EQ(got.fabric.node(SwitchId(0)).node_guid, Guid(0x200000));
  EXPECT_EQ(got.fabric.node(NodeId(2)).node_guid, Guid(0x100000));
  EXPECT_EQ(got.fabric.node(NodeId(2)).port_count, 1);
}

TEST(Dot, ReadsPortsFromTheLabelsOfEitherEdge) {
  const ReadResult got = read_dot(
      "digraph {\n"
      "node [ports=8]\n S1; S2 [ports=\"12\"];\n"
      "S1 -> S2 [taillabel=5, headlabel=2]\n"
      "S1 -> S2 [taillabel=3]\n"
      "S1:4 -> S2:7:n\n"
      "S2 -> S1 [taillabel=7, headlabel=4]\n"
      "S2 -> S1 [taillabel=2, headlabel=5]\n"
      "S2 -> S1 [taillabel=9]\n"
      "S2 -> S1; S1 -> S2\n"
      "}\n");
  EXPECT_EQ(joined(got.warnings), "");
  EXPECT_EQ(cables(got.fabric), "S1/1-S2/1 S1/3-S2/9 S1/4-S2/7 S1/5-S2/2");
  EXPECT_EQ(got.fabric.node(SwitchId(0)).port_count, 8);
  EXPECT_EQ(got.fabric.node(SwitchId(1)).port_count, 12);
}

TEST(Dot, ReadsPortsUpTo254) {
  EXPECT_EQ(cables(read_dot("graph { S1:254 -- S2:1 }").fabric), "S1/254-S2/1");
}

TEST(Dot, ReadsGuidsFromNames) {
  const ReadResult got = read_dot(
      "graph { \"H0002c903000e0b72\" [label=\"node \\\"one\\\"\\nof \\N\"]\n"
      "\"S-0002c90200417670\" -- \"H0002c903000e0b72\" [rate=\"4xHDR\", lid=3]\n"
      "H1 -- \"S-0002c90200417670\" }\n");
  EXPECT_EQ(joined(got.warnings), "");
  EXPECT_EQ(got.fabric.node(SwitchId(0)).node_guid, Guid(0x0002c90200417670));
  EXPECT_EQ(got.fabric.node(NodeId(1)).node_guid, Guid(0x100000));
  EXPECT_EQ(got.fabric.node(NodeId(2)).node_guid, Guid(0x0002c903000e0b72));
  EXPECT_EQ(got.fabric.node(NodeId(2)).description, "node \"one\" of H0002c903000e0b72");
  EXPECT_EQ(got.fabric.ports(NodeId(2))[1].speed, LinkSpeed::kHdr);
}

TEST(Dot, ReadsAllConstructsOfTheLanguage) {
  const ReadResult got = read_dot(
      "#!weft\nstrict digraph \"a\" {\n"
      "  rankdir=LR; graph [label=<<b>x</b>\n y>] /* com\nment */ edge [rate=\"4xEDR\"]\n"
      "  subgraph cluster_1 { edge [rate=\"1xSDR\"]; \"S\" + \"1\" -> \"H\\\n1\" ; H1 -> S1 }\n"
      "  { H2 -> S1 [color=red, style=\"a\nb\"][weight=-.5] }\n"
      "  S1 -> H2 [dir]; // end\n"
      "  { { H3 } }\n"
      "}\n/* end */\n");
  EXPECT_EQ(joined(got.warnings), "");
  EXPECT_EQ(cables(got.fabric), "S1/1-H1/1 S1/2-H2/1");
  EXPECT_EQ(got.fabric.ports(SwitchId(0))[1].speed, LinkSpeed::kSdr);
  EXPECT_EQ(got.fabric.ports(SwitchId(0))[2].speed, LinkSpeed::kEdr);
  EXPECT_EQ(got.fabric.ca_count(), 3u);
}

TEST(Dot, WarnsOfEdgesWithoutAReverseEdge) {
  const ReadResult one = read_dot("digraph { S1 -> H1; H1 -> S1\nS1 -> S2\n}");
  EXPECT_EQ(one.fabric.link_count(), 2u);
  EXPECT_EQ(joined(one.warnings),
            "f:2: edge \"S1\" to \"S2\": no reverse edge: read as one cable\n");
  const ReadResult all = read_dot("digraph { S1 -> H1; S1 -> S2 }");
  EXPECT_EQ(all.fabric.link_count(), 2u);
  EXPECT_EQ(joined(all.warnings), "f: no edge has a reverse edge: each is read as one cable\n");
  const ReadResult odd = read_dot("digraph { S1 [ports=300, vendor=x]\nS1 -> S2 [rate=fast] }");
  EXPECT_EQ(joined(odd.warnings),
            "f:1: ports: found '300', expected a number up to 254: ignored\n"
            "f:1: vendor: found 'x', expected a number up to 16777215: ignored\n"
            "f:2: rate: found 'fast', expected one such as 4xHDR: ignored\n"
            "f: no edge has a reverse edge: each is read as one cable\n");
}

TEST(Dot, ReportsContradictingPorts) {
  EXPECT_EQ(error_of("digraph { S1:1 -> S2\nS2 -> S1:2 }", "dot"),
            "f:1: edge \"S1\" to \"S2\" has ports 1 and 0, the reverse edge in line 2 ports 2 and "
            "0");
  EXPECT_EQ(error_of("graph { S1:1 -- S2\nS1:1 -- S3 }", "dot"),
            "f:2: edge \"S1\" to \"S3\": port 1 of \"S1\" has another cable already");
  EXPECT_EQ(error_of("graph { \"H0002c903000e0b72\" -- \"S0002c903000e0b72\" }", "dot"),
            "f: two nodes have GUID 0x0002c903000e0b72, one is \"S0002c903000e0b72\"");
  std::string many = "graph {";
  for (int i = 0; i < 255; ++i) many += "\nS1 -- H" + std::to_string(i);
  EXPECT_EQ(error_of(many + "}", "dot"),
            "f:256: edge \"S1\" to \"H254\": an end has more than 254 cables");
}

TEST(Dot, ReportsThePositionOfASyntaxError) {
  EXPECT_EQ(error_of("diagram {}", "dot"), "f:1:1: found 'diagram', expected digraph or graph");
  EXPECT_EQ(error_of("graph [a]", "dot"), "f:1:7: found '[', expected '{'");
  EXPECT_EQ(error_of("graph {}", "dot"), "f: the graph has no node");
  EXPECT_EQ(error_of("graph {\n a -> b }", "dot"), "f:2:4: found '->', expected '--' in a graph");
  EXPECT_EQ(error_of("digraph { a -- b }", "dot"),
            "f:1:13: found '--', expected '->' in a digraph");
  EXPECT_EQ(error_of("digraph { a -> {b c} }", "dot"), "f:1:16: found '{', expected a node");
  EXPECT_EQ(error_of("digraph { a -> }", "dot"), "f:1:16: found '}', expected a node");
  EXPECT_EQ(error_of("digraph { a [b=] }", "dot"), "f:1:16: found ']', expected a value");
  EXPECT_EQ(error_of("digraph { a [b", "dot"),
            "f:1:15: found the end of the file, expected an attribute or "
            "']'");
  EXPECT_EQ(error_of("digraph { a", "dot"),
            "f:1:12: found the end of the file, expected a node, an edge or "
            "'}'");
  EXPECT_EQ(error_of("digraph { a } b", "dot"), "f:1:15: found 'b', expected the end of the file");
  EXPECT_EQ(error_of("digraph { \"a\n", "dot"),
            "f:1:11: the file ends in a text, expected a closing quote");
  EXPECT_EQ(error_of("digraph { a / b }", "dot"),
            "f:1:13: found '/', expected a node, an edge or '}'");
  EXPECT_EQ(error_of("digraph { a /* b", "dot"), "f:1: the file ends in a comment, expected */");
  EXPECT_EQ(error_of("digraph { \"\" }", "dot"),
            "f:1:11: found '', expected a name of 1 to 1024 bytes");
  EXPECT_EQ(error_of("digraph " + std::string(200, '{'), "dot"),
            "f:1:109: found '{', expected subgraphs at most 99 deep");
}

}  // namespace
}  // namespace weft
