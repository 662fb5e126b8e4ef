// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/next_hops.h"

#include <gtest/gtest.h>

#include "support/tiny.h"

namespace weft {
namespace {

TEST(PortMap, HasTheChannelAndTheNextSwitchOfEachCabledPort) {
  const Fabric fabric = Tiny(2).link(0, 1, 2).hosts(0).build();
  const PortMap map(fabric);
  for (const Channel& channel : fabric.channels()) {
    const PortMap::Hop& hop = map.hop(channel.from, channel.from_port);
    EXPECT_EQ(hop.channel, fabric.channel_at(channel.from, channel.from_port));
    EXPECT_EQ(hop.to, channel.to);
  }
}

TEST(PortMap, HasNoChannelForOtherPorts) {
  const Fabric fabric = Tiny(2, 200).link(0, 1, 2).hosts(0).build();
  const PortMap map(fabric);
  for (unsigned s = 0; s < 2; ++s)
    for (unsigned port = 0; port <= 255; ++port) {
      const SwitchId sw(s);
      const PortNum num(static_cast<std::uint8_t>(port));
      if (port == 1 || port == 2) continue;  // ports with cables
      EXPECT_EQ(map.hop(sw, num).channel, kNoChannel) << s << " " << port;
      EXPECT_EQ(map.hop(sw, num).to, kNoSwitch) << s << " " << port;
    }
}

TEST(PortMap, SupportsSwitchesWithoutCables) {
  const Fabric fabric = Tiny(1).hosts(0, 2).build();
  const PortMap map(fabric);
  EXPECT_EQ(map.hop(SwitchId(0), PortNum(0)).to, kNoSwitch);
  EXPECT_EQ(map.hop(SwitchId(0), kNoRoute).to, kNoSwitch);
}

TEST(NextHops, HaveTheEntriesOfTheLoadedBlock) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  const Lid lid = fabric.endport(fabric.endports_at(SwitchId(1)).front()).lid;
  Lfts lfts(fabric.switch_count(), fabric.lid_top());
  lfts.set(SwitchId(0), lid, PortNum(1));
  lfts.set(SwitchId(1), lid, PortNum(2));
  const PortMap map(fabric);
  NextHops hops(map);
  hops.load(lfts, lid.value() / kLftBlock);
  EXPECT_EQ(hops.channels(lid)[0], fabric.channel_at(SwitchId(0), PortNum(1)));
  EXPECT_EQ(hops.switches(lid)[0], SwitchId(1));
  EXPECT_EQ(hops.switches(lid)[1], kNoSwitch) << "the next hop by port 2 is the host";
  hops.load(lfts, lfts.blocks());
  EXPECT_EQ(hops.switches(lid)[0], kNoSwitch) << "the block does not exist";
}

}  // namespace
}  // namespace weft
