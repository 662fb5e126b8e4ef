// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SL2VL and VL arbitration: the plan for each port, and its programming.
#include "sm/qos/lanes.h"

#include <gmock/gmock.h>

#include <fstream>

#include "routing/nue/nue.h"
#include "support/fabric_state.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Arbitration, ServesEveryVlWithinTheCapacity) {
  const struct {
    unsigned vls, low_cap, high_cap, served;
  } cases[] = {
      {8, 8, 8, 8}, {8, 4, 8, 8},     {8, 4, 2, 6},   {8, 0, 8, 8}, {8, 0, 0, 0},
      {2, 8, 0, 2}, {15, 64, 64, 15}, {15, 8, 8, 15}, {1, 1, 0, 1},
  };
  for (const auto& test : cases) {
    const auto arbitration = even_arbitration(test.vls, test.low_cap, test.high_cap);
    EXPECT_EQ(vls_served(arbitration), test.served)
        << test.vls << " VLs, low_cap " << test.low_cap << ", high_cap " << test.high_cap;
    EXPECT_THAT(arbitration.low, SizeIs(test.low_cap));
    EXPECT_THAT(arbitration.high, SizeIs(test.high_cap));
    unsigned with_weight = 0;
    for (const auto* table : {&arbitration.low, &arbitration.high})
      for (const VlWeight& entry : *table) {
        if (entry.weight > 0) ++with_weight;
        EXPECT_TRUE(entry.weight == 0 || entry.weight == 64) << "VLs must have equal weights";
        EXPECT_LT(entry.vl.value(), test.vls);
      }
    EXPECT_EQ(with_weight, test.served);
  }
}

TEST(Arbitration, IsDividedIntoBlocksOf32) {
  const auto small = even_arbitration(8, 8, 0);
  const auto first = block_of(small, modifier::VlArbBlock::kLowFirst);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->entries[7], (VlWeight{Vl(7), 64}));
  EXPECT_EQ(first->entries[8], VlWeight{});
  EXPECT_FALSE(block_of(small, modifier::VlArbBlock::kLowSecond));
  EXPECT_FALSE(block_of(small, modifier::VlArbBlock::kHighFirst));
  EXPECT_TRUE(block_of(even_arbitration(8, 33, 64), modifier::VlArbBlock::kLowSecond));
  EXPECT_TRUE(block_of(even_arbitration(8, 33, 64), modifier::VlArbBlock::kHighSecond));
}

/// An engine, a fabric, and the smallest number of VLs of the routes.
struct LaneCase {
  const char* engine;
  const char* spec;
  unsigned vls_min;
};
constexpr LaneCase kCases[] = {
    {"minhop", "fattree2:k=4", 1},
    {"updn", "fattree3:k=4", 1},
    {"dnup", "fattree2:k=4", 1},
    {"ftree", "fattree2:k=4", 1},
    {"sssp", "fattree2:k=4", 1},
    {"dfsssp", "ring:n=6,hosts=2", 2},
    {"lash", "ring:n=5,hosts=1", 2},
    {"dor", "mesh:3x3", 1},
    {"torus-2QoS", "torus:3x3,hosts=1", 4},
    {"nue", "torus:4x4,hosts=1", 4},
};

void select_engine(ManagedSubnet& managed, const LaneCase& test) {
  managed.options.routing_engine = {{test.engine}, false};
  managed.options.routing.plain.parameters.set(kNueVls, 4);
  const Fabric& fabric = managed.fabric();
  const auto guid = [&](unsigned sw) { return fabric.node(SwitchId(sw)).node_guid.value(); };
  if (std::string_view(test.engine) != "torus-2QoS") return;
  const TempDir folder;
  const std::string path = folder / "torus.conf";
  std::ofstream(path) << fmt::format("torus 3 3 1\nxp_link {:#x} {:#x}\nyp_link {:#x} {:#x}\n",
                                     guid(0), guid(1), guid(0), guid(3));
  auto config = read_torus_config(path);
  ASSERT_TRUE(config) << config.error().message;
  managed.options.routing.plain.torus = std::move(*config);
}

