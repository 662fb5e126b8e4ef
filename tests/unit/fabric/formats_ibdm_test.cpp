// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ibdm topologies and IBNL definitions: texts that are accepted, and texts that are rejected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "fabric/formats/ibdm/ibnl_library.h"
#include "fabric/formats/read.h"
#include "support/cpu_watch.h"
#include "support/errors.h"
#include "support/fabric_compare.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

using testing::HasSubstr;

/// A chassis of two boards that are cabled to each other. The board type LEAF has a variant with
/// one wide plug. Connections of leaf1:
///   U1.3 - U2.1, U1.1 -> P1, U1.2 -> P2, U2.2 -> P3
const char* const kChassis =
    "SYSTEM LEAF,LEAF:4x\n"
    "NODE SW 8 MT43132 U1\n"
    "  1 -> P1\n"
    "  2 -5G-> P2\n"
    "  3 -4x-10G-> U2 1\n"
    "NODE SW 4 MT43132 U2\n"
    "  1 -> U1 3\n"
    "  2 -> P3\n"
    "SYSTEM LEAF:12x\n"
    "NODE SW 8 MT47396 U1\n"
    "  1 -> P1\n"
    "  5 -12x-> W1\n"
    "\n"
    "TOPSYSTEM Box,BX-2\n"
    "leaf1/U1=isChaBma\n"
    "SUBSYSTEM LEAF leaf1\n"
    "  P1 -> leaf2 P1\n"
    "  P2 -4x-10G-> L1/P2\n"
    "  P3 -> L1/P3\n"
    "  W1 -> L1/W\n"
    "SUBSYSTEM LEAF leaf2\n"
    "  P1 -> leaf1 P1\n"
    "  P2 -> L2/P2\n"
    "  W1 -> L2/W\n";

class Topo : public testing::Test {
 protected:
  Topo() { define("Box.ibnl", kChassis); }
  void define(const std::string& name, std::string_view text) {
    EXPECT_TRUE(write_file(dir_ / name, text));
  }
  Result<ReadResult> read(std::string text) const {
    return read_fabric_text(std::move(text), "t", {.format = "topo", .ibnl_dir = dir_.path()});
  }
  std::string error(std::string text) const { return error_of(read(std::move(text))); }
  /// Returns the error of a topology (by default one system A of type T) with `ibnl` as the
  /// definition of type T.
  std::string error_with(std::string_view ibnl, std::string text = "T A\n") {
    define("T.ibnl", ibnl);
    return error(std::move(text));
  }
  TempDir dir_;
};

const Node* find_node(const Fabric& fabric, std::string_view name) {
  for (std::uint32_t i = 0; i < fabric.node_count(); ++i)
    if (fabric.node(NodeId(i)).description == name) return &fabric.node(NodeId(i));
  return nullptr;
}

/// "NODE PORT RATE" of the peer of the given port; "none" if the port has no cable.
std::string peer(const Fabric& fabric, std::string_view node, std::uint8_t port) {
  for (std::uint32_t i = 0; i < fabric.node_count(); ++i) {
    if (fabric.node(NodeId(i)).description != node) continue;
    const Port& at = fabric.ports(NodeId(i))[port];
    if (at.peer == kNoPort) return "none";
    const Port& far = fabric.port(at.peer);
    return fmt::format("{} {} {}{}", fabric.node(far.node).description, far.num.value(),
                       name(at.width), name(at.speed));
  }
  return "no such node";
}

