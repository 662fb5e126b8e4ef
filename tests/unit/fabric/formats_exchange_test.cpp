// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Topologies of other tools: GraphML, ns-3 and SimAI text, dumps of CODES, InfraGraph. Tests the
// fabrics read from correct files, and the messages about wrong files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/rng.h"
#include "fabric/formats/infragraph_slices.h"
#include "fabric/formats/link_of_rate.h"
#include "unit/fabric/read_text.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ReadResult read_as(const std::string& text, const std::string& format) {
  ReadResult got = read_good(text);
  EXPECT_EQ(got.format, format);
  return got;
}

/// "H-1 1 - sw 2 4xHDR": both ends of each cable with their ports; the node with the lower ID
/// first.
std::vector<std::string> cables_of(const Fabric& fabric) {
  std::vector<std::string> lines;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n))) {
      if (port.peer == kNoPort) continue;
      const Port& peer = fabric.port(port.peer);
      if (peer.node.value() < n || (peer.node.value() == n && peer.num < port.num)) continue;
      lines.push_back(fmt::format("{} {} - {} {} {}{}", fabric.node(NodeId(n)).description,
                                  port.num.value(), fabric.node(peer.node).description,
                                  peer.num.value(), name(port.width), name(port.speed)));
    }
  return lines;
}

struct WrongFile {
  std::string text;
  const char* message;
};

void expect_wrong(const std::vector<WrongFile>& files, const std::string& format) {
  for (const auto& [text, message] : files)
    EXPECT_THAT(error_of(text, format), HasSubstr(message)) << text;
}

/// Each seed of the fuzzer in these formats, with some bytes changed, dropped or repeated, is
/// either read or causes an error that names the file.
TEST(ExchangeFormats, ReadOrRejectDamagedFiles) {
  for (const char* name : {"ring.ns3", "servers.simai", "leaf.infragraph", "pair.graphml"}) {
    const auto text = read_file(std::string(WEFT_SOURCE_DIR "/fuzz/corpus/fabric_file/") + name);
    ASSERT_TRUE(text);
    EXPECT_TRUE(read_fabric_text(*text, name)) << name;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      Rng rng(seed);
      std::string damaged = *text;
      for (std::uint64_t edits = 1 + rng.below(4); edits > 0; --edits) {
        const std::size_t at = rng.below(damaged.size());
        switch (rng.below(4)) {
          case 0:
            damaged[at] = static_cast<char>(rng.below(256));
            break;
          case 1:
            damaged.erase(at, 1 + rng.below(8));
            break;
          case 2:
            damaged.insert(at, damaged.substr(rng.below(damaged.size()), rng.below(40)));
            break;
          default:
            damaged[at] = static_cast<char>('0' + rng.below(10));
        }
        if (damaged.empty()) damaged = "0";
      }
      const auto got = read_fabric_text(damaged, name);
      if (!got) {
        EXPECT_THAT(got.error().message, testing::StartsWith(name)) << "seed " << seed;
      }
    }
  }
}

// ---- Rates ----

TEST(LinkOfRate, HasTheRequestedOrTheNearestDataRate) {
  const auto text = [](double gbps) {
    const LinkOfRate link = link_of_rate(gbps);
    return fmt::format("{}{}{}", name(link.width), name(link.speed), link.exact ? "" : " inexact");
  };
  EXPECT_EQ(text(100), "4xEDR");
  EXPECT_EQ(text(400), "4xNDR");
  EXPECT_EQ(text(25), "1xEDR");
  EXPECT_EQ(text(56), "4xFDR");
  EXPECT_EQ(text(40), "4xFDR10");
  EXPECT_EQ(text(70), "8xQDR inexact");
  EXPECT_EQ(text(1e-3), "1xSDR inexact");
  EXPECT_EQ(text(1e9), "12xXDR inexact");
}

TEST(LinkOfRate, ParsesRatesOfSimulators) {
  EXPECT_EQ(parse_gbps("100Gbps"), 100.0);
  EXPECT_EQ(parse_gbps("12.5GBps"), 100.0);
  EXPECT_EQ(parse_gbps("400 Gb/s"), 400.0);
  EXPECT_EQ(parse_gbps("1000Mbps"), 1.0);
  EXPECT_EQ(parse_gbps("100Gbps "), 100.0);
  for (const char* wrong : {"", "100", "Gbps", "nanGbps", "infGbps", "-1Gbps", "0Gbps", "1e2Gbps",
                            "1..5Gbps", "100Tbps"})
    EXPECT_EQ(parse_gbps(wrong), std::nullopt) << wrong;
}

