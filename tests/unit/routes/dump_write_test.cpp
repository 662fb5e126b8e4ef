// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/dump/write.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/file.h"
#include "fabric/formats/read.h"
#include "routes/dump/read.h"
#include "support/tiny.h"

namespace weft {
namespace {

using Writer = void (*)(const Fabric&, const Routes&, const Append&);

std::string text_of(Writer write, const Fabric& fabric, const Routes& routes) {
  std::string text;
  write(fabric, routes, [&](std::string_view piece) { text.append(piece); });
  return text;
}

/// A folder of tests/reference/opensm-3.3.23 with its fabric and routes.
class Reference {
 public:
  explicit Reference(const std::string& name)
      : folder_(std::string(WEFT_SOURCE_DIR) + "/tests/reference/opensm-3.3.23/" + name + "/") {
    auto read = read_fabric(folder_ + "fabric.topo");
    EXPECT_TRUE(read) << read.error().message;
    fabric_ = std::move(read->fabric);
    auto lfts = read_lfts(fabric_, folder_ + "opensm-lfts.dump", warnings_);
    EXPECT_TRUE(lfts) << lfts.error().message;
    routes_.lfts = std::move(*lfts);
    auto mfts = read_mfts(fabric_, folder_ + "opensm.mcfdbs", warnings_);
    EXPECT_TRUE(mfts) << mfts.error().message;
    routes_.mfts = std::move(*mfts);
  }

  void expect_same(const std::string& file, Writer write) {
    const auto want = read_file(folder_ + file);
    ASSERT_TRUE(want) << want.error().message;
    EXPECT_EQ(text_of(write, fabric_, routes_), *want) << file;
  }

  const std::string& folder() const { return folder_; }
  const Fabric& fabric() const { return fabric_; }
  Routes& routes() { return routes_; }
  Warnings& warnings() { return warnings_; }

