// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The port that an emulated switch with adaptive routing selects for a packet, by SL, transport and
// flow.
#include <gtest/gtest.h>

#include <set>

#include "emulator/model.h"
#include "support/tiny.h"

namespace weft {
namespace {

using emulator::PacketFlow;
using emulator::Transport;
using Info = AdaptiveRoutingInfo;

/// A switch with four links to another switch. LID 5 has the group of these ports and the default
/// port 2.
class SelectionModel {
 public:
  SelectionModel()
      : fabric_(Tiny(2).link(0, 1, 4).hosts(0).hosts(1).build()), model_(fabric_, options_) {
    emulator::NodeModel& node = model_.node(NodeId(0));
    node.switch_info.linear_fdb_top = 63;
    adaptive().info.enabled = true;
    adaptive().groups.resize(2);
    adaptive().groups[1].set(1).set(2).set(3).set(4);
    adaptive().entries.resize(16);
    adaptive().entries[5] = {0, 0, PortNum(2), 1};
    for (std::uint8_t port = 1; port <= 4; ++port)
      model_.set_state(model_.port_id(NodeId(0), PortNum(port)), PortState::kActive,
                       PhysState::kLinkUp);
  }
  emulator::AdaptiveModel& adaptive() { return model_.node(NodeId(0)).adaptive; }
  unsigned port(const PacketFlow& flow) {
    return model_.choose(model_.node(NodeId(0)), PortNum(0), flow, Lid(5), PortState::kActive)
        .value();
  }
  /// The ports of 32 packets of one flow.
  std::set<unsigned> ports(const PacketFlow& flow) {
    std::set<unsigned> used;
    for (unsigned packet = 0; packet < 32; ++packet) used.insert(port(flow));
    return used;
  }

 private:
  const EmulatorOptions options_;
  const Fabric fabric_;
  emulator::Model model_;
};

const std::set<unsigned> kAllPorts{1, 2, 3, 4};
const std::set<unsigned> kDefaultPort{2};

TEST(PortSelection, PacketsOfExcludedSlsUseTheDefaultPort) {
  SelectionModel sw;
  sw.adaptive().info.sl_mask = 0x0002;
  EXPECT_EQ(sw.ports({.sl = Sl(0)}), kAllPorts) << "the mask has no effect while it is disabled";
  sw.adaptive().info.by_sl_enabled = true;
  EXPECT_EQ(sw.ports({.sl = Sl(0)}), kDefaultPort);
  EXPECT_EQ(sw.ports({.sl = Sl(1)}), kAllPorts);
}

TEST(PortSelection, PacketsOfExcludedTransportsUseTheDefaultPort) {
  SelectionModel sw;
  sw.adaptive().info.transports_excluded = 0x5;
  EXPECT_EQ(sw.ports({.transport = Transport::kUd}), kDefaultPort);
  EXPECT_EQ(sw.ports({.transport = Transport::kRc}), kAllPorts);
  EXPECT_EQ(sw.ports({.transport = Transport::kUc}), kDefaultPort);
  EXPECT_EQ(sw.ports({.transport = Transport::kDc}), kAllPorts);
}

TEST(PortSelection, PacketsOfAFlowWithHbfUseOnePort) {
  SelectionModel sw;
  sw.adaptive().info.more_enabled = Info::kHbfBySlEnabled;
  sw.adaptive().info.hbf_sl_mask = 0x0001;
  std::set<unsigned> used;
  for (std::uint32_t flow = 0; flow < 64; ++flow) {
    const auto ports = sw.ports({.sl = Sl(0), .hash = flow});
    EXPECT_EQ(ports.size(), 1u) << flow;
    used.insert(ports.begin(), ports.end());
  }
  EXPECT_EQ(used, kAllPorts) << "flows must use all ports";
  EXPECT_EQ(sw.ports({.sl = Sl(1)}), kAllPorts) << "SL 1 must be routed without HBF";
  sw.adaptive().info.more_enabled = 0;
  EXPECT_EQ(sw.ports({.sl = Sl(0)}), kAllPorts) << "HBF by SL is disabled";
}

TEST(PortSelection, FlowsOfEntriesWithHbfUseOnePortOnAllSls) {
  SelectionModel sw;
  sw.adaptive().entries[5].state = 3;
  for (std::uint32_t flow = 0; flow < 8; ++flow)
    EXPECT_EQ(sw.ports({.sl = Sl(7), .hash = flow}).size(), 1u) << flow;
}

TEST(PortSelection, DependsOnTheSeedOfTheSwitch) {
  SelectionModel one, other;
  for (SelectionModel* sw : {&one, &other}) {
    sw->adaptive().info.more_enabled = Info::kHbfBySlEnabled;
    sw->adaptive().info.hbf_sl_mask = 0xFFFF;
  }
  other.adaptive().hashing.seed = 1;
  unsigned equal = 0;
  for (std::uint32_t flow = 0; flow < 64; ++flow)
    equal += one.port({.hash = flow}) == other.port({.hash = flow}) ? 1 : 0;
  EXPECT_LT(equal, 40u);
}

}  // namespace
}  // namespace weft