// ---- GraphML ----

std::string graphml(const std::string& inside, const std::string& direction = "undirected") {
  std::string keys;
  for (const char* key : {"type", "label", "guid", "ports", "endpoints", "lid", "src_port",
                          "dst_port", "dst_lid", "width", "speed", "rate"})
    keys +=
        fmt::format("<key id=\"{0}\" for=\"all\" attr.name=\"{0}\" attr.type=\"string\"/>", key);
  return "<?xml version=\"1.0\"?><graphml xmlns=\"x\">" + keys + "\n<graph edgedefault=\"" +
         direction + "\">\n" + inside + "\n</graph></graphml>\n";
}

std::string data(const std::string& key, const std::string& value) {
  return fmt::format("<data key=\"{}\">{}</data>", key, value);
}

TEST(Graphml, ReadsAttributesOfNodesAndEdges) {
  const ReadResult got = read_as(
      graphml("<edge source=\"h\" target=\"s\">" + data("dst_port", "7") + data("width", "2x") +
              data("speed", "HDR") + "</edge>\n<node id=\"s\">" + data("type", "switch") +
              data("label", "leaf &lt;1&gt;") + data("guid", "0xabc") + data("ports", "40") +
              data("lid", "5") + "</node><node id=\"h\">" + data("type", "HOST") + "</node>"),
      "graphml");
  EXPECT_THAT(got.warnings, IsEmpty());
  EXPECT_THAT(cables_of(got.fabric), ElementsAre("leaf <1> 7 - h 1 2xHDR"));
  const Node& leaf = got.fabric.node(SwitchId(0));
  EXPECT_EQ(leaf.node_guid, Guid(0xabc));
  EXPECT_EQ(leaf.port_count, 40);
  EXPECT_EQ(got.fabric.endport(EndportId(0)).lid, Lid(5));
}

/// In a file without attributes of nodes, each node is a switch with a host.
TEST(Graphml, ReadsPlainGraphsAsSwitchesWithAHost) {
  const ReadResult got =
      read_as(graphml("<node id=\"0\"/><node id=\"1\"/><edge source=\"0\" target=\"1\"/>"
                      "<edge source=\"0\" target=\"1\"/>"),
              "graphml");
  EXPECT_EQ(got.fabric.switch_count(), 2u);
  EXPECT_EQ(got.fabric.ca_count(), 2u);
  EXPECT_EQ(got.fabric.switch_link_count(), 2u) << "parallel edges are parallel cables";
  EXPECT_THAT(got.warnings, ElementsAre(HasSubstr("each of the 2 nodes is read as a switch")));
}

TEST(Graphml, AddsHostsByTheAttributeEndpoints) {
  const ReadResult got =
      read_as(graphml("<node id=\"a\">" + data("endpoints", "3") + "</node><node id=\"b\">" +
                      data("endpoints", "0") + "</node><edge source=\"a\" target=\"b\">" +
                      data("rate", "400.0") + "</edge>"),
              "graphml");
  EXPECT_EQ(got.fabric.ca_count(), 3u);
  EXPECT_EQ(got.fabric.endports_at(SwitchId(0)).size(), 3u);
  EXPECT_EQ(got.fabric.ports(SwitchId(0))[1].speed, LinkSpeed::kNdr);
}

TEST(Graphml, ReadsOppositeDirectedEdgesAsOneCable) {
  const ReadResult got = read_as(
      graphml("<node id=\"a\"/><node id=\"b\"/><node id=\"c\"/><edge source=\"a\" target=\"b\"/>"
              "<edge source=\"b\" target=\"a\"/><edge source=\"b\" target=\"c\"/>",
              "directed"),
      "graphml");
  EXPECT_EQ(got.fabric.switch_link_count(), 2u);
}

