// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The stages of a sweep as functions: desired state, diff, and apply, each tested without the
// manager. The last test compares bring-ups by the manager with and without lost SMPs.
#include <gmock/gmock.h>

#include <array>

#include "sm/discovery/directed.h"
#include "sm/discovery/discovery.h"
#include "sm/programming/apply.h"
#include "sm/programming/diff.h"
#include "support/fabric_state.h"
#include "support/fabrics.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// An emulated fabric, its discovery, and routes by updn.
class Stages {
 public:
  explicit Stages(Fabric fabric, const EmulatorOptions& emulator = {})
      : real(std::move(fabric)),
        emulated(real, emulator),
        client(emulated.attach(EndportId(real.switch_count())), emulated.clock(), {}) {
    observe();
    plan_routes();
  }
  void observe() {
    Discovery discovery{keys, true};
    run(discovery);
    auto result = std::move(discovery).result();
    CHECK(result.has_value());
    observed = std::move(*result);
  }
  void plan_routes() {
    auto addressed = assign_subnet_lids(observed, options, memory);
    CHECK(addressed.has_value());
    auto routed = route_by_chain(*addressed, {{"updn"}, false}, {}, VerifyMode::kEnforce);
    CHECK(routed.status.has_value());
    const Lid sm_lid = addressed->endport(observed.self_endport).lid;
    desired = {std::move(*addressed), std::move(routed.routes), sm_lid, {}, {}};
    desired.lanes = plan_lanes(observed, desired.fabric, desired.routes, options.max_op_vls);
  }
  void run(SmpWork& work) {
    while (client.step(work, emulated.clock().now() + std::chrono::milliseconds(1))) {
    }
  }
  Plan diff() const { return weft::diff(observed, held, desired, options); }
  void apply(const Plan& plan) {
    PlanExecution applying(plan, observed, held, keys, desired, options);
    run(applying);
    EXPECT_TRUE(applying.report().complete());
  }

  const Fabric real;
  EmulatedFabric emulated;
  SmpClient client;
  SmOptions options;
  Observed observed;
  LidMemory memory;
  HeldTables held;
  KnownKeys keys;
  Desired desired;
};

TEST(Desired, ForcedMasksAreZeroIfAlreadySet) {
  const struct {
    std::uint8_t option, all, supported, enabled, wanted;
  } cases[] = {
      {0, 15, 7, 1, 0},    // option 0: not set
      {15, 15, 7, 7, 0},   // all supported, already enabled
      {15, 15, 7, 1, 15},  // all supported
      {1, 15, 7, 7, 1},    // a part of the supported values
      {1, 15, 7, 1, 0},    // a part of the supported values, already enabled
      {8, 15, 7, 7, 0},    // not supported
      {30, 31, 3, 3, 30},  // disabled
      {30, 31, 3, 0, 0},   // already disabled
  };
  for (const auto& test : cases)
    EXPECT_EQ(forced_mask(test.option, test.all, test.supported, test.enabled), test.wanted)
        << unsigned{test.option} << " " << unsigned{test.supported} << " "
        << unsigned{test.enabled};
}

TEST(Desired, StoredLidsOverrideLidsOfPortsAndStayReserved) {
  Stages stages(Tiny(1).hosts(0, 2).builder().build().value());
  const Fabric& seen = stages.observed.fabric;
  const Guid host = seen.port(seen.endport(EndportId(1)).port).guid, absent(0x99);
  stages.memory = {{host, {Lid(40), 0}}, {absent, {Lid(1), 0}}};
  const auto fabric = assign_subnet_lids(stages.observed, stages.options, stages.memory);
  ASSERT_TRUE(fabric) << fabric.error().message;
  for (const Endport& endport : fabric->endports()) {
    EXPECT_NE(endport.lid, Lid(1)) << "the LID of an absent port must stay reserved";
    if (fabric->port(endport.port).guid == host) {
      EXPECT_EQ(endport.lid, Lid(40));
    }
  }
  EXPECT_EQ(stages.memory.size(), 4u);
  EXPECT_EQ(stages.memory.at(absent), (LidRange{Lid(1), 0}));
}

TEST(Diff, ContainsAllValuesAfterPowerOn) {
  Stages stages(fabric_of("fattree2:k=4"));
  const Plan plan = stages.diff();
  const Fabric& fabric = stages.real;
  EXPECT_EQ(plan[Phase::kSwitches].size(), fabric.switch_count());
  EXPECT_EQ(plan[Phase::kTables].size(),
            fabric.switch_count() * stages.desired.routes.lfts.blocks());
  EXPECT_EQ(plan[Phase::kArm].size(), 2u * fabric.link_count());
  EXPECT_EQ(plan[Phase::kActivate].size(), 2u * fabric.link_count());
  EXPECT_THAT(plan.obstacles, IsEmpty());
}