TEST(LaneTables, AreProgrammedOnceAsPlanned) {
  for (const LaneCase& test : kCases) {
    SCOPED_TRACE(test.engine);
    ManagedSubnet managed(fabric_of(test.spec));
    select_engine(managed, test);
    managed.options.client_rereg = false;
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_managed(managed);
    const auto snapshot = managed.sm().snapshot();
    ASSERT_NE(snapshot, nullptr);
    EXPECT_EQ(snapshot->routes.engine, test.engine);
    EXPECT_GE(snapshot->routes.vls, test.vls_min);
    EXPECT_TRUE(snapshot->lanes.is_set());
    EXPECT_EQ(snapshot->lanes.is_needed(), snapshot->routes.vls > 1);
    EXPECT_GT(managed.sets(AttributeId::kSlToVlTable), 0u);
    EXPECT_EQ(managed.sets(AttributeId::kSlToVlTable),
              managed.report().applied.done_in(Phase::kSl2Vl));

    managed.emulated().reset_counters();
    managed.sm().request_heavy_sweep("test");
    ASSERT_TRUE(managed.settle());
    managed.start();  // a new manager, which must read the tables
    ASSERT_TRUE(managed.settle());
    expect_managed(managed);
    for (const AttributeId attribute :
         {AttributeId::kPortInfo, AttributeId::kLinearForwardingTable, AttributeId::kSlToVlTable,
          AttributeId::kVlArbitrationTable})
      EXPECT_EQ(managed.sets(attribute), 0u);
  }
}

TEST(LaneTables, ChangeWithTheEngine) {
  ManagedSubnet managed(fabric_of("torus:3x3,hosts=1"));
  for (const LaneCase& test : kCases) {
    const std::string_view engine = test.engine;
    if (engine != "torus-2QoS" && engine != "updn" && engine != "dfsssp" && engine != "nue")
      continue;
    SCOPED_TRACE(test.engine);
    select_engine(managed, test);
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_managed(managed);
    EXPECT_EQ(managed.sm().snapshot()->routes.engine, engine);
  }
}

/// A ring of switches with optimized SL2VL, and a manager that uses optimized SL2VL.
struct OptimizedRing : ManagedSubnet {
  OptimizedRing() : ManagedSubnet(fabric_of("ring:n=6,hosts=2"), optimized()) {
    options.routing_engine = {{"dfsssp"}, false};
    options.use_optimized_slvl = true;
    options.max_op_vls = 3;  // so that maps differ from those after power-up
  }
  static EmulatorOptions optimized() {
    EmulatorOptions emulator;
    emulator.optimized_sl2vl = true;
    return emulator;
  }
};

TEST(LaneTables, UseOneSmpOnASwitchWithOptimizedSl2Vl) {
  OptimizedRing managed;
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.sets(AttributeId::kSlToVlTable),
            managed.fabric().switch_count() + managed.fabric().ca_count());
  managed.emulated().reset_counters();
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.sets(AttributeId::kSlToVlTable), 0u);
  managed.sm().request_full_discovery("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.sets(AttributeId::kSlToVlTable), 0u)
      << "a full discovery must write no maps, because the maps are as planned";
}

TEST(LaneTables, AreWrittenPairByPairByDefault) {
  EmulatorOptions optimized;
  optimized.optimized_sl2vl = true;
  ManagedSubnet managed(fabric_of("ring:n=6,hosts=2"), optimized);
  managed.options.routing_engine = {{"dfsssp"}, false};
  bool at_once = false;
  managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId) {
    at_once |=
        smp.attribute == AttributeId::kSlToVlTable && smp.modifier == modifier::kSlToVlEveryPair;
    return EmulatedFabric::Delivery::kPass;
  });
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_FALSE(at_once);
}

TEST(LaneTables, WarningsNameAtMost20RefusingSwitches) {
  ManagedSubnet managed(fabric_of("ring:n=24,hosts=1"), OptimizedRing::optimized());
  managed.options.routing_engine = {{"dfsssp"}, false};
  managed.options.use_optimized_slvl = true;
  managed.options.max_op_vls = 3;
  DeviceBehavior quirks;
  quirks.sl2vl_at_once = OptimizedSl2VlQuirk::kRefuses;
  for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s)
    managed.emulated().set_behavior(NodeId(s), quirks);
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.report().applied.tolerated_refusals, 24u);
  const auto named =
      std::ranges::count_if(managed.report().warnings, [](const std::string& warning) {
        return warning.find("each pair is written separately") != std::string::npos;
      });
  EXPECT_EQ(named, 20);
}