TEST(Graphml, NamesTheLineAndObjectOfErrors) {
  const std::string two = "<node id=\"a\"/><node id=\"b\"/>\n";
  expect_wrong(
      {{graphml(""), "f: the graph has no node"},
       {"<graphml><graph edgedefault=\"undirected\"><node id=\"a\">", "f:2:1: no element found"},
       {"<html/>\n", "found the element 'html', expected graphml"},
       {graphml(two + "<edge source=\"a\" target=\"c\"/>"),
        "f:4: the edge ends at 'c', which is not a node of the graph"},
       {graphml(two + "<edge source=\"a\" target=\"a\"/>"), "f:4: the edge connects 'a' to itself"},
       {graphml(two + "<edge source=\"a\"/>"), "f:4:1: the edge has no source or no target"},
       {graphml(two + "<node id=\"a\"/>"), "f:4:1: node 'a' is defined in line 3 already"},
       {graphml("<node/>"), "f:3:1: the node has no id"},
       {graphml("<node id=\"a\"><graph edgedefault=\"directed\"/></node>"),
        "node 'a' contains a graph: nested graphs are not supported"},
       {graphml(two + "<hyperedge/>"), "found a hyperedge: a cable has two ends"},
       {graphml("<node id=\"a\">" + data("endpoints", "nan") + "</node>"),
        "node 'a': endpoints: found 'nan', expected 0 to 254"},
       {graphml("<node id=\"a\">" + data("ports", "-1") + "</node>"),
        "node 'a': ports: found '-1', expected 0 to 254"},
       {graphml("<node id=\"a\">" + data("ports", "") + "</node>"),
        "node 'a': ports: found '', expected 0 to 254"},
       {graphml("<node id=\"a\">" + data("type", "toaster") + "</node>"),
        "f:3: node 'a': type: found 'toaster', expected switch, host or router"},
       {graphml("<node id=\"a\">" + data("guid", "0") + "</node>"), "node 'a': guid: found '0'"},
       {graphml("<node id=\"a\">" + data("what", "0") + "</node>"), "no key has the id 'what'"},
       {graphml(two + "<edge source=\"a\" target=\"b\">" + data("rate", "NaN") + "</edge>"),
        "edge 'a' to 'b': rate: found 'NaN', expected a positive number of Gbit/s"},
       {graphml(two + "<edge source=\"a\" target=\"b\">" + data("rate", "1e999") + "</edge>"),
        "rate: found '1e999'"},
       {graphml(two + "<edge source=\"a\" target=\"b\">" + data("speed", "warp") + "</edge>"),
        "speed: found 'warp', expected one such as HDR"},
       {graphml(two + "<edge source=\"a\" target=\"b\">" + data("src_port", "1") + "</edge>\n" +
                "<edge source=\"a\" target=\"b\">" + data("src_port", "1") + "</edge>"),
        "f:5: port 1 of node 'a': has another cable already"},
       {graphml("<node id=\"a\">" + data("guid", "1") + "</node>\n<node id=\"b\">" +
                data("guid", "1") + "</node>"),
        "f:4: node 'b': GUID 0x0000000000000001 is the GUID of another node"},
       {graphml("", "sideways"), "edgedefault: found 'sideways', expected directed or undirected"},
       {graphml("</graph><graph edgedefault=\"directed\">"), "found a second graph, expected one"},
       {"<!DOCTYPE graphml [<!ENTITY a \"b\">]>\n<graphml>&a;</graphml>\n",
        "declares the entity 'a', expected none"}},
      "graphml");
}

/// A chain of XML entities, each of which contains the previous entity ten times, is refused before
/// any entity is expanded.
TEST(Graphml, DoesNotExpandEntities) {
  std::string text = "<!DOCTYPE graphml [<!ENTITY e0 \"x\">";
  for (int i = 1; i < 20; ++i) {
    text += fmt::format("<!ENTITY e{} \"", i);
    for (int k = 0; k < 10; ++k) text += fmt::format("&e{};", i - 1);
    text += "\">";
  }
  EXPECT_THAT(error_of(text + "]>\n<graphml>&e19;</graphml>\n", "graphml"),
              HasSubstr("declares the entity"));
}

// ---- ns-3 and SimAI ----

TEST(Ns3, NumbersPortsInTheOrderOfLinks) {
  const ReadResult got = read_as(
      "4 2 3\n2 3\n0 2 100Gbps 1000ns 0.000000\n1 3 25Gbps 0.001ms 0\n2 3 400Gbps 1us 0\nremark\n",
      "ns3");
  EXPECT_THAT(cables_of(got.fabric), ElementsAre("sw-2 1 - host-0 1 4xEDR", "sw-2 2 - sw-3 2 4xNDR",
                                                 "sw-3 1 - host-1 1 1xEDR"));
  EXPECT_THAT(got.warnings, IsEmpty());
}