TEST(Diff, IsEmptyAfterItsPlanWasApplied) {
  Stages stages(fabric_of("fattree2:k=4"));
  stages.apply(stages.diff());
  EXPECT_EQ(stages.diff().size(), 0u) << "no difference may be left according to the answers";
  stages.observe();
  EXPECT_EQ(stages.diff().size(), 0u) << "no difference may be left after a new discovery";
}

TEST(Diff, AlternatesBetween64Switches) {
  Stages stages(fabric_of("fattree3:k=8"));  // 80 switches, LIDs in four blocks
  const std::vector<Op> ops = stages.diff()[Phase::kTables];
  ASSERT_EQ(ops.size(), 80u * 4u);
  for (std::uint32_t i = 0; i < 64 * 4; ++i)
    EXPECT_EQ(ops[i], (Op{i % 64, static_cast<std::uint16_t>(i / 64)}));
  for (std::uint32_t i = 0; i < 16 * 4; ++i)
    EXPECT_EQ(ops[256 + i], (Op{64 + i % 16, static_cast<std::uint16_t>(i / 16)}));
}

TEST(Diff, ContainsExactlyOneChange) {
  Stages stages(fabric_of("fattree2:k=4"));
  stages.apply(stages.diff());
  const Guid guid = stages.desired.fabric.node(SwitchId(2)).node_guid;
  std::array<std::uint8_t, kLftBlock> other{};
  HeldTable before = *stages.held.find(guid);
  stages.held.at(guid).remember(0, other);
  Plan plan = stages.diff();
  EXPECT_THAT(plan[Phase::kTables], ElementsAre(Op{2, 0}));
  EXPECT_EQ(plan.size(), 1u);
  stages.held.at(guid) = before;

  stages.observed.nodes[1].ports[2].state = PortState::kInit;
  plan = stages.diff();
  EXPECT_THAT(plan[Phase::kArm], ElementsAre(Op{1, 2}));
  EXPECT_THAT(plan[Phase::kActivate], ElementsAre(Op{1, 2}));
  EXPECT_EQ(plan.size(), 2u);
  stages.observed.nodes[1].ports[2].state = PortState::kActive;

  stages.observed.nodes[1].ports[2].hoq_life ^= 1;
  plan = stages.diff();
  EXPECT_THAT(plan[Phase::kPorts], ElementsAre(Op{1, 2}));
  EXPECT_EQ(plan.size(), 1u);
  stages.observed.nodes[1].ports[2].hoq_life ^= 1;

  stages.observed.nodes[1].ports[2].neighbor_mtu = 1;
  EXPECT_EQ(stages.diff().size(), 0u) << "the NeighborMTU of a link in use must not change";
  stages.observed.nodes[1].ports[2].state = PortState::kInit;
  EXPECT_THAT(stages.diff()[Phase::kPorts], ElementsAre(Op{1, 2}));
}

TEST(Diff, NamesASwitchWhoseTableIsTooSmall) {
  EmulatorOptions small;
  small.linear_fdb_cap = 8;
  Stages stages(fabric_of("fattree2:k=4"), small);
  const Plan plan = stages.diff();
  ASSERT_EQ(plan.obstacles.size(), stages.real.switch_count());
  EXPECT_THAT(plan.obstacles[0], HasSubstr("LinearFDBCap is 8"));
  EXPECT_EQ(plan[Phase::kTables].size(), stages.real.switch_count());  // one block for each switch
}

Phase phase_of(const Smp& smp, const std::vector<Phase>& so_far) {
  if (smp.attribute == AttributeId::kSwitchInfo) return Phase::kSwitches;
  if (smp.attribute == AttributeId::kLinearForwardingTable) return Phase::kTables;
  if (smp.attribute == AttributeId::kSlToVlTable) return Phase::kSl2Vl;
  if (smp.attribute == AttributeId::kVlArbitrationTable) return Phase::kVlArb;
  const PortInfo info = *decode_port_info(smp.data);
  if (info.state == PortState::kArmed) return Phase::kArm;
  if (info.state == PortState::kActive) return Phase::kActivate;
  EXPECT_TRUE(so_far.empty() || so_far.back() == Phase::kPorts);
  return Phase::kPorts;
}

TEST(Apply, PhaseBeginsAfterAllAnswersOfThePreviousPhase) {
  Stages stages(Tiny(2).link(0, 1).hosts(0).hosts(1).build());
  const Plan plan = stages.diff();
  PlanExecution applying(plan, stages.observed, stages.held, stages.keys, stages.desired,
                         stages.options);
  std::vector<Phase> phases;
  Smp request;
  std::uint64_t cookie = 0;
  while (true) {
    std::vector<std::pair<std::uint64_t, Smp>> on_wire;
    while (applying.next(request, cookie)) {
      phases.push_back(phase_of(request, phases));
      EXPECT_EQ(phases.back(), phases[phases.size() - 1 - on_wire.size()])
          << "a request was sent before the previous phase was answered";
      on_wire.emplace_back(cookie, request);
    }
    if (on_wire.empty()) break;
    for (auto& [key, smp] : on_wire) {
      EXPECT_EQ(smp.method, Method::kSet);
      smp.method = Method::kGetResp;
      applying.answered(key, smp);
    }
  }
  EXPECT_TRUE(std::ranges::is_sorted(phases));
  EXPECT_EQ(phases.size(), plan.size());
  EXPECT_TRUE(applying.report().complete());
}

