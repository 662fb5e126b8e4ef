// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cables that an administrator identifies by node and port, and the list of cut cables.
#include "emulator/cables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/emulator/client.h"

namespace weft {
namespace {

using testing::HasSubstr;

class Cables : public testing::Test {
 protected:
  NodeId node(std::string_view name) const {
    const auto found = find_node(emulated, name);
    EXPECT_TRUE(found) << name;
    return found.value_or(NodeId(0));
  }
  std::string refusal(std::string_view name) const {
    const auto found = find_node(emulated, name);
    EXPECT_FALSE(found) << name;
    return found ? "" : found.error().message;
  }
  std::string port_refusal(NodeId id, unsigned port) const {
    const auto found = find_cabled_port(emulated, id, port);
    EXPECT_FALSE(found) << port;
    return found ? "" : found.error().message;
  }
  std::string guid_of(NodeId id) const {
    return fmt::format("0x{:016x}", fabric.node(id).node_guid.value());
  }

  const Fabric fabric = two_switches();
  EmulatedFabric emulated{fabric};
};

TEST_F(Cables, FindsNodesByDescriptionAndByGuid) {
  const NodeId sw(1);  // S1
  EXPECT_EQ(node(fabric.node(sw).description), sw);
  EXPECT_EQ(node(guid_of(sw)), sw);
  const Endport& host = fabric.endport(EndportId(fabric.endport_count() - 1));
  ASSERT_FALSE(fabric.is_switch(host.node));
  EXPECT_EQ(node(fmt::format("0x{:x}", fabric.port(host.port).guid.value())), host.node);
  EXPECT_THAT(refusal("0x77"), HasSubstr("0x0000000000000077: no node"));
  EXPECT_THAT(refusal("no\nsuch"), HasSubstr("'no?such': no node"));
}

TEST_F(Cables, RejectsAnAmbiguousDescriptionWithTheGuids) {
  emulated.set_description(NodeId(0), "same");
  emulated.set_description(NodeId(1), "same");
  EXPECT_THAT(refusal("same"), HasSubstr("2 nodes"));
  EXPECT_THAT(refusal("same"), HasSubstr(guid_of(NodeId(0)) + ", " + guid_of(NodeId(1))));
}

TEST_F(Cables, RejectsPortsWithoutACable) {
  const unsigned last = fabric.node(NodeId(0)).port_count;
  EXPECT_THAT(port_refusal(NodeId(0), 0), HasSubstr(fmt::format("from 1 to {}", last)));
  EXPECT_THAT(port_refusal(NodeId(0), last + 1), HasSubstr("expected a port"));
  EXPECT_THAT(port_refusal(NodeId(0), last), HasSubstr("no cable is plugged in"));
}

TEST_F(Cables, ListsACutCableOnceUntilRestored) {
  EXPECT_TRUE(cut_cables(emulated).empty());
  const Channel& channel = fabric.channels_from(kS1).front();
  const PortId port = *find_cabled_port(emulated, NodeId(1), channel.from_port.value());
  const PortId peer = fabric.port(port).peer;
  emulated.cut_cable(port);
  EXPECT_TRUE(emulated.is_cut(port));
  EXPECT_TRUE(emulated.is_cut(peer));
  EXPECT_EQ(cut_cables(emulated), std::vector{std::min(port, peer)});
  emulated.restore_cable(peer);
  EXPECT_FALSE(emulated.is_cut(port));
  EXPECT_TRUE(cut_cables(emulated).empty());
}

}  // namespace
}  // namespace weft
