// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// torus-2QoS.conf: every keyword, and the errors of malformed lines.

#include "routing/torus_2qos/config.h"

#include <gtest/gtest.h>

#include "support/walks.h"

namespace weft {
namespace {

Result<TorusConfig> parse(const std::string& text) {
  return parse_torus_config(LineReader::over(text, "torus.conf"));
}

/// The configuration of a torus of 5 x 6 with a complete seed, followed by the lines of `more` from
/// line 4 on.
std::string with(const std::string& more) {
  return "torus 5 6 1\nxp_link 0x1 0x2\nyp_link 0x1 0x3\n" + more;
}

TEST(TorusConfig, ReadsTheExampleOfTheManual) {
  const auto config =
      read_torus_config(WEFT_TOPOLOGIES "/opensm-config/torus-2QoS-4x5-example.conf");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->radix, (std::array{1u, 4u, 5u}));
  EXPECT_EQ(config->mesh, (std::array{false, false, false}));
  ASSERT_EQ(config->seeds.size(), 2u);
  const TorusSeed& first = config->seeds[0];
  EXPECT_EQ(first.origin, Guid(0x200000));
  EXPECT_EQ(first.plus, (std::array{Guid(), Guid(0x200005), Guid(0x200001)}));
  EXPECT_EQ(first.minus, (std::array{Guid(), Guid(0x20000f), Guid()}));
  EXPECT_EQ(first.dateline, (std::array{0, 0, 0}));
  const TorusSeed& second = config->seeds[1];
  EXPECT_EQ(second.origin, Guid(0x20000b));
  EXPECT_EQ(second.dateline, (std::array{0, -2, -1}));
  const std::vector<PortNum> order{PortNum(7),  PortNum(10), PortNum(8),  PortNum(11),
                                   PortNum(9),  PortNum(12), PortNum(25), PortNum(28),
                                   PortNum(26), PortNum(29), PortNum(27), PortNum(30)};
  EXPECT_EQ(config->port_order, order);
  EXPECT_EQ(config->portgroup_max_ports, 16u);
  EXPECT_EQ(config->max_changes, 32u);
}

TEST(TorusConfig, ReadsBothNotationsOfAShape) {
  const std::string seed = "xp_link 1 2\nyp_link 1 3\nym_link 1 4\nzm_link 1 5\n";
  for (const std::string shape : {"mesh 3T 4 5", "torus 3 4M 5m"}) {
    const auto config = parse(shape + "\n" + seed);
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->radix, (std::array{3u, 4u, 5u}));
    EXPECT_EQ(config->mesh, (std::array{false, true, true})) << shape;
    EXPECT_EQ(config->seeds[0].minus[2], Guid(5));
  }
}

