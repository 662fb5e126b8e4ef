// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Option files for ports and switches: parsing, and the error for each invalid line.

#include "policy/port_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/file.h"
#include "policy/routing_inputs.h"
#include "support/errors.h"
#include "support/temp_dir.h"
#include "support/tiny.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PortFiles : public testing::Test {
 protected:
  std::string file(std::string_view content) {
    const std::string path = dir_.path() + "/options";
    CHECK(write_file(path, content).has_value());
    return path;
  }
  /// The error message about a file, without its path.
  template <class Reader>
  std::string problem(Reader reader, std::string_view content) {
    const std::string path = file(content);
    return error_in(path, reader(path));
  }

  //  S0 - S1 cabled at port 1 of both, hosts H0 and H1 at port 2 of S0 and S1
  const Fabric fabric_ = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  std::vector<std::string> warnings_;
  TempDir dir_;
};

TEST_F(PortFiles, ReportMissingFilesByName) {
  const std::string path = dir_.path() + "/absent";
  const auto expect_absent = [&](const auto& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::kEnvironment);
    EXPECT_THAT(result.error().message, HasSubstr(path));
  };
  expect_absent(read_ignored_ports(path));
  expect_absent(read_hop_weights(path));
  expect_absent(read_node_weights(path));
  expect_absent(read_port_orders(path));
  expect_absent(read_switch_ids(path));
}

TEST_F(PortFiles, ReportLineAndColumnOfAnError) {
  EXPECT_EQ(problem(read_ignored_ports, "# ports\n\n  none\n"),
            ":3:3: found 'none', expected the GUID of a port or node in hex");
  EXPECT_EQ(problem(read_ignored_ports, "0x100 0\n"),
            ":1:7: found '0', expected a port number from 1 to 254");
  EXPECT_EQ(problem(read_ignored_ports, "0x100 2 # two\n100 2 3"),
            ":2:7: found '3', expected the end of the line");
  EXPECT_EQ(problem(read_ignored_ports, "0x0"),
            ":1:1: found '0x0', expected the GUID of a port or node in hex");

  EXPECT_EQ(problem(read_hop_weights, "0x100\t1"),
            ":1:8: found the end of the line, expected a weight from 1 to 255");
  EXPECT_EQ(problem(read_hop_weights, "0x100 1 0"),
            ":1:9: found '0', expected a weight from 1 to 255");
  EXPECT_EQ(problem(read_hop_weights, "0x100 1 256"),
            ":1:9: found '256', expected a weight from 1 to 255");
  EXPECT_EQ(problem(read_hop_weights, "0x100 1 -1"),
            ":1:9: found '-1', expected a weight from 1 to 255");
  EXPECT_EQ(problem(read_hop_weights, "0x100 255 1"),
            ":1:7: found '255', expected a port number from 1 to 254");
  EXPECT_EQ(problem(read_hop_weights, "0x10000000000000000 1 1"),
            ":1:1: found '0x10000000000000000', expected the GUID of a switch in hex");

  EXPECT_EQ(problem(read_node_weights, "0x10001 # heavy"),
            ":1:8: found the end of the line, expected a weight from 0 to 1000000");
  EXPECT_EQ(problem(read_node_weights, "\n0x10001 1000001"),
            ":2:9: found '1000001', expected a weight from 0 to 1000000");
  EXPECT_EQ(problem(read_node_weights, "0x10001 1.5"),
            ":1:9: found '1.5', expected a weight from 0 to 1000000");
  EXPECT_EQ(problem(read_node_weights, "0x10001 1 2"),
            ":1:11: found '2', expected the end of the line");
  EXPECT_EQ(problem(read_node_weights, "host1 1"),
            ":1:1: found 'host1', expected the GUID of a CA or router port in hex");

  EXPECT_EQ(problem(read_port_orders, "0x100 # nothing"),
            ":1:6: found the end of the line, expected a port number from 1 to 254");
  EXPECT_EQ(problem(read_port_orders, "0x100 3 1 3"),
            ":1:11: found '3', expected a port that the line does not list already");
  EXPECT_EQ(problem(read_port_orders, "0x100 1,2"),
            ":1:7: found '1,2', expected a port number from 1 to 254");

  EXPECT_EQ(problem(read_switch_ids, "0x100"),
            ":1:6: found the end of the line, expected an ID, a number of 64 bits");
  EXPECT_EQ(problem(read_switch_ids, "0x100 18446744073709551616"),
            ":1:7: found '18446744073709551616', expected an ID, a number of 64 bits");
  EXPECT_EQ(problem(read_switch_ids, "0x100 \x01\xFFx"),
            ":1:7: found '??x', expected an ID, a number of 64 bits");
}