TEST(Ns3, ReadsFilesWithoutSwitches) {
  const ReadResult got = read_as("2 0 1\n\n0 1 100Gbps 1000ns 0\n", "ns3");
  EXPECT_EQ(got.fabric.ca_count(), 2u);
  EXPECT_EQ(got.fabric.link_count(), 1u);
}

TEST(Ns3, NamesTheLineAndLinkOfErrors) {
  expect_wrong(
      {{"4 2\n", "f:1: found '4 2', expected 3 numbers: nodes, switches, links"},
       {"0 0 0\n\n", "f:1: nodes: found 0, expected 1 to"},
       {"4000000000 2 1\n", "f:1: nodes: found 4000000000"},
       {"4 5 1\n", "f:1: switches: found 5, expected at most the 4 nodes"},
       {"4 2 9999999\n", "f:1: links: found 9999999"},
       {"4 2 1\n2\n", "f:2: found 1 numbers, expected the numbers of 2 switches"},
       {"4 2 1\n2 4\n", "f:2: switch 4: expected a number below 4"},
       {"4 2 1\n2 2\n", "f:2: switch 2 is listed twice"},
       {"4 2 2\n2 3\n0 2 1Gbps 1ns 0\n", "f:3: the file ends after 1 of 2 links"},
       {"4 2 1\n2 3\n0 2 1Gbps 1ns\n", "f:3: found '0 2 1Gbps 1ns', expected a link"},
       {"4 2 1\n2 3\n0 4 1Gbps 1ns 0\n", "f:3: link 0 4: expected two numbers of nodes below 4"},
       {"4 2 1\n2 3\n2 2 1Gbps 1ns 0\n", "f:3: link 2 2: joins a node to itself"},
       {"4 2 1\n2 3\n0 2 nanGbps 1ns 0\n", "f:3: link 0 2: rate: found 'nanGbps'"},
       {"4 2 1\n2 3\n0 2 1Gbps nanns 0\n", "f:3: link 0 2: delay: found 'nanns'"},
       {"4 2 1\n2 3\n0 2 1Gbps 1ns nan\n", "f:3: link 0 2: error rate: found 'nan'"},
       {"4 2 1\n2 3\n0 2 1Gbps 1ns 2\n", "f:3: link 0 2: error rate: found '2', expected 0 to 1"}},
      "ns3");
}

TEST(Ns3, IsRecognizedByTheNumbersDespiteAWrongRate) {
  const auto read = read_fabric_text("4 2 1\n2 3\n0 2 NaNGbps 1ns 0\n", "f");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, testing::StartsWith("f:3: link 0 2: rate: found 'NaNGbps'"));
}

/// Two servers of two GPUs; NVSwitches 4 and 5, leaves 6 and 7.
TEST(Simai, ReadsTheGpusOfAServerAsAdaptersOfAHost) {
  const ReadResult got = read_as(
      "8 2 2 2 8 H100\n4 5 6 7\n0 4 2880Gbps 0.000025ms 0\n1 4 2880Gbps 0.000025ms 0\n"
      "2 5 2880Gbps 0.000025ms 0\n3 5 2880Gbps 0.000025ms 0\n0 6 400Gbps 0.0005ms 0\n"
      "1 7 400Gbps 0.0005ms 0\n2 6 400Gbps 0.0005ms 0\n3 7 400Gbps 0.0005ms 0\n",
      "simai");
  EXPECT_THAT(cables_of(got.fabric),
              ElementsAre("sw-6 1 - host-0 mlx5_0 1 4xNDR", "sw-6 2 - host-1 mlx5_0 1 4xNDR",
                          "sw-7 1 - host-0 mlx5_1 1 4xNDR", "sw-7 2 - host-1 mlx5_1 1 4xNDR"));
  EXPECT_THAT(got.warnings, ElementsAre(HasSubstr("2 NVSwitches and their 4 links are left out")));
  expect_wrong({{"8 2 2 2 8 P100\n", "f:1: GPU type: found 'P100'"},
                {"8 3 2 2 8 H100\n", "f:1: GPUs of a server: found 3, expected a divisor of the 4"},
                {"8 2 2 2 0 H100\n3 5 6 7\n", "f:2: found a switch with a number below 4"}},
               "simai");
}