TEST_F(Topo, ExpandsSystemsIntoChips) {
  const auto got = read(
      "Box A\n  L1/P2 -> MT23108 H-1 P1\n  L2/P2 -> BX-2 B L1/P3 # a comment\n\n"
      "# another\nBX-2 B\n\tL1/P3 -8x-5G-> Box A L2/P2\n");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(joined(got->warnings), "");
  const Fabric& fabric = got->fabric;
  EXPECT_EQ(fabric.switch_count(), 8u);
  EXPECT_EQ(fabric.ca_count(), 1u);
  EXPECT_EQ(fabric.link_count(), 3u + 3u + 2u);
  EXPECT_EQ(peer(fabric, "A/leaf1/U1", 1), "A/leaf2/U1 1 4xSDR");
  EXPECT_EQ(peer(fabric, "A/leaf1/U1", 3), "A/leaf1/U2 1 4xQDR");
  EXPECT_EQ(peer(fabric, "H-1/U1", 1), "A/leaf1/U1 2 4xSDR");
  EXPECT_EQ(peer(fabric, "A/leaf2/U1", 2), "B/leaf1/U2 2 8xDDR");
  EXPECT_EQ(peer(fabric, "B/leaf1/U1", 2), "none");
}

TEST_F(Topo, NumbersNodesByName) {
  const auto got = read("Box A\n  L1/P2 -> MT23108 H-2 P1\n  L2/P2 -> MT23108 H-10 P2\n");
  ASSERT_TRUE(got) << got.error().message;
  const Node* first = find_node(got->fabric, "A/leaf1/U1");
  const Node* second = find_node(got->fabric, "A/leaf1/U2");
  const Node* ten = find_node(got->fabric, "H-10/U1");
  const Node* two = find_node(got->fabric, "H-2/U1");
  ASSERT_TRUE(first && second && ten && two);
  EXPECT_EQ(first->node_guid, Guid(0x0002c90000000002));
  EXPECT_EQ(second->node_guid, Guid(0x0002c90000000004));
  EXPECT_EQ(second->system_guid, first->node_guid);
  EXPECT_EQ(ten->node_guid, Guid(0x0002c9000000000a));
  EXPECT_EQ(two->node_guid, Guid(0x0002c9000000000d));
  EXPECT_EQ(first->device_id, 43132);
  EXPECT_EQ(first->vendor_id, 0x2c9u);
}

TEST_F(Topo, SelectsBoardsByConfiguration) {
  const auto got =
      read("Box A CFG: leaf2=12x\n  L2/W -> MT23108 H-1 P1\n\nBox B CFG: leaf1=12x, leaf2=R\n");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(joined(got->warnings), "");
  EXPECT_EQ(got->fabric.switch_count(), 3u + 1u);
  EXPECT_EQ(peer(got->fabric, "A/leaf1/U1", 1), "A/leaf2/U1 1 4xSDR");
  EXPECT_EQ(peer(got->fabric, "H-1/U1", 1), "A/leaf2/U1 5 4xSDR");
  EXPECT_EQ(find_node(got->fabric, "B/leaf2/U1"), nullptr);
  EXPECT_THAT(
      error("Box A CFG: leaf2=R\n  L2/P2 -> MT23108 H P1\n"),
      HasSubstr("t:2:3: found port L2/P2 of system A, which type Box in this CFG does not"));
  EXPECT_THAT(error("Box A CFG: leaf2=zz\n"), HasSubstr("found board LEAF:zz, which no SYSTEM"));
  const auto odd = read("Box A CFG: leaf9=R\n");
  ASSERT_TRUE(odd) << odd.error().message;
  EXPECT_THAT(joined(odd->warnings), HasSubstr("t:1: system A of type Box"));
  EXPECT_THAT(joined(odd->warnings), HasSubstr("names leaf9, which is no board"));
}

TEST_F(Topo, ReadsAnUnknownTypeWithManyPortsAsASwitch) {
  const auto got = read("Foo S\n  P1 -> MT23108 A P1\n  P5 -> MT23108 B P1\n");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->fabric.switch_count(), 1u);
  EXPECT_EQ(find_node(got->fabric, "S/U1")->port_count, 5);
  EXPECT_THAT(joined(got->warnings), HasSubstr("t:1:1: no IBNL file defines system type Foo: taken "
                                               "as a switch of one chip with 5 ports"));
  const auto rule = read("MTS1200 S\n  P1 -> MT23108 A P1\n  P5 -> MT23108 B P1\n");
  ASSERT_TRUE(rule) << rule.error().message;
  EXPECT_EQ(find_node(rule->fabric, "S/U1")->port_count, 12);
  const auto largest = read("MTS6400 S\n  P1 -> MT23108 A P1\n  P5 -> MT23108 B P1\n");
  ASSERT_TRUE(largest) << largest.error().message;
  EXPECT_EQ(find_node(largest->fabric, "S/U1")->port_count, 64);
}

