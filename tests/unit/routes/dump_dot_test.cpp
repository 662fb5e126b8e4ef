// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routes in Graphviz graphs: the routes are equal when written and read again, and a graph in the
// form of the ORCS report is read.
#include "routes/dump/dot.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "fabric/formats/read.h"
#include "fabric/lids.h"
#include "support/fabric_compare.h"
#include "support/fabric_of.h"
#include "support/temp_dir.h"
#include "support/tiny.h"

namespace weft {
namespace {

/// Tables made without an engine: the entry of each base LID is the port by which a breadth-first
/// search from the destination first reaches the switch.
Lfts shortest_tables(const Fabric& fabric) {
  Lfts lfts(fabric.switch_count(), fabric.lid_top());
  for (const Endport& to : fabric.endports()) {
    std::vector<std::uint32_t> queue{to.sw.value()};
    std::vector<bool> visited(fabric.switch_count(), false);
    visited[to.sw.value()] = true;
    lfts.set(to.sw, to.lid, to.sw_port);
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const Channel& c : fabric.channels_from(SwitchId(queue[i]))) {
        if (visited[c.to.value()]) continue;
        visited[c.to.value()] = true;
        lfts.set(c.to, to.lid, c.to_port);
        queue.push_back(c.to.value());
      }
  }
  return lfts;
}

Result<Lfts> read_text(const Fabric& fabric, const std::string& text, std::string& warnings) {
  const TempDir dir;
  const std::string path = dir / "g.dot";
  EXPECT_TRUE(write_file(path, text));
  Warnings warned;
  auto lfts = read_lfts(fabric, path, warned);  // recognizes the format by the content
  warnings = joined(warned.take());
  for (std::size_t at = warnings.find(path); at != std::string::npos; at = warnings.find(path))
    warnings.replace(at, path.size(), "f");
  if (!lfts && lfts.error().message.starts_with(path))
    lfts.error().message.replace(0, path.size(), "f");
  return lfts;
}

std::string written(const Fabric& fabric, const Lfts& lfts) {
  Routes routes;
  routes.lfts = lfts;
  std::string text;
  write_dot_routes(fabric, routes, [&](std::string_view piece) { text.append(piece); });
  return text;
}

// H0 and H1 on S0, H2 on S1, H3 on S2. Two cables join S0 and S1; one cable joins S1 and S2.
TEST(DotRoutes, AreEqualWhenReadBack) {
  const Fabric fabric = Tiny(3).hosts(0, 2).link(0, 1, 2).hosts(1).link(1, 2).hosts(2).build();
  const Lfts lfts = shortest_tables(fabric);
  const std::string text = written(fabric, lfts);
  std::string warnings;
  const auto again = read_text(fabric, text, warnings);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(warnings, "");
  EXPECT_EQ(*again, lfts);

  const auto read = read_fabric_text(text, "f");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->format, "dot");
  EXPECT_EQ(joined(read->warnings), "");
  FabricCompare what;
  what.unconnected_port_guids = what.mtu = what.revision = what.data_vls = false;
  EXPECT_EQ(joined(differences(fabric, read->fabric, what)), "");
}

// A graph after listing 1 of the ORCS report, with fewer switches and hosts, and with edges of S11
// to its hosts.
const std::string kReport = R"(digraph network {
  "S1" -> "H1" [ comment = "H1" ];
  "S1" -> "H2" [ comment = "H2" ];
  "H1" -> "S1" [ comment = "*" ];
  "H2" -> "S1" [ comment = "*" ];
  "S1" -> "S11" [ comment = "H5" ];
  "S1" -> "S11" [ comment = "H6,H1" ];
  "S11" -> "S1" [ comment = "H1" ];
  "S11" -> "S1" [ comment = "*" ];
  "S11" -> "H5" [ comment = "H5" ];
  "S11" -> "H6" [ comment = "H6	H7" ];
  "H5" -> "S11" [ comment = "*" ];
  "H6" -> "S11" [ comment = "*" ];
}
)";

