// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// QoS keys on a fabric: the tables of ports, and corrections of values incompatible with the
// routes.
#include "sm/qos/administered_lanes.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kEven = "0:4,1:4,2:4,3:4,4:4,5:4,6:4,7:4";

//  H0 H1   H2
//    1|2   |2
//     S0---S1     S1 has an enhanced port 0, H2 has two VLs
//       3  1
Fabric two_switches_with_qos() {
  Tiny tiny(2, 4);
  tiny.hosts(0, 2).link(0, 1).hosts(1);
  tiny.builder().node(1).enhanced_port0 = true;
  FabricBuilder::PortSpec two_vls;
  two_vls.data_vls = std::uint8_t{2};
  CHECK(tiny.builder().describe_port(4, PortNum(1), two_vls).has_value());
  auto fabric = tiny.builder().build();
  CHECK(fabric.has_value());
  return std::move(*fabric);
}
constexpr std::uint64_t kSwitch0Guid = 0x100, kSwitch1Guid = 0x101, kH0 = 0x10000, kH2 = 0x10020;

/// A managed fabric with QoS, and functions that read the tables of the emulated ports.
class LanesByKeys : public testing::Test {
 protected:
  explicit LanesByKeys(Fabric fabric = two_switches_with_qos(),
                       const EmulatorOptions& emulator = {})
      : managed(std::move(fabric), emulator) {
    qos.enabled = true;
  }
  QosOptions& qos = managed.options.qos;

  void bring_up() {
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_managed(managed);
  }
  NodeId node(std::uint64_t guid) const { return *managed.fabric().find_node(Guid(guid)); }
  PortId port(std::uint64_t guid, unsigned number) const {
    return managed.fabric().port_id(node(guid), PortNum(static_cast<std::uint8_t>(number)));
  }
  SlMap map(std::uint64_t guid, unsigned in, unsigned out) {
    SlMap map{};
    const SlToVlTable held =
        managed.emulated().sl_to_vl(node(guid), PortNum(static_cast<std::uint8_t>(in)),
                                    PortNum(static_cast<std::uint8_t>(out)));
    std::ranges::transform(held.vls, map.begin(), [](Vl vl) { return vl.value(); });
    return map;
  }
  std::vector<VlWeight> low(std::uint64_t guid, unsigned number) {
    const auto table =
        managed.emulated().vl_arb(port(guid, number), modifier::VlArbBlock::kLowFirst);
    return {table.entries.begin(), table.entries.begin() + 8};
  }
  unsigned high_limit(std::uint64_t guid, unsigned number) {
    return managed.emulated().port_info(port(guid, number)).vl_high_limit;
  }
  const std::vector<std::string>& warnings() { return managed.report().warnings; }

  ManagedSubnet managed;
};