/// The test does not search the folders of installed definitions, which may also define these
/// types.
TEST(IbnlLibrary, HasThePortCountsOfSingleChipSystems) {
  Warnings warnings;
  IbnlLibrary library({}, warnings);
  for (const auto& [type, ports] :
       {std::pair("MT25208", 2), std::pair("MT25204", 1), std::pair("MT26428", 2),
        std::pair("MTS800", 8), std::pair("MTS2400", 24), std::pair("SX6036", 36),
        std::pair("MQM8700", 40), std::pair("QM9700", 64)}) {
    const auto file = library.find(type);
    ASSERT_TRUE(file && *file != nullptr) << type;
    EXPECT_EQ((*file)->boards[0].parts[0].ports, ports) << type;
  }
}

TEST_F(Topo, RejectsAnUnknownTypeWithFewPorts) {
  const std::string message = error("MT23108 A\n  P1 -> Foo B P2\n");
  EXPECT_THAT(message, HasSubstr("t:2:9: found system type Foo, which no IBNL file defines"));
  EXPECT_THAT(message,
              HasSubstr("expected a file Foo.ibnl with TOPSYSTEM Foo in one of " + dir_.path()));
  EXPECT_THAT(error("Foo B\n  L1/P1 -> MT23108 A P1\n  P7 -> MT23108 A P2\n"),
              HasSubstr("t:1:1: found system type Foo"));
}

TEST_F(Topo, RefusesBadLines) {
  EXPECT_THAT(error("Box\n"), HasSubstr("t:1:1: found 1 words, expected SYSTEM-TYPE NAME"));
  EXPECT_THAT(error("Box A B\n"), HasSubstr("t:1:7: found 3 words"));
  EXPECT_THAT(error("Box A CFG: leaf1\n"),
              HasSubstr("t:1:12: found 'leaf1', expected BOARD=MODIFIER"));
  EXPECT_THAT(error("Box A CFG: a=R,a=4x\n"), HasSubstr("t:1:16: found a second modifier of 'a'"));
  EXPECT_THAT(error("  P1 -> MT23108 H P1\n"), HasSubstr("t:1:3: found a cable of no system"));
  EXPECT_THAT(error("Box A\n\n  L1/P2 -> MT23108 H P1\n"), HasSubstr("t:3:3: found a cable of no"));
  EXPECT_THAT(error("Box A\n  L1/P2 -> MT23108 H\n"), HasSubstr("t:2:20: found 2 words behind"));
  EXPECT_THAT(error("Box A\n  L1/P2 ->\n"), HasSubstr("t:2:3: found 0 words behind"));
  EXPECT_THAT(error("Box A\n  -> MT23108 H P1\n"), HasSubstr("t:2:3: found no port in front"));
  EXPECT_THAT(error("Box A\n  L1/P2 -3x-> MT23108 H P1\n"), HasSubstr("t:2:9: found '3x'"));
  EXPECT_THAT(error("Box A\n  L1/P2 x-> MT23108 H P1\n"), HasSubstr("t:2:9: found 'x'"));
  EXPECT_THAT(error("Box " + std::string(200, 'x') + "\n"),
              HasSubstr("t:1:5: found a word of 200"));
  EXPECT_THAT(error("# nothing\n"), HasSubstr("there is no node"));
}