// ---- CODES ----

/// The dump of a topology by CODES, for use by a subnet manager.
TEST(CodesDump, ReadsGuidsAndPortsFromComments) {
  const ReadResult got = read_as(
      "digraph fattree {\n\"S_0_0\" [comment=\"0x0000000100000000,radix=36\"];\n"
      "\"S_1_0\" [comment=\"0x0000000200000000,radix=36,root_switch\"];\n"
      "\"H_0\" [comment=\"0x0000004000000000\"];\n"
      "\"S_0_0\" -> \"H_0\" [comment=\"P4->P1\"];\n\"H_0\" -> \"S_0_0\" [comment=\"P1->P4\"];\n"
      "\"S_0_0\" -> \"S_1_0\" [comment=\"P20->P?\"];\n\"S_1_0\" -> \"S_0_0\" "
      "[comment=\"P?->P20\"];\n}\n",
      "dot");
  EXPECT_THAT(cables_of(got.fabric),
              ElementsAre("S_0_0 4 - H_0 1 4xSDR", "S_0_0 20 - S_1_0 1 4xSDR"));
  EXPECT_EQ(got.fabric.node(SwitchId(0)).node_guid, Guid(0x100000000));
  EXPECT_EQ(got.fabric.node(SwitchId(0)).port_count, 36);
  EXPECT_EQ(got.fabric.node(NodeId(2)).node_guid, Guid(0x4000000000));
}

// ---- InfraGraph ----

const std::string kInfraHead =
    "name: two\n"
    "devices:\n"
    "- {name: box, components: [{name: gpu, count: 2, choice: xpu}, {name: nic, count: 2, choice: "
    "nic}]}\n"
    "- {name: sw, components: [{name: asic, count: 1, choice: cpu}, {name: port, count: 4, choice: "
    "port}]}\n"
    "links:\n"
    "- {name: fast, physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: "
    "400}}}\n"
    "instances:\n"
    "- {name: host, device: box, count: 2}\n"
    "- {name: leaf, device: sw, count: 2}\n"
    "edges:\n";

std::string infra_edge(const std::string& a, const std::string& b,
                       const std::string& scheme = "one2one", const std::string& link = "fast") {
  const auto end = [](const std::string& text) {
    const std::size_t space = text.find(' ');
    return fmt::format("{{instance: \"{}\", component: \"{}\"}}", text.substr(0, space),
                       text.substr(space + 1));
  };
  return fmt::format("- {{ep1: {}, ep2: {}, scheme: {}, link: {}}}\n", end(a), end(b), scheme,
                     link);
}

TEST(Infragraph, ExpandsSlicesByInstanceThenComponent) {
  const ReadResult got = read_as(kInfraHead + infra_edge("host nic[0]", "leaf[0] port[0:2]") +
                                     infra_edge("host[0:2] nic[1]", "leaf[1] port[2:4]") +
                                     infra_edge("leaf[0] port[3]", "leaf[1] port[0]"),
                                 "infragraph");
  EXPECT_THAT(cables_of(got.fabric),
              ElementsAre("leaf.0 1 - host.0 nic.0 1 4xNDR", "leaf.0 2 - host.1 nic.0 1 4xNDR",
                          "leaf.0 4 - leaf.1 1 4xNDR", "leaf.1 3 - host.0 nic.1 1 4xNDR",
                          "leaf.1 4 - host.1 nic.1 1 4xNDR"));
  EXPECT_THAT(got.warnings, IsEmpty());
}

/// JSON under the key "infrastructure", as the service of InfraGraph writes it, with adapters in
/// modules.
TEST(Infragraph, ReadsJsonAndComponentsInDevices) {
  const ReadResult got = read_as(
      R"({"infrastructure": {"name": "x", "devices": [
  {"name": "card", "components": [{"name": "port", "count": 2, "choice": "port"}, {"name": "chip", "choice": "nic"}]},
  {"name": "box", "components": [{"name": "card", "count": 2, "choice": "device"}]},
  {"name": "sw", "components": [{"name": "port", "count": 8, "choice": "port"}]}],
  "instances": [{"name": "h", "device": "box", "count": 1}, {"name": "s", "device": "sw", "count": 1}],
  "edges": [{"ep1": {"instance": "h[0]", "component": "card[1].port[0:2]"},
             "ep2": {"instance": "s[0]", "component": "port[4:6]"}, "scheme": "one2one"}]}})"
      "\n",
      "infragraph");
  EXPECT_THAT(cables_of(got.fabric),
              ElementsAre("s.0 5 - h.0 card.1 1 4xSDR", "s.0 6 - h.0 card.1 2 4xSDR"));
}

