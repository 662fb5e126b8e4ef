// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// QoS keys: parsing, precedence by kind of port, and the requirements of torus-2QoS.
#include "sm/qos/qos.h"

#include <gmock/gmock.h>

#include "support/mutated.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

VlWeight entry(unsigned vl, unsigned weight) {
  return {Vl(static_cast<std::uint8_t>(vl)), static_cast<std::uint8_t>(weight)};
}

TEST(QosKeys, ArbitrationIsAListOfPairsOfVlAndWeight) {
  EXPECT_THAT(*parse_vlarb("0:4"), ElementsAre(entry(0, 4)));
  EXPECT_THAT(*parse_vlarb("0:0, 14:255 ,0x3:0x10,"),
              ElementsAre(entry(0, 0), entry(14, 255), entry(3, 16)));
  for (const char* bad : {"", "1", "1:", ":1", "15:1", "1:256", "1:2,,3:4", "1-2", "1:2:3", "-1:2",
                          "1:2 3:4", "x:1"}) {
    const auto read = parse_vlarb(bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_THAT(read.error().message, HasSubstr("expected VL:WEIGHT")) << bad;
  }
  std::string many = "0:1";
  for (int i = 0; i < 63; ++i) many += ",1:2";
  EXPECT_TRUE(parse_vlarb(many));
  EXPECT_THAT(parse_vlarb(many + ",1:3").error().message,
              HasSubstr("found 65 entries, expected at most 64"));
}

TEST(QosKeys, MapsListAVlForEachSl) {
  EXPECT_EQ(*parse_sl2vl("0,1,2,3,5,5,5,12,12,0,"),
            (SlMap{0, 1, 2, 3, 5, 5, 5, 12, 12, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ((*parse_sl2vl("15")).at(0), 15);
  EXPECT_TRUE(parse_sl2vl("1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"));
  for (const char* bad :
       {"", "16", "1,,2", "1 2", "a", "-1", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0,1"})
    EXPECT_FALSE(parse_sl2vl(bad)) << bad;
  EXPECT_THAT(parse_sl2vl("0,16").error().message,
              "found '16', expected a VL from 0 to 14, or 15 to drop");
}

TEST(QosKeys, AHighLimitOfMinusOneIsNotSet) {
  EXPECT_EQ(*parse_high_limit("-1"), std::nullopt);
  EXPECT_EQ(*parse_high_limit("255"), std::optional<std::uint8_t>(255));
  for (const char* bad : {"256", "-2", "", "x"}) EXPECT_FALSE(parse_high_limit(bad)) << bad;
}

TEST(QosKeys, SpecificKeysOverrideGeneralKeys) {
  QosOptions qos;
  const QosTables plain = tables_for(qos, QosTarget::kCa);
  EXPECT_EQ(plain.high_limit, 0);
  EXPECT_EQ(plain.vlarb_high,
            *parse_vlarb("0:4,1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0,10:0,11:0,12:0,13:0,14:0"));
  EXPECT_EQ(plain.vlarb_low,
            *parse_vlarb("0:0,1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,9:4,10:4,11:4,12:4,13:4,14:4"));
  EXPECT_EQ(plain.sl2vl, *parse_sl2vl("0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7"));
  EXPECT_FALSE(plain.arbitration_is_set);

  qos.all = {.high_limit = 9,
             .vlarb_high = *parse_vlarb("1:1"),
             .vlarb_low = {},
             .sl2vl = *parse_sl2vl("3")};
  qos[QosTarget::kCa].sl2vl = *parse_sl2vl("5");
  qos[QosTarget::kCa].high_limit = 0;
  const QosTables ca = tables_for(qos, QosTarget::kCa);
  EXPECT_EQ(ca.high_limit, 0);
  EXPECT_EQ(ca.sl2vl[0], 5);
  EXPECT_EQ(ca.sl2vl_name, "qos_ca_sl2vl");
  EXPECT_EQ(ca.high_name, "qos_vlarb_high");
  EXPECT_EQ(ca.low_name, "default");
  EXPECT_TRUE(ca.arbitration_is_set);
  const QosTables router = tables_for(qos, QosTarget::kRouter);
  EXPECT_EQ(router.high_limit, 9);
  EXPECT_EQ(router.sl2vl[0], 3);
}

TEST(QosKeys, FoldsVlsBeyondTheOperationalVls) {
  EXPECT_EQ(fold(std::uint8_t{9}, 8), 1);
  EXPECT_EQ(fold(std::uint8_t{14}, 15), 14);
  EXPECT_EQ(fold(std::uint8_t{14}, 1), 0);
  EXPECT_EQ(fold(std::uint8_t{15}, 4), 15) << "VL 15, which drops packets, must not be folded";
  EXPECT_EQ(fold(modulo_map(15), 2), (SlMap{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0}));
}

TEST(QosKeys, TorusNeedsEqualWeightsWithinALevel) {
  QosOptions qos;
  EXPECT_THAT(torus_problems(qos), IsEmpty())
      << "without keys the VLs of a level have equal weights";
  qos[QosTarget::kSwitchExternal].vlarb_low = *parse_vlarb("0:2,0:2,1:4,2:4,3:4,4:8,5:8,6:8,7:8");
  qos[QosTarget::kSwitchExternal].vlarb_high = *parse_vlarb("0:0");
  EXPECT_THAT(torus_problems(qos), IsEmpty())
      << "the weights of several entries of a VL must be added";
  qos[QosTarget::kSwitchExternal].vlarb_high = *parse_vlarb("2:4,3:4");
  EXPECT_THAT(torus_problems(qos), ElementsAre(HasSubstr("qos_swe_vlarb_high: ")));
  qos[QosTarget::kSwitchExternal].vlarb_high.reset();
  EXPECT_THAT(torus_problems(qos),
              ElementsAre(HasSubstr("the default for the unset key of qos_swe_vlarb_*")));
  qos = {};
  qos.all.vlarb_low = *parse_vlarb("0:4,1:4,2:4,3:4");
  qos.all.vlarb_high = *parse_vlarb("0:0");
  EXPECT_THAT(torus_problems(qos), ElementsAre(HasSubstr("VLs 0 and 1 of qos_ca_*"),
                                               HasSubstr("qos_rtr_"), HasSubstr("qos_sw0_")));
  qos = {};
  qos[QosTarget::kSwitchExternal].sl2vl = *parse_sl2vl("1");
  EXPECT_THAT(torus_problems(qos), ElementsAre(HasSubstr("qos_swe_sl2vl has no effect")));
}

TEST(QosKeys, DamagedValuesAreReadOrRefused) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed);
    if (const auto table = parse_vlarb(damaged_copy("0:4,1:0,2:0,14:255", rng))) {
      EXPECT_LE(table->size(), 64u) << seed;
      for (const VlWeight& each : *table) EXPECT_LT(each.vl.value(), 15) << seed;
    }
    const auto map = parse_sl2vl(damaged_copy("0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7", rng));
    if (!map) continue;
    for (const std::uint8_t vl : *map) EXPECT_LE(vl, 15) << seed;
  }
}

}  // namespace
}  // namespace weft