TEST_F(Topo, RefusesContradictions) {
  EXPECT_THAT(error("Box A\n  L9/P2 -> MT23108 H P1\n"),
              HasSubstr("t:2:3: found port L9/P2 of system A, which type Box does not have"));
  EXPECT_THAT(error("Box A\n  L1/P2 -> MT23108 H P3\n"),
              HasSubstr("t:2:22: found port P3 of system H, which type MT23108 does not have"));
  const std::string twice = error("Box A\n  L1/P2 -> MT23108 G P1\n  L1/P2 -> MT23108 H P1\n");
  EXPECT_THAT(twice, HasSubstr("t:3:3: "));
  for (const char* name : {"A/leaf1/U1", "G/U1", "H/U1"}) EXPECT_THAT(twice, HasSubstr(name));
  EXPECT_THAT(error("Box A\n  L1/P2 -> Box B L1/P2\n\nBox B\n  L1/P2 -> Box A L1/P3\n"),
              HasSubstr("t:5:3: "));
  EXPECT_THAT(error("Box A\n  L1/P2 -> Box A L1/P2\n"), HasSubstr("cabled to itself"));
  EXPECT_THAT(error("Box A\n  L1/P2 -> MT23108 A P1\n"),
              HasSubstr("t:2:12: found system A with type MT23108, line 1 has Box"));
  EXPECT_THAT(error("Box A CFG: leaf1=R\n\nBox A CFG: leaf2=R\n"),
              HasSubstr("t:3:7: found another CFG of system A than in line 1"));
}

TEST_F(Topo, RefusesBadDefinitions) {
  const auto expect_error = [&](std::string_view ibnl, std::string_view text) {
    const std::string message = error_with(ibnl);
    EXPECT_THAT(message, HasSubstr(std::string(text))) << ibnl;
    EXPECT_THAT(message, HasSubstr("t:1:1: system")) << ibnl;
    EXPECT_THAT(message, HasSubstr("T.ibnl:")) << ibnl;
  };
  expect_error("TOPSYSTEM T\nNODE SW 8 X\n",
               "T.ibnl:2:11: found 4 words, expected NODE TYPE PORTS DEVICE");
  expect_error("TOPSYSTEM T\nNODE XX 8 X U1\n", "T.ibnl:2:6: found 'XX', expected SW, CA or HCA");
  expect_error("TOPSYSTEM T\nNODE SW 255 X U1\n",
               "T.ibnl:2:9: found '255', expected a number of ports");
  expect_error("TOPSYSTEM T\nSUBSYSTEM B\n",
               "T.ibnl:2:11: found 2 words, expected SUBSYSTEM BOARD NAME");
  expect_error("TOPSYSTEM T\nSYSTEM B\n", "T.ibnl:2:1: found 'SYSTEM' behind TOPSYSTEM");
  expect_error("TOPSYSTEM T\nnonsense\n", "T.ibnl:2:1: found 'nonsense', expected SYSTEM");
  expect_error("TOPSYSTEM T\n 1 -> P1\n", "found a connection in front of the first NODE");
  expect_error("NODE SW 2 X U1\nTOPSYSTEM T\n", "found a part in front of the first SYSTEM");
  expect_error("SYSTEM B\nSYSTEM B\nTOPSYSTEM T\n", "T.ibnl:2:1: found a second SYSTEM 'B'");
  expect_error("TOPSYSTEM T\nNODE SW 2 X U\nNODE SW 2 X U\n", "T.ibnl:3:13: found a second 'U'");
  expect_error("TOPSYSTEM T\nNODE SW 2 X U\n 3 -> P1\n",
               "T.ibnl:3:2: found port '3' of U, expected 1 to 2");
  expect_error("TOPSYSTEM T\nNODE SW 2 X U\n 1 -> P1\n 1 -> P2\n",
               "found a second connection of U port 1");
  expect_error("TOPSYSTEM T\nNODE SW 2 X U\n 1 -> P1\n 2 -> P1\n",
               "found a second connection to plug P1");
  expect_error("TOPSYSTEM T\nNODE SW 2 X U\n 1 -> V 1\n",
               "T.ibnl:3: found V, which is no part of T");
  expect_error("TOPSYSTEM T\nNODE SW 2 X U\n 1 -> U 1\n", "found U port 1 connected to itself");
  expect_error("TOPSYSTEM T\nNODE SW 2 X U\n 1 -> U 3\n", "found port 3 of U, expected 1 to 2");
  expect_error("TOPSYSTEM T\nNODE SW 2 X U\n 1 -> a b c\n", "found 3 words behind the arrow");
  expect_error("TOPSYSTEM T\nSUBSYSTEM B b\n",
               "found board B, which no SYSTEM of the file defines");
  expect_error("TOPSYSTEM T\nNODE SW 3 X U\nNODE SW 3 X V\n 1 -> U 1\n 2 -> U 1\n",
               "T.ibnl:5: found U port 1 connected to V port 2, an earlier line has V port 1");
  expect_error("TOPSYSTEM T\nNODE SW 3 X U\n 1 -> P1\nNODE SW 3 X V\n 1 -> U 1\n",
               "connected to V port 1 and to a plug");
}