TEST(Infragraph, NamesTheLineAndObjectOfErrors) {
  const auto with = [](const std::string& edge) { return kInfraHead + edge; };
  expect_wrong(
      {{"a: 1\n", "f:1: the infrastructure has no list 'devices'"},
       {"a: [1\n", "f:2: did not find expected ',' or ']'"},
       {"a: *b\n", "f:1: found an alias (*), expected none"},
       {"a: 1\na: 2\n", "f:2: key 'a' is given twice"},
       {with(infra_edge("hosts nic[0]", "leaf port[0]")), "f:11: ep1: instance: found 'hosts'"},
       {with(infra_edge("host[0:3] nic[0]", "leaf port[0]")),
        "f:11: ep1: instance 'host[0:3]': expected numbers below 2"},
       {with(infra_edge("host nic[2]", "leaf port[0]")),
        "f:11: ep1: component: found 'nic[2]', expected numbers below 2"},
       {with(infra_edge("host cpu[0]", "leaf port[0]")),
        "f:11: ep1: component: found 'cpu[0]', expected a component of the device"},
       {with(infra_edge("host a.a.a.a.a.a.a.a.a", "leaf port[0]")),
        "f:11: ep1: component: found 9 names, expected at most 8"},
       {with(infra_edge("host nic[0]", "leaf port[0]", "ring")),
        "f:11: scheme: found 'ring', expected one2one or many2many"},
       {with(infra_edge("host nic[0]", "leaf port[0]", "one2one", "slow")),
        "f:11: link: no link has the name 'slow'"},
       {with(infra_edge("host[0] nic[0:2]", "leaf[0] port[0]", "many2many")),
        "f:11: leaf.0 port 0: has another cable already"},
       {with(infra_edge("leaf[0] port[0]", "leaf[0] port[1]")),
        "f:11: the edge connects leaf.0 to itself"},
       {"devices:\n- {name: a, components: [{name: p, count: nan}]}\ninstances: []\nedges: []\n",
        "f:2: component 'p': count: found 'nan', expected 0 to"},
       {"devices: []\ninstances:\n- {name: a, device: b}\nedges: []\n",
        "f:3: instance 'a': no device has the name 'b'"},
       {"devices: []\nlinks:\n- {name: l, physical: {bandwidth: {gigabits_per_second: .nan}}}\n"
        "instances: []\nedges: []\n",
        "f:3: link 'l': gigabits_per_second: found '.nan', expected a positive number"},
       {"devices: []\ninstances: []\nedges: []\n",
        "f: the infrastructure has no switches and no edges"}},
      "infragraph");
}

TEST(InfraSlices, SelectNumbersLikeSlicesOfPython) {
  const auto numbers = [](const char* text) {
    const auto slice = parse_infra_slice(text);
    const auto range = slice ? slice->of(6) : std::nullopt;
    return range ? *range : std::vector<std::uint32_t>{99};
  };
  EXPECT_THAT(numbers("nic"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(numbers("nic[4]"), ElementsAre(4));
  EXPECT_THAT(numbers("nic[2:4]"), ElementsAre(2, 3));
  EXPECT_THAT(numbers("nic[:2]"), ElementsAre(0, 1));
  EXPECT_THAT(numbers("nic[4:]"), ElementsAre(4, 5));
  EXPECT_THAT(numbers("nic[0:6:2]"), ElementsAre(0, 2, 4));
  EXPECT_THAT(numbers("nic[3:3]"), IsEmpty());
  for (const char* wrong : {"", "[0]", "nic[", "nic[]", "nic[6]", "nic[0:7]", "nic[a]", "nic[-1]",
                            "nic[0:2:0]", "nic[0:1:1:1]", "nic[4294967295]"})
    EXPECT_THAT(numbers(wrong), ElementsAre(99)) << wrong;
}

}  // namespace
}  // namespace weft