TEST_F(PortFiles, AcceptFilesOfOnlyComments) {
  const std::string path = file("\n# nothing\n   \t\r\n");
  EXPECT_TRUE(read_ignored_ports(path)->empty());
  EXPECT_TRUE(read_hop_weights(path)->empty());
  EXPECT_TRUE(read_node_weights(path)->empty());
  EXPECT_TRUE(read_port_orders(path)->empty());
  EXPECT_TRUE(read_switch_ids(path)->empty());
}

TEST_F(PortFiles, LeaveOutHostsByPortOrBySwitchPort) {
  const auto ports = read_ignored_ports(file("0x10001\n100 2\n0x10010 1\n0x101 2\n"));
  ASSERT_TRUE(ports);
  const auto ignored = resolve_ignored(*ports, fabric_, warnings_);
  EXPECT_THAT(ignored, ElementsAre(EndportId(2), EndportId(3)));
  EXPECT_TRUE(warnings_.empty()) << warnings_[0];
}

TEST_F(PortFiles, WeightCaPortsAndWarnOfOthers) {
  const auto filed = read_node_weights(file("0x10001 3\n0x100 5\n10001 7\n0xabc 1\n"));
  ASSERT_TRUE(filed);
  const auto weights = resolve_node_weights(*filed, fabric_, warnings_);
  ASSERT_EQ(weights.size(), fabric_.endports().size());
  const auto heavy = fabric_.find_endport(Guid(0x10001));
  ASSERT_TRUE(heavy);
  for (std::size_t i = 0; i < weights.size(); ++i)
    EXPECT_EQ(weights[i], i == heavy->value() ? 7u : 1u) << i;
  EXPECT_THAT(warnings_,
              ElementsAre(HasSubstr(":2: GUID 0x0000000000000100 is no CA or router port"),
                          HasSubstr(":4: GUID 0x0000000000000abc is no CA or router port")));
  EXPECT_TRUE(resolve_node_weights({}, fabric_, warnings_).empty());
}

TEST_F(PortFiles, WarnOfUnknownPortsToLeaveOut) {
  const std::string path = file("0x999\n0x999 1\n0x100 9\n0x100 1\n");
  const auto ignored = resolve_ignored(*read_ignored_ports(path), fabric_, warnings_);
  EXPECT_TRUE(ignored.empty());
  EXPECT_THAT(
      warnings_,
      ElementsAre(path + ":1: port GUID 0x0000000000000999 is not in this fabric",
                  path + ":2: node GUID 0x0000000000000999 is not in this fabric",
                  path + ":3: 'S0' (0x0000000000000100) has 8 ports, not port 9",
                  path + ":4: 'S0' (0x0000000000000100) port 1 is not cabled to an endport: only "
                         "endports can be left out of the balance"));
}

TEST_F(PortFiles, WeightChannelsByTheLastLine) {
  const std::string path = file("0x100 1 9\n0x101 1 0x10 # hex\n0x100 1 7\n0x100 2 5\n");
  const auto weights = resolve_weights(*read_hop_weights(path), fabric_, warnings_);
  EXPECT_THAT(weights, ElementsAre(7, 16));
  EXPECT_TRUE(warnings_.empty());
  const auto even = resolve_weights(*read_hop_weights(file("0x100 1 1")), fabric_, warnings_);
  EXPECT_TRUE(even.empty());
}

TEST_F(PortFiles, WarnOfUnknownSwitchesAndPorts) {
  const std::string path = file("0x999 1 9\n0x100 9 9\n0x10000 1 4\n");
  EXPECT_TRUE(resolve_weights(*read_hop_weights(path), fabric_, warnings_).empty());
  EXPECT_THAT(warnings_,
              ElementsAre(path + ":1: GUID 0x0000000000000999 is no switch of this fabric",
                          path + ":2: switch 'S0' (0x0000000000000100) has 8 ports, not port 9",
                          path + ":3: GUID 0x0000000000010000 is no switch of this fabric"));
}