TEST(Apply, LinkParametersFollowTheCapabilitiesInAnswers) {
  Stages stages(Tiny(1).hosts(0, 2).build());
  const Fabric& fabric = stages.desired.fabric;
  const PortId host = fabric.endport(EndportId(1)).port;
  const auto seen = [&](PortId port) -> PortInfo& {
    return stages.observed.nodes[fabric.port(port).node.value()]
        .ports[fabric.port(port).num.value()];
  };
  const PortInfo real = seen(host);
  ASSERT_GT(std::min(real.vl_cap, real.mtu_cap), 1);
  seen(host).vl_cap = seen(host).mtu_cap = 1;  // read corrupted
  stages.desired.links = all_link_parameters(stages.observed, fabric, vl_limit(stages.options), 1);
  EXPECT_EQ(stages.desired.links[host.value()], (LinkParameters{1, 1}));
  stages.apply(stages.diff());
  for (const PortId end : {host, fabric.port(host).peer}) {
    EXPECT_EQ(seen(end).neighbor_mtu, real.mtu_cap);
    EXPECT_EQ(seen(end).operational_vls, real.vl_cap);
  }
}

TEST(DirectedRequest, HasNoFieldOfThePreviousSmp) {
  Smp used;
  used.mgmt_class = MgmtClass::kSmpLidRouted;
  used.status = 1;
  used.returning = true;
  used.hop_pointer = 7;
  used.transaction_id = 8;
  used.mkey = Mkey(9);
  used.dr_slid = used.dr_dlid = used.slid = used.dlid = Lid(10);
  used.data.fill(std::byte{11});
  used.initial_path.fill(12);
  used.return_path.fill(13);
  DirectedPath path;
  path.count = 2;
  path.hops[1] = path.hops[2] = 3;
  fill_directed_request(used, Method::kSet, AttributeId::kPortInfo, 4, path);
  Smp expected;
  expected.method = Method::kSet;
  expected.attribute = AttributeId::kPortInfo;
  expected.modifier = 4;
  expected.hop_count = 2;
  expected.initial_path = path.hops;
  EXPECT_EQ(used, expected);
}

TEST(Apply, LinksOfASwitchWithoutItsTablesAreNotActivated) {
  Stages stages(Tiny(2).link(0, 1).hosts(0).hosts(1).build());
  const Plan plan = stages.diff();
  PlanExecution applying(plan, stages.observed, stages.held, stages.keys, stages.desired,
                         stages.options);
  Smp request;
  std::uint64_t cookie = 0;
  unsigned activated = 0;
  while (applying.next(request, cookie)) {
    Smp answer = request;
    answer.method = Method::kGetResp;
    const bool of_s1 = request.hop_count > 1;  // H0 - S0 - S1 - H1
    if (of_s1 && request.attribute == AttributeId::kLinearForwardingTable) answer.status = 0x1C;
    if (request.attribute == AttributeId::kPortInfo &&
        decode_port_info(request.data)->state == PortState::kActive)
      ++activated;
    applying.answered(cookie, answer);
  }
  EXPECT_EQ(activated, 2u) << "both ends of the link H0 - S0 must be activated";
  EXPECT_GT(applying.report().failed, 0u);
  EXPECT_EQ(applying.report().held_back, 8u)
      << "both ends of two cables must be neither armed nor activated";
  EXPECT_FALSE(applying.report().complete());
}

TEST(Convergence, AnyWindowAndAnyLossResultInTheSameBytes) {
  std::uint64_t seed = 1;
  for (const char* spec : kSmallSpecs) {
    ManagedSubnet lossless(fabric_of(spec));
    lossless.start();
    ASSERT_TRUE(lossless.settle());
    const FabricState wanted = state_of(lossless.emulated());
    for (const unsigned window : {1u, 8u, 64u}) {
      SCOPED_TRACE(fmt::format("{} window {} seed {}", spec, window, ++seed));
      EmulatorOptions emulator;
      emulator.seed = seed;
      emulator.faults = {.lost = 0.05, .doubled = 0.05, .late = 0.05};
      ManagedSubnet managed(fabric_of(spec), emulator);
      managed.options.max_wire_smps = window;
      managed.options.transaction_retries = 100;  // so that no request fails
      managed.start();
      ASSERT_TRUE(managed.settle(std::chrono::hours(1)));
      managed.emulated().run_for(std::chrono::seconds(1));
      EXPECT_THAT(changes(managed.fabric(), wanted, state_of(managed.emulated())), IsEmpty());
    }
  }
}

}  // namespace
}  // namespace weft