 private:
  std::string folder_;
  Fabric fabric_;
  Routes routes_;
  Warnings warnings_;
};

TEST(DumpWrite, WritesTheBytesOfOpenSmForARingWithLmc) {
  Reference reference("ring3-lmc1");
  const auto sl2vl =
      read_slvl(reference.fabric(), reference.folder() + "opensm-sl2vl.dump", reference.warnings());
  ASSERT_TRUE(sl2vl) << sl2vl.error().message;
  reference.routes().sl2vl = *sl2vl;
  EXPECT_TRUE(reference.warnings().take().empty());
  reference.expect_same("opensm.fdbs", &write_fdbs);
  reference.expect_same("opensm-lfts.dump", &write_lfts);
  reference.expect_same("opensm-lid-matrix.dump", &write_lid_matrix);
  reference.expect_same("opensm.mcfdbs", &write_mcfdbs);
  reference.expect_same("opensm-sl2vl.dump", &write_sl2vl);
}

TEST(DumpWrite, WritesTheBytesOfOpenSmForTablesWithFaults) {
  Reference reference("ring5-file");
  reference.expect_same("opensm.fdbs", &write_fdbs);
  reference.expect_same("opensm-lfts.dump", &write_lfts);
  reference.expect_same("opensm-lid-matrix.dump", &write_lid_matrix);
  reference.expect_same("opensm.mcfdbs", &write_mcfdbs);
}

//  H0 - S0 - S1 - H1      LIDs: 3 for H0, 4 for H1
struct Pair {
  Fabric fabric = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  Routes routes;
  Pair() { routes.lfts = Lfts(2, fabric.lid_top()); }
};

TEST(DumpWrite, ListsPathSlsOfCasAndThenOfSwitches) {
  Pair pair;
  pair.routes.path_sl = PathSl::by_switch_pair(2, {0, 3, 5, 0});
  EXPECT_EQ(text_of(&write_psl, pair.fabric, pair.routes),
            "0x0000000000010000 3 0\n0x0000000000010000 4 3\n"
            "0x0000000000010000 1 0\n0x0000000000010000 2 3\n"
            "0x0000000000010010 3 5\n0x0000000000010010 4 0\n"
            "0x0000000000010010 1 5\n0x0000000000010010 2 0\n"
            "0x0000000000000100 3 0\n0x0000000000000100 4 3\n"
            "0x0000000000000100 1 0\n0x0000000000000100 2 3\n"
            "0x0000000000000101 3 5\n0x0000000000000101 4 0\n"
            "0x0000000000000101 1 5\n0x0000000000000101 2 0\n");
}

/// Port 2 of the first CA, between two ports cabled to the switch, is cabled to the second CA.
TEST(DumpWrite, ListsThePathSlsOfACaOnce) {
  Tiny tiny(1);
  FabricBuilder& builder = tiny.builder();
  Node ca;
  ca.node_guid = ca.system_guid = Guid(0x10000);
  ca.port_count = 3;
  const auto first = builder.add_node(ca);
  ca.node_guid = ca.system_guid = Guid(0x20000);
  const auto second = builder.add_node(ca);
  ASSERT_TRUE(builder.connect(first, PortNum(1), 0, PortNum(1)));
  ASSERT_TRUE(builder.connect(first, PortNum(2), second, PortNum(1)));
  ASSERT_TRUE(builder.connect(first, PortNum(3), 0, PortNum(2)));
  const Fabric fabric = tiny.build();
  Routes routes;
  routes.lfts = Lfts(1, fabric.lid_top());
  const std::string text = text_of(&write_psl, fabric, routes);
  const auto count = [&](std::string_view row) {
    std::size_t rows = 0;
    for (std::size_t at = 0; (at = text.find(row, at)) != std::string::npos; ++at) ++rows;
    return rows;
  };
  EXPECT_EQ(count("0x0000000000010000 1 "), 1u) << text;
}

TEST(DumpWrite, ListsMulticastLidsWithAnSl) {
  Pair pair;
  EXPECT_EQ(text_of(&write_multicast_sl, pair.fabric, pair.routes), "");
  pair.routes.multicast_sl = {{Lid(0xC000), Sl(3)}, {Lid(0xC00A), Sl(15)}};
  EXPECT_EQ(text_of(&write_multicast_sl, pair.fabric, pair.routes), "0xC000 3\n0xC00A 15\n");
}

TEST(DumpWrite, PacksTwoVlsPerByte) {
  Pair pair;
  SlMap map{};
  for (unsigned sl = 0; sl < kSlCount; ++sl) map[sl] = static_cast<std::uint8_t>(15 - sl);
  pair.routes.sl2vl = Sl2Vl(modulo_map(8));
  pair.routes.sl2vl.set(SwitchId(1), PortNum(0), PortNum(2), map);
  const std::string text = text_of(&write_slvl, pair.fabric, pair.routes);
  EXPECT_NE(text.find("0x0000000000000101 0 2 0xfe 0xdc 0xba 0x98 0x76 0x54 0x32 0x10\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("0x0000000000000101 8 2 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67\n"),
            std::string::npos)
      << text;
  // A line for each cabled output port and each input port of the two switches.
  EXPECT_EQ(std::ranges::count(text, '\n'), 2 * 2 * 9);
}

TEST(DumpWrite, EscapesLineBreaksInNames) {
  Tiny tiny(1);
  tiny.builder().node(0).description = "two\nlines";
  const Fabric fabric = tiny.hosts(0).build();
  Routes routes;
  routes.lfts = Lfts(1, fabric.lid_top());
  routes.lfts.set(SwitchId(0), Lid(1), PortNum(0));
  EXPECT_EQ(text_of(&write_lfts, fabric, routes),
            "Unicast lids [0-2] of switch Lid 1 guid 0x0000000000000100 ('two\\nlines'):\n"
            "0x0001 000 # Switch portguid 0x0000000000000100: 'two\\nlines'\n"
            "2 lids dumped\n");
}

TEST(DumpWrite, WritesOnlyHeaderLinesForAFabricWithoutLids) {
  const Fabric fabric = *Tiny(1).hosts(0).builder().build();
  Routes routes;
  routes.lfts = Lfts(1, fabric.lid_top());
  EXPECT_EQ(text_of(&write_fdbs, fabric, routes),
            "dump_ucast_routes: Switch 0x0000000000000100\nLID    : Port : Hops : Optimal\n");
  EXPECT_EQ(text_of(&write_psl, fabric, routes), "");
  EXPECT_EQ(text_of(&write_mcfdbs, fabric, routes), "");
}

}  // namespace
}  // namespace weft