TEST_F(PortFiles, OrderTheChannelsOfASwitchAsGiven) {
  const Fabric wide = Tiny(2).link(0, 1, 4).build();
  const std::string path = file("0x101 3\n0x100 1 2\n0x100 4 9 2\n0x777 1\n");
  const auto order = resolve_port_orders(*read_port_orders(path), wide, warnings_);
  EXPECT_THAT(order, ElementsAre(255, 1, 255, 0, 255, 255, 0, 255));
  EXPECT_THAT(warnings_,
              ElementsAre(path + ":3: switch 'S0' (0x0000000000000100) has 8 ports, not port 9",
                          path + ":4: GUID 0x0000000000000777 is no switch of this fabric"));
}

TEST_F(PortFiles, OrderSwitchesByIdAndOthersByGuid) {
  const Fabric four = Tiny(4).link(0, 1).link(1, 2).link(2, 3).build();
  const std::string path = file("0x103 1\n0x100 0x101\n0x555 3\n");
  const auto order = resolve_switch_ids(*read_switch_ids(path), four, warnings_);
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 0));  // ids: S3 1, S0 0x101, S1 0x101 (GUID), S2 0x102
  EXPECT_THAT(warnings_,
              ElementsAre(path + ":3: GUID 0x0000000000000555 is no switch of this fabric"));
  EXPECT_TRUE(resolve_switch_ids({}, four, warnings_).empty());
}

/// Counters in the format that the performance manager writes.
std::string counter_text(std::uint64_t node, unsigned port, std::uint64_t sent,
                         std::uint64_t received) {
  return fmt::format(
      "\"N \" x\" 0x{:x} active TRUE port {}\n     Last Reset           : Sat Nov 21 15:31:43 "
      "2026\n"
      "     symbol_err_cnt       : 4\n     xmit_data            : {} (4.219KB)\n"
      "     rcv_data             : {} (4.219KB)\n     rcv_pkts             : 9 (9.000)\n",
      node, port, sent, received);
}

TEST(MeasuredWeights, AreLinearInReceivedData) {
  TempDir folder;
  const std::string path = folder / "counters";
  // Hosts 0 to 2 at S0's ports 2 to 4; S0 port 1 is cabled to S1.
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0, 3).hosts(1).build();
  const auto weights = [&](const std::string& text) {
    EXPECT_TRUE(write_file(path, text));
    const auto read = read_node_weights(path);
    EXPECT_TRUE(read) << read.error().message;
    std::vector<std::string> warnings;
    auto result = resolve_node_weights(*read, fabric, warnings);
    EXPECT_TRUE(warnings.empty());
    return result;
  };
  // Counters of the host port take precedence over counters of its switch port. Of hosts 0 to 2
  // only host 1 has no counters of the host port.
  EXPECT_EQ(weights(counter_text(0x10000, 1, 7, 2000) + counter_text(0x100, 2, 1, 1) +
                    counter_text(0x100, 3, 1000, 5) + counter_text(0x100, 1, 99999, 99999) +
                    counter_text(0x10020, 1, 9, 0) + counter_text(0xdead, 1, 1, 1)),
            (std::vector<std::uint32_t>{1, 1, 1000, 501, 1, 1}));
  EXPECT_EQ(weights(counter_text(0x10000, 1, 7, 0)), (std::vector<std::uint32_t>(6, 1)));
  EXPECT_TRUE(write_file(path, "\n\"N\" 0x100 active TRUE port\n"));
  EXPECT_EQ(
      read_node_weights(path).error().message,
      path +
          ":2: found '\"N\" 0x100 active TRUE port', expected \"NAME\" GUID active TRUE|FALSE "
          "port N");
  EXPECT_TRUE(write_file(path, counter_text(0x100, 1, 1, 1) + "  xmit_data : many\n"));
  EXPECT_FALSE(read_node_weights(path));
}

}  // namespace
}  // namespace weft