TEST(TorusConfig, ReadsEveryOtherKeyword) {
  const auto config =
      parse(with("\n  # a comment\nx_dateline 2 and more words\ny_dateline -1\nz_dateline 7\n"
                 "portgroup_max_ports 20\nportgroup_max_ports 0x20\nport_order 3 1 3 0x2 # 9\n"
                 "max_changes 0\nnext_seed\nxm_link 0x9 0xa\nym_link 0x9 0xb\n"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->seeds[0].dateline, (std::array{2, -1, 7}));
  EXPECT_EQ(config->portgroup_max_ports, 32u);
  EXPECT_EQ(config->port_order, (std::vector{PortNum(3), PortNum(1), PortNum(2)}));
  EXPECT_EQ(config->max_changes, 0u);
  ASSERT_EQ(config->seeds.size(), 2u);
  EXPECT_EQ(config->seeds[1].minus[1], Guid(0xb));
  EXPECT_EQ(config->seeds[1].dateline, (std::array{0, 0, 0}));
}

struct Wrong {
  std::string text;
  std::string message;
};

TEST(TorusConfig, ReportsTheLineTheValueFoundAndTheValueExpected) {
  const std::vector<Wrong> cases{
      {"", "torus.conf:1: found the end of the file, expected torus or mesh and three radices"},
      {"# nothing\n", "torus.conf:1: found the end of the file, expected torus or mesh and three"},
      {"max_changes 3\n", "torus.conf:1: found 'max_changes', expected torus or mesh as the first"},
      {"torus 5 6\n", "torus.conf:1: found the end of the line, expected the z radix: 1 to 49151"},
      {"torus 5 six 1\n", "torus.conf:1: found 'six', expected the y radix: 1 to 49151"},
      {"torus 0 6 1\n", "torus.conf:1: found '0', expected the x radix"},
      {"torus 5 6x 1\n", "torus.conf:1: found '6x', expected the y radix"},
      {"torus t 6 1\n", "torus.conf:1: found 't', expected the x radix"},
      {"torus -5 6 1\n", "torus.conf:1: found '-5', expected the x radix"},
      {"torus 99999999999999999999 6 1\n", "torus.conf:1: found '99999999999999999999', expected"},
      {"mesh 1 1 1\n", "torus.conf:1: found 1 switches, expected 2 to 49151"},
      {"torus 40000 40000 40000\n",
       "torus.conf:1: found 64000000000000 switches, expected 2 to 49151"},
      {with("torus 5 6 1\n"),
       "torus.conf:4: found 'torus', expected only one torus or mesh line: the first is on "
       "line 1"},
      {with("xq_link 0x1 0x4\n"), "torus.conf:4: found 'xq_link', expected torus, mesh, xp_link"},
      {with("x\n"), "torus.conf:4: found 'x', expected torus, mesh, xp_link"},
      {with("wp_link 0x1 0x4\n"), "torus.conf:4: found 'wp_link', expected torus, mesh, xp_link"},
      {with("xm_link 0x1\n"),
       "torus.conf:4: found the end of the line, expected two switch GUIDs in "
       "hex after xm_link"},
      {with("xm_link\n"), "torus.conf:4: found the end of the line, expected two switch GUIDs"},
      {with("xm_link 0x1 # 0x4\n"), "torus.conf:4: found the end of the line, expected two switch"},
      {with("xm_link 0x1 0x0\n"), "torus.conf:4: found '0x0', expected two switch GUIDs"},
      {with("xm_link zero 0x4\n"), "torus.conf:4: found 'zero', expected two switch GUIDs"},
      {with("xm_link 0x1 0x11112222333344445\n"),
       "torus.conf:4: found '0x11112222333344445', expected"},
      {with("xm_link 0x1 0x1\n"),
       "torus.conf:4: found a link from a switch to itself, expected two"},
      {with("xm_link 0x4 0x5\n"),
       "torus.conf:4: found '0x4', expected the first switch of the seed's "
       "other links, 0x0000000000000001"},
      {with("xm_link 0x1 0x3\n"),
       "torus.conf:4: found '0x3', expected a switch that is not named in "
       "another direction of this seed"},
      {with("xp_link 0x1 0x4\n"),
       "torus.conf:4: found 'xp_link', expected a link that is not in this seed yet"},
      {with("zp_link 0x1 0x4\n"),
       "torus.conf:4: found 'zp_link', expected no link in a dimension with "
       "radix 1 (line 1: z)"},
      {with("x_dateline\n"),
       "torus.conf:4: found the end of the line, expected a whole number after "
       "x_dateline"},
      {with("x_dateline 1.5\n"), "torus.conf:4: found '1.5', expected a whole number"},
      {with("y_dateline 3000000000\n"),
       "torus.conf:4: found '3000000000', expected a whole number"},
      {with("portgroup_max_ports\n"),
       "torus.conf:4: found the end of the line, expected a number from "
       "1 to 254 after portgroup_max_ports"},
      {with("portgroup_max_ports 0\n"), "torus.conf:4: found '0', expected a number from 1 to 254"},
      {with("portgroup_max_ports 255\n"),
       "torus.conf:4: found '255', expected a number from 1 to 254"},
      {with("max_changes -1\n"), "torus.conf:4: found '-1', expected a number from 0 to 1000000"},
      {with("port_order\n"), "torus.conf:4: found no port, expected port numbers from 0 to 254"},
      {with("port_order 1 b 2\n"), "torus.conf:4: found 'b', expected port numbers from 0 to 254"},
      {with("port_order 255\n"), "torus.conf:4: found '255', expected port numbers from 0 to 254"},
      {"torus 5 6 1\nxp_link 0x1 0x2\n",
       "torus.conf:2: found no yp_link or ym_link in the seed of line 1, expected one of them, "
       "since the y radix is 6"},
      {with("next_seed\nxp_link 0x7 0x8\nnext_seed\n"),
       "torus.conf:6: found no yp_link or ym_link in the seed of line 4, expected one of them"},
      {"torus 4 1 1\nxp_link 0x1 0x2\n",
       "torus.conf:2: found no xm_link in the seed of line 1, expected both xp_link and xm_link, "
       "since the x radix is 4"},
      {"torus 4 1 1\nxm_link 0x1 0x2\n", "torus.conf:2: found no xp_link in the seed of line 1"},
  };
  for (const Wrong& wrong : cases) {
    const auto config = parse(wrong.text);
    ASSERT_FALSE(config) << wrong.text;
    EXPECT_EQ(config.error().code, Code::kBadInput);
    EXPECT_TRUE(config.error().message.starts_with(wrong.message))
        << wrong.text << "error: " << config.error().message;
  }
}

TEST(TorusConfig, AcceptsOneDirectionOnAMeshAndBothOnARingOfTwo) {
  EXPECT_TRUE(parse("mesh 4 1 1\nxp_link 0x1 0x2\n"));
  EXPECT_TRUE(parse("torus 2 1 1\nxp_link 0x1 0x2\nxm_link 0x1 0x2\n"));
}

TEST(TorusConfig, NamesAMissingFile) {
  const auto config = read_torus_config("/nowhere/torus.conf");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, Code::kEnvironment);
  EXPECT_NE(config.error().message.find("/nowhere/torus.conf"), std::string::npos);
}

}  // namespace
}  // namespace weft