/// A firmware announces optimized SL2VL but does not support it.
TEST(LaneTables, AreWrittenPairByPairIfTheOptimizedWriteFails) {
  for (const OptimizedSl2VlQuirk kind :
       {OptimizedSl2VlQuirk::kRefuses, OptimizedSl2VlQuirk::kIgnores}) {
    OptimizedRing managed;
    const NodeId deviating_switch(2);
    DeviceBehavior quirks;
    quirks.sl2vl_at_once = kind;
    managed.emulated().set_behavior(deviating_switch, quirks);
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_managed(managed);
    EXPECT_EQ(managed.report().applied.tolerated_refusals, 1u);
    EXPECT_THAT(managed.report().warnings,
                testing::Contains(HasSubstr("each pair is written separately")));
    managed.emulated().reset_counters();
    managed.sm().request_heavy_sweep("test");
    ASSERT_TRUE(managed.settle());
    EXPECT_EQ(managed.sets(AttributeId::kSlToVlTable), 0u);
    EXPECT_TRUE(managed.report().up);
  }
}

TEST(LaneTables, StayUnchangedOnALargeFabricIfTheRoutesUseOneVl) {
  // The 48 switches have 50,688 SL2VL maps, more than kIdleLaneTablesMax.
  ManagedSubnet managed(fabric_of("fattree2:k=32"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().up);
  EXPECT_FALSE(managed.sm().snapshot()->lanes.is_set());
  EXPECT_EQ(managed.sets(AttributeId::kSlToVlTable), 0u);
  EXPECT_EQ(managed.sets(AttributeId::kVlArbitrationTable), 0u);
}

TEST(LaneTables, OfAHostThatWasResetAreWrittenAgain) {
  ManagedSubnet managed(fabric_of("ring:n=6,hosts=2"));
  managed.options.routing_engine = {{"dfsssp"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  const NodeId host(managed.fabric().node_count() - 1);
  managed.emulated().switch_off_node(host);
  managed.run_for(std::chrono::seconds(30));
  managed.emulated().switch_on_node(host);
  managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.known().ca_count(), managed.fabric().ca_count());
  expect_managed(managed);
}

/// A fabric of two switches and two hosts, and the plan for it.
class PlannedLanes : public testing::Test {
 protected:
  PlannedLanes() {
    observed.fabric = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
    const Fabric& fabric = observed.fabric;
    for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
      ObservedNode node;
      node.info.type = fabric.node(NodeId(n)).type;
      for (const Port& port : fabric.ports(NodeId(n))) {
        PortInfo info;
        info.capability_mask = cap_mask::kSlMapping;
        info.vl_cap = 4;
        info.vl_arb_high_cap = info.vl_arb_low_cap = 8;
        info.state = port.peer == kNoPort ? PortState::kDown : PortState::kInit;
        node.ports.push_back(info);
        node.answered.push_back(true);
      }
      observed.nodes.push_back(node);
    }
    routes.engine = "test";
    routes.vls = 4;
    routes.sl2vl = Sl2Vl(modulo_map(4));
  }
  LanePlan plan(std::uint8_t max_op_vls = 5) {
    return plan_lanes(observed, observed.fabric, routes, max_op_vls);
  }
  PortInfo& host_port() { return observed.nodes[2].ports[1]; }

  Observed observed;
  Routes routes;
};

TEST_F(PlannedLanes, ArbitrationServesTheVlsThatBothEndsSupport) {
  host_port().vl_cap = 3;
  const LanePlan lanes = plan();
  EXPECT_THAT(lanes.obstacles(), IsEmpty());
  const Fabric& fabric = observed.fabric;
  const auto served = [&](unsigned node, unsigned port) {
    const auto* found =
        lanes.arbitration(fabric.port_id(NodeId(node), PortNum(static_cast<std::uint8_t>(port))));
    return found == nullptr ? 0 : vls_served(*found);
  };
  EXPECT_EQ(served(2, 1), 4u);
  EXPECT_EQ(served(0, 2), 4u) << "the other end of the cable must serve the same VLs";
  EXPECT_EQ(served(0, 1), 8u);
  EXPECT_EQ(served(0, 0), 0u) << "port 0 must serve no VLs";
  EXPECT_EQ(served(0, 5), 0u) << "a port without a cable must serve no VLs";
}

TEST_F(PlannedLanes, TablesAreOnlyForCabledPorts) {
  const LanePlan lanes = plan();
  const auto host = lane_tables(observed, observed.fabric, routes, lanes, NodeId(2));
  EXPECT_THAT(host.sl2vl, ElementsAre(1));
  EXPECT_THAT(host.arbitration, ElementsAre(0x101, 0x301));
  const auto sw = lane_tables(observed, observed.fabric, routes, lanes, NodeId(0));
  EXPECT_THAT(sw.sl2vl, SizeIs(2 * 9))
      << "the switch must have maps from port 0 and eight inputs to two cabled outputs";
  EXPECT_THAT(sw.arbitration, SizeIs(4));
}

TEST_F(PlannedLanes, PortsThatDoNotSupportTheVlsOfTheRoutesAreObstacles) {
  host_port().vl_cap = 2;
  EXPECT_THAT(plan().obstacles(),
              ElementsAre(HasSubstr("port 2 operates 2 data VLs, and the routes of 'test' use 4"),
                          HasSubstr("'H0'")));
  host_port().vl_cap = 1;
  EXPECT_THAT(plan().obstacles(), testing::Contains(HasSubstr("operates 1 data VL,")));
  host_port().vl_cap = 4;
  EXPECT_THAT(plan(2).obstacles(), SizeIs(6))
      << "with max_op_vls 2 all six ports must be obstacles";
  host_port().vl_arb_high_cap = 0;
  host_port().vl_arb_low_cap = 2;
  EXPECT_THAT(plan().obstacles(), ElementsAre(HasSubstr("2 and 0 entries for arbitration")));
  host_port().vl_arb_low_cap = 8;
  host_port().capability_mask = 0;
  EXPECT_THAT(plan().obstacles(), ElementsAre(HasSubstr("cannot map service levels to VLs")));
  routes.vls = 1;
  routes.sl2vl = {};
  host_port().vl_cap = 1;
  EXPECT_THAT(plan().obstacles(), IsEmpty())
      << "routes with one VL need no maps and no further VLs";
  EXPECT_THAT(lane_tables(observed, observed.fabric, routes, plan(), NodeId(2)).sl2vl, IsEmpty());
}

TEST_F(PlannedLanes, ManyObstaclesAreCounted) {
  observed.fabric = Tiny(1, 60).hosts(0, 60).build();
  const ObservedNode sw = observed.nodes[0], host = observed.nodes[2];
  observed.nodes.assign(61, host);
  observed.nodes[0] = sw;
  observed.nodes[0].ports.resize(61, sw.ports[1]);
  observed.nodes[0].answered.resize(61, true);
  EXPECT_THAT(plan(1).obstacles(), SizeIs(21));
  EXPECT_THAT(plan(1).obstacles().back(), HasSubstr("100 more ports"));
}

TEST(HeldLanesOfASwitch, MapsAreRecordedForEachPairOfPorts) {
  HeldLanes held(4);
  const SlMap eight = modulo_map(8), two = modulo_map(2);
  EXPECT_FALSE(held.has_map(1));
  held.remember_map(1, eight);
  EXPECT_TRUE(held.holds_map(1, eight));
  EXPECT_FALSE(held.holds_map(1, two));
  held.remember_map(4 << 8 | 3, two);
  EXPECT_TRUE(held.holds_map(4 << 8 | 3, two));
  EXPECT_TRUE(held.holds_map(1, eight)) << "the map of pair 1 must be kept when the table grows";
  EXPECT_FALSE(held.has_map(3 << 8 | 3));
  EXPECT_FALSE(held.has_map(kEveryPair));
  held.remember_map(kEveryPair, eight);
  EXPECT_TRUE(held.holds_map(kEveryPair, eight));
  EXPECT_TRUE(held.holds_map(3 << 8 | 3, eight));
  held.remember_map(2 << 8 | 2, two);
  EXPECT_FALSE(held.holds_map(kEveryPair, eight));
}

}  // namespace
}  // namespace weft