TEST_F(LanesByKeys, DefaultsAreThoseOfOpenSm) {
  bring_up();
  EXPECT_EQ(map(kH0, 0, 1), (SlMap{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(map(kSwitch0Guid, 0, 3), map(kH0, 0, 1));
  EXPECT_EQ(low(kH0, 1), *parse_vlarb("0:0,1:4,2:4,3:4,4:4,5:4,6:4,7:4"));
  EXPECT_EQ(map(kH2, 0, 1), (SlMap{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}))
      << "a port with two VLs uses the VL modulo 2";
  EXPECT_EQ(map(kSwitch1Guid, 1, 2), map(kH2, 0, 1))
      << "the switch port at the other end of the cable has the same map";
  EXPECT_EQ(low(kSwitch1Guid, 2), *parse_vlarb("0:0,1:4,0:4,1:4,0:4,1:4,0:4,1:4"));
  EXPECT_FALSE(managed.sm().snapshot()->lanes.is_needed());
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(LanesByKeys, EachKindOfPortUsesTheCorrespondingKeys) {
  qos.all = {.high_limit = 9, .vlarb_high = {}, .vlarb_low = *parse_vlarb("0:1"), .sl2vl = {}};
  qos.all.sl2vl = *parse_sl2vl("1,1");
  qos[QosTarget::kCa].sl2vl = *parse_sl2vl("0,2");
  qos[QosTarget::kCa].high_limit = 255;
  qos[QosTarget::kSwitchPort0].sl2vl = *parse_sl2vl("3,4,5");
  qos[QosTarget::kSwitchPort0].vlarb_low = *parse_vlarb("3:7");
  qos[QosTarget::kSwitchPort0].high_limit = 77;
  qos[QosTarget::kSwitchExternal].vlarb_low = *parse_vlarb("1:5,2:6");
  bring_up();
  EXPECT_EQ(map(kH0, 0, 1), *parse_sl2vl("0,2"));
  EXPECT_EQ(map(kSwitch0Guid, 1, 3), *parse_sl2vl("1,1"));
  EXPECT_EQ(low(kSwitch0Guid, 3), *parse_vlarb("1:5,2:6,0:0,0:0,0:0,0:0,0:0,0:0"));
  EXPECT_EQ(map(kSwitch1Guid, 1, 0), *parse_sl2vl("3,4,5"))
      << "the enhanced port 0 has the map of the key for switch port 0";
  EXPECT_EQ(low(kSwitch1Guid, 0)[0], (VlWeight{Vl(3), 7}));
  EXPECT_EQ(high_limit(kSwitch1Guid, 0), 77u);
  EXPECT_EQ(high_limit(kSwitch0Guid, 0), 0u) << "a base port 0 has no VLs";
  EXPECT_EQ(high_limit(kH0, 1), 255u);
  EXPECT_EQ(high_limit(kSwitch0Guid, 1), 9u);
}

/// The table equals HIGH_LIMITS of tests/interop/qos_test.py, which was measured with OpenSM.
TEST_F(LanesByKeys, HighLimitsAreThoseOfTheKeys) {
  const struct {
    std::optional<std::uint8_t> all, ca, swe;
    unsigned at_ca, at_switch;
  } cases[] = {{{}, {}, {}, 0, 0}, {9, {}, {}, 9, 9}, {9, 255, 0, 255, 0}, {{}, 3, {}, 3, 0}};
  for (const auto& test : cases) {
    qos.all.high_limit = test.all;
    qos[QosTarget::kCa].high_limit = test.ca;
    qos[QosTarget::kSwitchExternal].high_limit = test.swe;
    bring_up();
    EXPECT_EQ(high_limit(kH0, 1), test.at_ca);
    EXPECT_EQ(high_limit(kSwitch0Guid, 1), test.at_switch);
    EXPECT_EQ(high_limit(kSwitch0Guid, 3), test.at_switch);
  }
}

TEST_F(LanesByKeys, ProgramsOptionsChangedAtRunTime) {
  bring_up();
  qos.all.sl2vl = *parse_sl2vl("2,2,2");
  qos.all.vlarb_low = *parse_vlarb("2:3");
  managed.sm().set_options(managed.options);
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(map(kSwitch0Guid, 1, 3)[0], 2);
  qos.enabled = false;
  managed.sm().set_options(managed.options);
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(map(kSwitch0Guid, 1, 3), modulo_map(1));
}

TEST_F(LanesByKeys, VlInUseKeepsWeight) {
  qos.all.vlarb_low = *parse_vlarb("1:4,2:4");
  qos.all.vlarb_high = *parse_vlarb("0:0");
  bring_up();
  EXPECT_EQ(low(kH0, 1)[0], (VlWeight{Vl(0), 64}));
  EXPECT_THAT(warnings(),
              Contains(HasSubstr("arbitration of qos_vlarb_high and qos_vlarb_low gives no "
                                 "weight to VL 0, which packets use")));
  qos.all.sl2vl = *parse_sl2vl("1,0");  // SL 0 is on VL 1 now
  bring_up();
  EXPECT_EQ(low(kH0, 1)[0], (VlWeight{Vl(1), 4}));
  EXPECT_THAT(warnings(), Not(Contains(HasSubstr("no weight"))));
}

TEST_F(LanesByKeys, DoesNotDropSlsInUse) {
  qos.all.sl2vl = *parse_sl2vl("15,1,15");
  bring_up();
  EXPECT_EQ(map(kSwitch0Guid, 1, 3)[0], 0);
  EXPECT_THAT(warnings(),
              Contains(HasSubstr("SL2VL of qos_sl2vl is not used: it fails verification: "
                                 "6 of 6 CA pairs are not connected")));
  qos.all.sl2vl = {};
  qos[QosTarget::kCa].sl2vl = *parse_sl2vl("15");
  bring_up();
  EXPECT_EQ(map(kH0, 0, 1)[1], 1) << "the CA has the map of the switches";
  EXPECT_THAT(warnings(), Contains(HasSubstr("qos_ca_sl2vl drops SL 0, which the routes of 'updn' "
                                             "use")));
  qos[QosTarget::kCa].sl2vl = *parse_sl2vl("0,15,1");
  bring_up();
  EXPECT_EQ(map(kH0, 0, 1)[1], 15) << "no path uses SL 1";
  EXPECT_THAT(warnings(), IsEmpty());
}

class LanesOfARing : public LanesByKeys {
 protected:
  LanesOfARing() : LanesByKeys(fabric_of("ring:n=6,hosts=2")) {
    managed.options.routing_engine = {{"dfsssp"}, false};
  }
};

TEST_F(LanesOfARing, UsesKeysThatKeepLayersSeparate) {
  qos.all.sl2vl = *parse_sl2vl("7,6,5,4,3,2,1,0");
  qos.all.vlarb_low = *parse_vlarb(kEven);
  bring_up();
  const auto snapshot = managed.sm().snapshot();
  EXPECT_GT(snapshot->routes.vls, 1u);
  EXPECT_EQ(snapshot->routes.sl2vl.common()[0], 7);
  EXPECT_TRUE(snapshot->lanes.is_needed());
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(LanesOfARing, RejectsKeysThatWouldDeadlock) {
  qos[QosTarget::kSwitchExternal].sl2vl = *parse_sl2vl("0,0,0,0");
  for (const VerifyMode mode : {VerifyMode::kEnforce, VerifyMode::kWarn, VerifyMode::kOff}) {
    managed.options.verify = mode;
    bring_up();
    const auto snapshot = managed.sm().snapshot();
    EXPECT_EQ(snapshot->routes.engine, "dfsssp");
    EXPECT_EQ(snapshot->routes.sl2vl, Sl2Vl(modulo_map(snapshot->routes.vls)));
    EXPECT_THAT(warnings(), Contains(HasSubstr("SL2VL of qos_swe_sl2vl is not used")));
    if (mode != VerifyMode::kOff) {
      EXPECT_THAT(warnings(), Contains(HasSubstr("it fails verification: a credit loop over")));
    }
  }
}

TEST_F(LanesOfARing, VlsHaveEqualWeightsWithoutKeys) {
  bring_up();
  const PortArbitration even = even_arbitration(8, 8, 8);
  EXPECT_EQ(
      *managed.sm().snapshot()->lanes.arbitration(managed.known().port_id(NodeId(0), PortNum(1))),
      even);
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(LanesOfARing, CorrectsVlsWithoutWeight) {
  qos[QosTarget::kCa].vlarb_low = *parse_vlarb("0:1");
  qos[QosTarget::kCa].vlarb_high = *parse_vlarb("0:1");
  bring_up();
  EXPECT_THAT(warnings(), Contains(testing::AllOf(HasSubstr("gives no weight to VL 1"),
                                                  HasSubstr("and 11 more"))));
}

TEST(LanesOfASwitch, UseOneSmpWithKeysOnOptimizedSwitch) {
  EmulatorOptions optimized;
  optimized.optimized_sl2vl = true;
  ManagedSubnet managed(fabric_of("ring:n=6,hosts=2"), optimized);
  managed.options.qos.enabled = true;
  managed.options.use_optimized_slvl = true;
  managed.options.max_op_vls = 3;  // so that maps differ from those after power-up
  managed.options.qos[QosTarget::kCa].sl2vl = *parse_sl2vl("3,4");
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.sets(AttributeId::kSlToVlTable),
            managed.fabric().switch_count() + managed.fabric().ca_count());
}

TEST(LanesOfATorus, AreThoseOfTheEngineAndWeightsAreChecked) {
  ManagedSubnet managed(fabric_of("torus:3x3,hosts=1"));
  managed.options.routing_engine = {{"torus-2QoS"}, false};
  const auto guid = [&](unsigned sw) {
    return managed.fabric().node(SwitchId(sw)).node_guid.value();
  };
  const TempDir folder;
  const std::string path = folder / "torus.conf";
  ASSERT_TRUE(
      write_file(path, fmt::format("torus 3 3 1\nxp_link {:#x} {:#x}\nyp_link {:#x} {:#x}\n",
                                   guid(0), guid(1), guid(0), guid(3))));
  managed.options.routing.plain.torus = *read_torus_config(path);
  managed.options.qos.enabled = true;
  managed.options.qos.all.sl2vl = *parse_sl2vl("0");
  managed.options.qos.all.vlarb_low = *parse_vlarb("0:1,1:2,2:3,3:4,4:5,5:6,6:7,7:8");
  managed.options.qos.all.vlarb_high = *parse_vlarb("0:0");
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_THAT(managed.report().warnings,
              Contains(HasSubstr("qos_sl2vl has no effect: torus-2QoS sets SL2VL itself")));
  EXPECT_THAT(managed.report().warnings,
              Contains(HasSubstr("qos_vlarb_low: torus-2QoS needs equal")));
  const Fabric& known = managed.known();
  for (const Port& out : known.ports(SwitchId(0))) {
    if (out.peer == kNoPort) continue;
    const auto& low =
        managed.sm().snapshot()->lanes.arbitration(known.port_id(out.node, out.num))->low;
    if (known.is_switch(known.port(out.peer).node)) {
      EXPECT_EQ(low, *parse_vlarb("0:1,1:2,2:3,3:4,4:5,5:6,6:7,7:8"));
    } else {
      EXPECT_EQ(low, *parse_vlarb("0:1,1:5,0:0,0:0,0:0,0:0,0:0,0:0"))
          << "the port uses one VL for each QoS level";
    }
  }
}

}  // namespace
}  // namespace weft