TEST_F(Topo, RejectsRecursiveBoards) {
  EXPECT_THAT(error_with("SYSTEM B\nSUBSYSTEM C c\nSYSTEM C\nSUBSYSTEM B b\n"
                         "TOPSYSTEM T\nSUBSYSTEM B b\n"),
              HasSubstr("B includes itself: found within 3 boards"));
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += fmt::format("SYSTEM B{}\nSUBSYSTEM B{} b\n", i, i + 1);
  EXPECT_THAT(error_with(deep + "SYSTEM B40\nTOPSYSTEM T\nSUBSYSTEM B0 b\n"),
              HasSubstr("found boards 17 deep, expected at most 16"));
}

TEST_F(Topo, RejectsDefinitionsBeyondTheLimits) {
  // Boards that contain ten boards each, on twelve levels: 10^12 chips or empty boards.
  for (const char* leaf : {"NODE SW 2 X U\n", ""}) {
    std::string wide = fmt::format("SYSTEM B12\n{}", leaf);
    for (int level = 11; level >= 0; --level) {
      wide += fmt::format("SYSTEM B{}\n", level);
      for (int i = 0; i < 10; ++i) wide += fmt::format("SUBSYSTEM B{} b{}\n", level + 1, i);
    }
    const CpuWatch watch;
    EXPECT_THAT(error_with(wide + "TOPSYSTEM T\nSUBSYSTEM B0 b\n"),
                HasSubstr("in all systems together"));
    EXPECT_LT(watch.seconds(), 60.0);
  }
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += fmt::format("T S{}\n", i);
  EXPECT_THAT(error_with("TOPSYSTEM T\nNODE SW 254 X U\n", many),
              HasSubstr("found more than 4194304 chip ports in all systems together"));
}

TEST_F(Topo, WarnsOfPlugsThatNoVariantHas) {
  define("T.ibnl",
         "SYSTEM B\nNODE SW 2 X U\n 1 -> P1\nTOPSYSTEM T\nSUBSYSTEM B b\n P1 -> P1\n P2 -> P2\n");
  const auto got = read("T A\n");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_THAT(joined(got->warnings), HasSubstr("T.ibnl:7: b has no port P2, and no B has one"));
}

TEST(IbdmRecognition, DistinguishesTopoAndIbnlFromOtherTexts) {
  const auto format = [](const char* text) {
    const auto got = read_fabric_text(text, "t");
    return got ? got->format : got.error().message;
  };
  EXPECT_EQ(format("\n# c\nMTS800 S CFG: \n  P1 -> Cougar H P1\n"), "topo");
  EXPECT_EQ(format("TOPSYSTEM T\nNODE CA 2 X U1\n"), "ibnl");
  EXPECT_EQ(format("SYSTEM B\nNODE CA 2 X U1\n 1 -> P\nTOPSYSTEM T\nSUBSYSTEM B b\n"), "ibnl");
  EXPECT_THAT(format("a b\nc -> d e\n"), HasSubstr("the content is of no known format"));
}

}  // namespace
}  // namespace weft
