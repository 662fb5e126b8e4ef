// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/sl2vl.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Sl2Vl, UsesTheCommonMapForPortPairsWithoutAMap) {
  Sl2Vl maps(modulo_map(4));
  EXPECT_TRUE(maps.uniform());
  maps.set(SwitchId(3), PortNum(2), PortNum(7), modulo_map(2));
  EXPECT_FALSE(maps.uniform());
  EXPECT_EQ(maps.vl(SwitchId(3), PortNum(2), PortNum(7), Sl(5)), Vl(1));
  for (const auto& [sw, in, out] :
       {std::array{3, 7, 2}, std::array{3, 2, 6}, std::array{2, 2, 7}, std::array{9, 254, 254}})
    EXPECT_EQ(
        maps.map(SwitchId(static_cast<std::uint32_t>(sw)), PortNum(static_cast<std::uint8_t>(in)),
                 PortNum(static_cast<std::uint8_t>(out))),
        modulo_map(4));
}

TEST(Sl2Vl, KeepsEarlierMapsWhenThePortRangeGrows) {
  Sl2Vl maps;
  maps.set(SwitchId(0), PortNum(1), PortNum(2), modulo_map(2));
  maps.set(SwitchId(0), PortNum(9), PortNum(3), modulo_map(3));
  EXPECT_EQ(maps.map(SwitchId(0), PortNum(1), PortNum(2)), modulo_map(2));
  EXPECT_EQ(maps.map(SwitchId(0), PortNum(9), PortNum(3)), modulo_map(3));
}

TEST(Sl2Vl, IsEqualForAnyOrderOfSettingMaps) {
  Sl2Vl a, b;
  a.set(SwitchId(0), PortNum(1), PortNum(2), modulo_map(2));
  a.set(SwitchId(1), PortNum(2), PortNum(1), modulo_map(3));
  b.set(SwitchId(1), PortNum(2), PortNum(1), modulo_map(3));
  EXPECT_NE(a, b);
  b.set(SwitchId(0), PortNum(1), PortNum(2), modulo_map(2));
  EXPECT_EQ(a, b);
  b.set(SwitchId(5), PortNum(1), PortNum(2), modulo_map(4));
  EXPECT_NE(a, b);
  b.set(SwitchId(5), PortNum(1), PortNum(2), b.common());
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace weft
