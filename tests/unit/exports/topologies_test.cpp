// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Topologies for graph libraries and simulators. tests/interop/topology_export_test.py runs the
// programs that read the written files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exports/astra_sim.h"
#include "exports/codes.h"
#include "exports/graphml.h"
#include "exports/ns3.h"
#include "exports/simgrid.h"
#include "exports/xml_text.h"
#include "fabric/formats/read.h"
#include "routing/engine.h"
#include "support/fabric_compare.h"
#include "support/fabric_of.h"
#include "support/fabrics.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RoutedFabric view_of(const Fabric& fabric, const Routes* routes = nullptr) {
  return {fabric, routes, switch_names(fabric, {}), hosts_of(fabric, {})};
}

Routes routes_of(const Fabric& fabric, const char* engine) {
  auto routes = find_engine(engine)->run(fabric, {});
  EXPECT_TRUE(routes) << routes.error().message;
  return std::move(*routes);
}

std::string text_of(const auto& write) {
  std::string text;
  write([&](std::string_view piece) { text.append(piece); });
  return text;
}

TEST(XmlText, EscapesReservedAndControlCharacters) {
  EXPECT_EQ(xml_text("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(xml_text("\x01"), "\\x01");
}

TEST(LftRuns, JoinEqualPorts) {
  Lfts lfts(1, Lid(8));
  for (const auto& [lid, port] :
       {std::pair(1, 7), std::pair(2, 7), std::pair(3, 7), std::pair(5, 3), std::pair(6, 0)})
    lfts.set(SwitchId(0), Lid(static_cast<std::uint16_t>(lid)),
             PortNum(static_cast<std::uint8_t>(port)));
  EXPECT_EQ(lft_runs(lfts, SwitchId(0), Lid(8)), "1-3:7 5:3 6:0");
}

/// A fabric written as GraphML is the same when read again, except for MTUs.
TEST(GraphmlExport, IsReadAsTheSameFabric) {
  std::vector<std::string> specs(kSmallSpecs.begin(), kSmallSpecs.end());
  specs.insert(specs.end(),
               {"rail:su=2,servers=2,nics=2,k=8,planes=2", "polarfly:q=3,speed=HDR,width=2x",
                "railonly:su=1,servers=4,nics=2,k=8"});
  for (const std::string& spec : specs) {
    const Fabric fabric = fabric_of(spec, 1);
    const auto read = read_fabric_text(
        text_of([&](const Append& append) { write_graphml(view_of(fabric), {}, append); }), spec);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->format, "graphml");
    EXPECT_THAT(read->warnings, IsEmpty()) << spec;
    EXPECT_THAT(differences(fabric, read->fabric, {.mtu = false}), IsEmpty()) << spec;
  }
}

TEST(GraphmlExport, CountsHostsOfSwitchesForSst) {
  const Fabric fabric = fabric_of("fattree2:k=4");
  const auto read =
      read_fabric_text(text_of([&](const Append& append) {
                         write_graphml(view_of(fabric), {.switches_only = true}, append);
                       }),
                       "sst");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->fabric.ca_count(), 8u) << "number of hosts by the attribute endpoints";
  EXPECT_EQ(read->fabric.switch_link_count(), 8u);
}

TEST(Omissions, AreStatedOnlyIfTheFormatLosesProperties) {
  const Fabric fabric = fabric_of("ring:n=5,hosts=2");
  EXPECT_THAT(omissions(view_of(fabric), "graphml", {.routes = true, .lids = true, .ports = true}),
              IsEmpty());
  const Routes updn = routes_of(fabric, "updn");
  EXPECT_THAT(
      omissions(view_of(fabric, &updn), "ns3", {}),
      ElementsAre(
          "ns3 cannot contain forwarding tables: the reader of the file selects paths itself; of "
          "90 paths of updn between hosts 8 are longer than a shortest path"));
  const Routes lash = routes_of(fabric, "lash");
  EXPECT_THAT(
      omissions(view_of(fabric, &lash), "graphml", {.routes = true, .lids = true, .ports = true}),
      ElementsAre(HasSubstr("service levels and virtual lanes: the routes of lash use 2 VLs")));
  EXPECT_THAT(omissions(view_of(fabric, &updn), "codes",
                        {.routes = true, .rates = false, .ports = true, .several_ports = false}),
              ElementsAre("codes cannot contain rates of links"));
  const Fabric rail = fabric_of("rail:su=1,servers=2,nics=2,k=8,planes=2");
  EXPECT_THAT(
      omissions(view_of(rail), "x", {.lids = true, .several_ports = false}),
      ElementsAre(HasSubstr("ports without a cable"), HasSubstr("each adapter of 2 hosts")));
}

TEST(Ns3Export, RefusesHostsWithDifferentNumbersOfGpus) {
  const Fabric rail = fabric_of("rail:su=2,servers=2,nics=2,k=8,dead=1,seed=1");
  const auto ports = ports_per_host(view_of(rail), "simai");
  ASSERT_FALSE(ports);
  EXPECT_THAT(ports.error().message, HasSubstr("expected the same number of ports, one for each"));
}

TEST(SimgridExport, RefusesMorePathsThanTheLimit) {
  const Fabric fabric = fabric_of("fattree3:k=24");
  const Routes routes = routes_of(fabric, "minhop");
  const auto status = check_simgrid(view_of(fabric, &routes));
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("3456 ports of hosts have 11940480 paths"));
  EXPECT_TRUE(check_simgrid(view_of(fabric)));
}

/// A fabric from a dump of CODES has the same GUIDs when it is written again.
TEST(CodesExport, KeepsTheGuidsOfADumpOfCodes) {
  const auto read = read_fabric_text(
      "<graphml><key id=\"t\" attr.name=\"type\"/><key id=\"g\" attr.name=\"guid\"/>"
      "<graph edgedefault=\"undirected\">"
      "<node id=\"s\"><data key=\"g\">0000000100000005</data></node>"
      "<node id=\"a\"><data key=\"t\">host</data><data key=\"g\">0000004000000007</data></node>"
      "<node id=\"b\"><data key=\"t\">host</data><data key=\"g\">0000004000000009</data></node>"
      "<edge source=\"s\" target=\"a\"/><edge source=\"s\" target=\"b\"/></graph></graphml>\n",
      "codes");
  ASSERT_TRUE(read) << read.error().message;
  const Fabric fabric = with_lids(read->fabric);
  const Routes routes = routes_of(fabric, "minhop");
  const RoutedFabric input = view_of(fabric, &routes);
  const auto guids = codes_guids(input);
  ASSERT_TRUE(guids) << guids.error().message;
  EXPECT_THAT(guids->switches, ElementsAre(0x100000005u));
  EXPECT_EQ(codes_file_name(guids->switches[0]), "0x0000000100000005.lft");
  EXPECT_THAT(codes_table(input, *guids, SwitchId(0)), HasSubstr("0x0000004000000009 2\n"));
  EXPECT_THAT(codes_guids(view_of(fabric)).error().message, HasSubstr("found no routes"));
}

TEST(AstraSimExport, RefusesFewerThanTwoNpus) {
  EXPECT_THAT(astra_dimensions(view_of(fabric_of("line:n=1")), {}).error().message,
              HasSubstr("found one host with one port, expected two NPUs"));
}

}  // namespace
}  // namespace weft