TEST(DotRoutes, UseTheFirstMatchingEdge) {
  auto read = read_fabric_text(kReport, "f");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(joined(read->warnings), "");
  ASSERT_EQ(read->fabric.switch_count(), 2u);
  ASSERT_EQ(read->fabric.ca_count(), 4u);
  EXPECT_EQ(read->fabric.link_count(), 6u);
  const Fabric fabric = with_lids(read->fabric);
  std::string warnings;
  const auto lfts = read_text(fabric, kReport, warnings);
  ASSERT_TRUE(lfts) << lfts.error().message;
  EXPECT_EQ(warnings, "f:11: destination 'H7' is no endport of the fabric: left out\n");
  const auto port = [&](unsigned sw, const char* host) {
    for (const Endport& endport : fabric.endports())
      if (fabric.node(endport.node).description == host)
        return int{lfts->port(SwitchId(sw), endport.lid).value()};
    return -1;
  };
  // Ports are numbered in the order of the file. The peers of S1 are H1, H2, S11, S11. The peers of
  // S11 are S1, S1, H5, H6.
  EXPECT_EQ(port(0, "H1"), 1);
  EXPECT_EQ(port(0, "H2"), 2);
  EXPECT_EQ(port(0, "H5"), 3);
  EXPECT_EQ(port(0, "H6"), 4);
  EXPECT_EQ(port(1, "H1"), 1);
  EXPECT_EQ(port(1, "H2"), 2);
  EXPECT_EQ(port(1, "H5"), 2) << "the edge with a star is before the edge that lists H5";
  EXPECT_EQ(port(1, "S11"), 0);
}

TEST(DotRoutes, AreMatchedToAnotherFabricByName) {
  // A fabric with nodes of the same names, other GUIDs and other ports.
  const Fabric fabric = Tiny(1).hosts(0, 2).build();
  std::string warnings;
  const auto lfts = read_text(fabric,
                              "digraph g {\n"
                              "a [label=S0]; H7 [label=H0];\n"
                              "a -> H7 [comment=H7]; H7 -> a [comment=\"*\"]\n"
                              "a -> H1 [comment=\"H1 H7\", taillabel=3]; H1 -> a\n"
                              "b -> a [comment=H7]; a -> b\n}\n",
                              warnings);
  ASSERT_TRUE(lfts) << lfts.error().message;
  EXPECT_EQ(warnings,
            "f: \"b\" is no switch of the fabric: left out\n"
            "f:4: edge \"a\" to \"H1\", ports 3 and 1: no cable of the fabric: left out\n"
            "f:5: edge \"a\" to \"b\", ports 2 and 1: no cable of the fabric: left out\n");
  EXPECT_EQ(lfts->port(SwitchId(0), fabric.endport(EndportId(1)).lid), PortNum(1));
  EXPECT_EQ(lfts->port(SwitchId(0), fabric.endport(EndportId(2)).lid), kNoRoute);
}

TEST(DotRoutes, RejectAGraphWithoutRoutes) {
  const Fabric fabric = Tiny(1).hosts(0, 2).build();
  std::string warnings;
  const auto lfts = read_text(fabric, "digraph g { S0 -> H0; H0 -> S0 }\n", warnings);
  ASSERT_FALSE(lfts);
  EXPECT_EQ(lfts.error().message,
            "f: no edge has a comment that lists hosts of the fabric: the graph holds no routes");
}

TEST(DotRoutes, ApplyToAllPortsAndLidsOfAHost) {
  Tiny tiny(2);
  Node node;
  node.node_guid = Guid(0x9000);
  node.port_count = 2;
  node.description = "two \"ports\" \\ here";
  const auto host = tiny.builder().add_node(node);
  ASSERT_TRUE(tiny.builder().connect(host, PortNum(1), 0, PortNum(7)));
  ASSERT_TRUE(tiny.builder().connect(host, PortNum(2), 1, PortNum(7)));
  const Fabric fabric = tiny.link(0, 1).hosts(0).build(1);
  Lfts lfts = shortest_tables(fabric);
  for (const Endport& endport : fabric.endports())
    for (unsigned s = 0; s < 2; ++s)
      for (unsigned i = 1; i < 1u << endport.lmc; ++i)
        lfts.set(SwitchId(s), Lid(static_cast<std::uint16_t>(endport.lid.value() + i)),
                 lfts.port(SwitchId(s), endport.lid));
  const std::string text = written(fabric, lfts);
  EXPECT_NE(text.find("H0000000000009000:2"), std::string::npos);
  const auto read = read_fabric_text(text, "f");
  ASSERT_TRUE(read) << read.error().message;
  std::string warnings;
  const auto again = read_text(read->fabric, text, warnings);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, lfts);
  FabricCompare what;
  what.unconnected_port_guids = what.mtu = what.revision = what.data_vls = false;
  EXPECT_EQ(joined(differences(fabric, read->fabric, what)), "");
}

}  // namespace
}  // namespace weft
