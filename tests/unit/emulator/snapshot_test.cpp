// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The tables of the switches and the assigned LIDs, in the form that the verifier uses.
#include "emulator/snapshot.h"

#include <gtest/gtest.h>

#include "unit/emulator/client.h"

namespace weft {
namespace {

class Snapshot : public Routed {};

TEST_F(Snapshot, ReadsTheForwardingTables) {
  const Routes routes = read_routes(emulated);
  EXPECT_EQ(routes.lfts.top(), Lid(63));
  EXPECT_EQ(routes.lfts.port(kS0, Lid(2)), PortNum(2));
  EXPECT_EQ(routes.lfts.port(kS1, Lid(2)), PortNum(0));
  EXPECT_EQ(routes.lfts.port(kS1, Lid(5)), kNoRoute);
  EXPECT_TRUE(routes.mfts.empty());
  EXPECT_TRUE(routes.sl2vl.uniform());
}

TEST_F(Snapshot, SkipsEntriesAboveLinearFdbTop) {
  sm.set_lft({1}, {{1, 0}, {2, 2}, {3, 1}, {4, 2}}, 3);
  EXPECT_EQ(read_routes(emulated).lfts.port(kS0, Lid(4)), kNoRoute);
  EXPECT_EQ(read_routes(emulated).lfts.port(kS1, Lid(4)), PortNum(2));
}

TEST_F(Snapshot, SetsTheLidsOfTheFabric) {
  const auto with_lids = read_fabric(emulated);
  ASSERT_TRUE(with_lids);
  EXPECT_EQ(with_lids->endport(kH1).lid, Lid(4));
  EXPECT_EQ(with_lids->endport_of(Lid(2)), EndportId(1));
  EXPECT_EQ(emulated.lids()[2], (LidRange{Lid(3), 0}));
  ASSERT_EQ(sm.set_lid({1, 2, 2}, 1, 3), 0);
  EXPECT_FALSE(read_fabric(emulated)) << "two ports have LID 3";
}

TEST_F(Snapshot, ReadsMulticastTablesAndSl2VlMaps) {
  MulticastForwardingTable table;
  table.port_masks[5] = 0x0006;
  ASSERT_TRUE(sm.set(AttributeId::kMulticastForwardingTable, 0, {1}, encode(table)));
  SlToVlTable map;
  map.vls.fill(Vl(2));
  ASSERT_TRUE(sm.set(AttributeId::kSlToVlTable, modifier::sl_to_vl(PortNum(1), PortNum(2)), {1},
                     encode(map)));
  const Routes routes = read_routes(emulated);
  ASSERT_EQ(routes.mfts.size(), 1u);
  EXPECT_EQ(routes.mfts.at(Lid(0xC005)).at(kS0), PortMask(0x0006));
  EXPECT_FALSE(routes.sl2vl.uniform());
  EXPECT_EQ(routes.sl2vl.vl(kS0, PortNum(1), PortNum(2), Sl(9)), Vl(2));
  EXPECT_EQ(routes.sl2vl.vl(kS0, PortNum(1), PortNum(3), Sl(9)), Vl(1));
}

}  // namespace
}  // namespace weft
