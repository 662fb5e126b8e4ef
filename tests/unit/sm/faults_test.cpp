// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The subnet manager under faults: SMPs are lost, late or duplicated, links are cut, nodes are off
// or do not respond.
#include <gmock/gmock.h>

#include <set>

#include "base/rng.h"
#include "ib/modifiers.h"
#include "support/fabric_state.h"
#include "support/kernel_wire.h"
#include "support/managed_subnet.h"
#include "support/tiny.h"

namespace weft {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// Runs three light sweeps, one every 10 seconds; after them every change is handled.
void run_light_sweeps(ManagedSubnet& managed) {
  managed.run_for(30 * kSecond);
  ASSERT_TRUE(managed.settle());
}

/// Expects the state that a bring-up after power-on has, with the same guid2lid and without faults.
void expect_as_after_cold_bring_up(ManagedSubnet& managed) {
  ManagedSubnet cold(Fabric(managed.fabric()));
  cold.options = managed.options;
  cold.start();
  ASSERT_TRUE(cold.settle());
  EXPECT_THAT(changes(managed.fabric(), state_of(cold.emulated()), state_of(managed.emulated())),
              IsEmpty());
}

TEST(Faults, BringsTheFabricUpDespiteLostLateAndDuplicateSmps) {
  for (const double rate : {0.01, 0.1})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(fmt::format("rate {} seed {}", rate, seed));
      EmulatorOptions emulator;
      emulator.seed = seed;
      emulator.faults = {.lost = rate, .doubled = rate, .late = rate};
      ManagedSubnet managed(fabric_of(seed % 2 == 0 ? "fattree2:k=6" : "torus:3x3,hosts=2"),
                            emulator);
      managed.start();
      ASSERT_TRUE(managed.settle());
      managed.emulated().set_faults({});
      run_light_sweeps(managed);
      expect_managed(managed);
      EXPECT_EQ(managed.sm().snapshot()->fabric.link_count(), managed.fabric().link_count());
      expect_as_after_cold_bring_up(managed);
    }
}

/// The first request for each attribute to each node is lost. The kernel refuses a retry with the
/// same transaction id.
TEST(Faults, FindsAllNodesWhenTheKernelRefusesDuplicatesAndFirstRequestsAreLost) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  std::unique_ptr<KernelWire> kernel;
  managed.between = [&](SmpTransport& wire) -> SmpTransport& {
    kernel = std::make_unique<KernelWire>(wire, managed.emulated().clock());
    return *kernel;
  };
  std::set<std::pair<NodeId, AttributeId>> lost;
  managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId to) {
    const bool request = smp.method == Method::kGet || smp.method == Method::kSet;
    return request && lost.emplace(to, smp.attribute).second ? EmulatedFabric::Delivery::kLose
                                                             : EmulatedFabric::Delivery::kPass;
  });
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_GT(lost.size(), managed.fabric().node_count());
  EXPECT_EQ(kernel->duplicates, 0u);
  EXPECT_EQ(managed.sm().heavy_sweeps(), 1u);
  EXPECT_EQ(managed.sm().snapshot()->fabric.node_count(), managed.fabric().node_count());
  expect_managed(managed);
}

TEST(Faults, FindsAllNodesOf1024HostsIfOnePercentOfSmpsIsLost) {
  EmulatorOptions emulator;
  emulator.faults.lost = 0.01;
  ManagedSubnet managed(fabric_of("fattree3:k=16"), emulator);
  std::unique_ptr<KernelWire> kernel;
  managed.between = [&](SmpTransport& wire) -> SmpTransport& {
    kernel = std::make_unique<KernelWire>(wire, managed.emulated().clock());
    return *kernel;
  };
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().up) << managed.report().error;
  EXPECT_EQ(managed.report().smps.timed_out, 0u);
  EXPECT_GT(managed.emulated().counters().drops(Drop::kFault), 500u);
  EXPECT_EQ(managed.sm().snapshot()->fabric.node_count(), managed.fabric().node_count());
  EXPECT_EQ(managed.sm().snapshot()->fabric.link_count(), managed.fabric().link_count());
}

/// Number of SMPs that the queues of all agents drop in a bring-up.
std::uint64_t drops_with_window(unsigned window) {
  ManagedSubnet managed(fabric_of("fattree2:k=8"));
  managed.options.max_device_smps = window;
  for (std::uint32_t n = 0; n < managed.fabric().node_count(); ++n)
    managed.emulated().set_behavior(
        NodeId(n), {.queue_max = 16, .answer_time = std::chrono::microseconds(100)});
  managed.start();
  EXPECT_TRUE(managed.settle());
  if (window != 0) expect_managed(managed);
  return managed.emulated().counters().drops(Drop::kQueueFull);
}

TEST(Faults, WindowPerDevicePreventsQueueOverflow) {
  EXPECT_EQ(drops_with_window(SmOptions{}.max_device_smps), 0u);
  EXPECT_GT(drops_with_window(0), 0u);
}

TEST(Faults, FullDiscoveryFindsTablesOfAnotherManager) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  const EndportId other(managed.fabric().endport_count() - 1);
  SmpTransport& wire = managed.emulated().attach(other, false);
  Smp smp;  // no endport is reachable through this switch any more
  smp.method = Method::kSet;
  smp.attribute = AttributeId::kLinearForwardingTable;
  smp.hop_count = 1;
  smp.initial_path[1] = managed.fabric().port(managed.fabric().endport(other).port).num.value();
  smp.data.fill(std::byte{255});
  ASSERT_TRUE(wire.send(smp));
  managed.run_for(kSecond);
  managed.emulated().detach(other);
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.report().table_blocks_written(), 0u)
      << "a heavy sweep without full discovery must not write tables again";
  managed.sm().request_full_discovery("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.report().table_blocks_read, managed.fabric().switch_count());
  EXPECT_EQ(managed.report().table_blocks_written(), 1u);
  expect_managed(managed);
}

TEST(Faults, ReroutesAroundACableCutAtAnyStep) {
  // In each run a cable is cut after `steps` steps, and a second cable is cut and restored.
  for (unsigned steps = 0; steps < 60; steps += 2) {
    SCOPED_TRACE(steps);
    ManagedSubnet managed(fabric_of("fattree2:k=4"));
    managed.options.max_wire_smps = 8;
    const PortId cut = managed.cable_between(SwitchId(0), SwitchId(4));
    const PortId flapping = managed.cable_between(SwitchId(1), SwitchId(5));
    managed.start();
    for (unsigned i = 0; i < steps; ++i) managed.sm().step();
    managed.emulated().cut_cable(cut);
    managed.emulated().cut_cable(flapping);
    managed.sm().step();
    managed.emulated().restore_cable(flapping);
    run_light_sweeps(managed);
    expect_managed(managed);
    EXPECT_EQ(managed.sm().snapshot()->fabric.link_count(), managed.fabric().link_count() - 1);
    managed.emulated().restore_cable(cut);
    run_light_sweeps(managed);
    expect_managed(managed);
    expect_as_after_cold_bring_up(managed);
  }
}

TEST(Faults, HandlesACutCableAfterATrap) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.options.sweep_interval = std::chrono::milliseconds(0);
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.emulated().cut_cable(managed.cable_between(SwitchId(0), SwitchId(4)));
  managed.run_for(kSecond);
  EXPECT_THAT(managed.report().reason, HasSubstr("trap 128"));
  expect_managed(managed);
  EXPECT_EQ(managed.sm().snapshot()->fabric.link_count(), managed.fabric().link_count() - 1);
  managed.run_for(3 * kSecond);  // SMPs without a return path are retried until then
  const auto traps = managed.emulated().counters().traps;
  managed.run_for(20 * kSecond);
  EXPECT_EQ(managed.emulated().counters().traps, traps)
      << "no trap may be repeated, because each trap was repressed";
}

TEST(Faults, LightSweepFindsACutCableWithoutTrap) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.emulated().set_filter([](const Smp& smp, NodeId, NodeId) {
    return smp.method == Method::kTrap ? EmulatedFabric::Delivery::kLose
                                       : EmulatedFabric::Delivery::kPass;
  });
  managed.emulated().cut_cable(managed.cable_between(SwitchId(0), SwitchId(4)));
  managed.run_for(11 * kSecond);
  EXPECT_THAT(managed.report().reason, HasSubstr("port state change"));
  expect_managed(managed);
  EXPECT_EQ(managed.sm().snapshot()->fabric.link_count(), managed.fabric().link_count() - 1);
}

TEST(Faults, FindsACableThatComesUpDuringTheFirstSweep) {
  // No switch has a LID yet, so there is no trap.
  for (unsigned steps = 0; steps < 60; steps += 2) {
    SCOPED_TRACE(steps);
    ManagedSubnet managed(fabric_of("fattree2:k=4"));
    managed.options.max_wire_smps = 8;
    const PortId cable = managed.cable_between(SwitchId(0), SwitchId(4));
    managed.emulated().cut_cable(cable);
    managed.start();
    for (unsigned i = 0; i < steps; ++i) managed.sm().step();
    managed.emulated().restore_cable(cable);
    run_light_sweeps(managed);
    EXPECT_EQ(managed.sm().snapshot()->fabric.link_count(), managed.fabric().link_count());
    expect_managed(managed);
  }
}

TEST(Faults, ReprogramsASwitchThatReturnsWithEmptyTables) {
  // The node is absent for a longer or a shorter time than a sweep, with and without traps.
  for (const bool traps : {true, false})
    for (const TimeNs absence : {TimeNs(std::chrono::milliseconds(20)), 25 * kSecond}) {
      SCOPED_TRACE(fmt::format("traps {}, absent for {} ns", traps, absence.count()));
      ManagedSubnet managed(fabric_of("fattree2:k=4"));
      managed.start();
      ASSERT_TRUE(managed.settle());
      const FabricState before = state_of(managed.emulated());
      if (!traps)
        managed.emulated().set_filter([](const Smp& smp, NodeId, NodeId) {
          return smp.method == Method::kTrap ? EmulatedFabric::Delivery::kLose
                                             : EmulatedFabric::Delivery::kPass;
        });
      const NodeId spine = Fabric::node_of(SwitchId(4));
      managed.emulated().switch_off_node(spine);
      managed.run_for(absence);
      managed.emulated().switch_on_node(spine);
      run_light_sweeps(managed);
      expect_managed(managed);
      EXPECT_THAT(changes(managed.fabric(), before, state_of(managed.emulated())), IsEmpty());
    }
}

TEST(Faults, LeavesOutACaThatDoesNotAnswerUntilTheFirstAnswer) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  const FabricState before = state_of(managed.emulated());
  const NodeId unresponsive(managed.fabric().node_count() - 1);
  managed.emulated().set_filter([&](const Smp&, NodeId from, NodeId) {
    return from == unresponsive ? EmulatedFabric::Delivery::kLose : EmulatedFabric::Delivery::kPass;
  });
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().up);
  EXPECT_THAT(managed.report().warnings, Contains(HasSubstr("does not answer: left out")));
  EXPECT_EQ(managed.sm().snapshot()->fabric.ca_count(), managed.fabric().ca_count() - 1);
  const auto sweeps = managed.sm().heavy_sweeps();
  managed.run_for(60 * kSecond);
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps)
      << "a CA that does not answer must cause no heavy sweep";
  managed.emulated().set_filter({});
  run_light_sweeps(managed);
  expect_managed(managed);
  EXPECT_THAT(changes(managed.fabric(), before, state_of(managed.emulated())), IsEmpty());
}

//  H0 H1 - S0 = S1 - H2 H3
TEST(Faults, LeavesOutTheHostsOfASwitchThatAnswersInPart) {
  ManagedSubnet managed(Tiny(2).link(0, 1, 2).hosts(0, 2).hosts(1, 2).build());
  const NodeId unresponsive(1);
  managed.emulated().set_filter([&](const Smp& smp, NodeId from, NodeId) {
    const bool lost = from == unresponsive && smp.attribute == AttributeId::kPortInfo &&
                      modifier::read_port_info(smp.modifier).port == PortNum(4);
    return lost ? EmulatedFabric::Delivery::kLose : EmulatedFabric::Delivery::kPass;
  });
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_THAT(managed.report().warnings, Contains(HasSubstr("has no consistent link: left out")));
  EXPECT_EQ(managed.known().switch_count(), 1u);
  EXPECT_EQ(managed.known().ca_count(), 2u);
  managed.emulated().set_filter({});
  run_light_sweeps(managed);
  expect_managed(managed);
  EXPECT_EQ(managed.known().ca_count(), 4u);
}

/// In each run, one node does not answer requests for one attribute until the first sweep ends.
TEST(Faults, RecoversFromANodeThatDoesNotAnswerOneAttribute) {
  for (const auto attribute : {AttributeId::kNodeInfo, AttributeId::kNodeDescription,
                               AttributeId::kPortInfo, AttributeId::kSwitchInfo})
    for (const NodeId unresponsive : {NodeId(4), NodeId(13)}) {
      SCOPED_TRACE(fmt::format("attribute 0x{:x} of node {}", static_cast<unsigned>(attribute),
                               unresponsive.value()));
      ManagedSubnet managed(fabric_of("fattree2:k=4"));
      managed.emulated().set_filter([&](const Smp& smp, NodeId from, NodeId) {
        return from == unresponsive && smp.attribute == attribute ? EmulatedFabric::Delivery::kLose
                                                                  : EmulatedFabric::Delivery::kPass;
      });
      managed.start();
      ASSERT_TRUE(managed.settle());
      managed.emulated().set_filter({});
      run_light_sweeps(managed);
      expect_managed(managed);
      const Fabric& known = managed.sm().snapshot()->fabric;
      EXPECT_EQ(known.link_count(), managed.fabric().link_count());
      for (std::uint32_t n = 0; n < known.node_count(); ++n)
        EXPECT_FALSE(known.node(NodeId(n)).description.empty());
    }
}

TEST(Faults, IgnoresTrapsIfConfigured) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.options.sweep_on_trap = false;
  managed.options.sweep_interval = std::chrono::milliseconds(0);
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.emulated().cut_cable(managed.cable_between(SwitchId(0), SwitchId(4)));
  managed.run_for(30 * kSecond);
  EXPECT_EQ(managed.sm().heavy_sweeps(), 1u);
}

TEST(Faults, LightSweepQueriesEachSwitchOnce) {
  ManagedSubnet managed(fabric_of("fattree3:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.run_for(kSecond);
  managed.emulated().reset_counters();
  managed.run_for(100 * kSecond);
  EXPECT_EQ(managed.sm().heavy_sweeps(), 1u);
  const auto& counters = managed.emulated().counters();
  EXPECT_EQ(counters.sent, 10u * (managed.fabric().switch_count() + 1));
  EXPECT_EQ(counters.requests(Method::kGet, AttributeId::kSwitchInfo),
            10u * managed.fabric().switch_count());
  EXPECT_EQ(counters.traps, 0u);
}

/// Random events: cables are cut and restored, nodes are switched off, switched on and renamed,
/// heavy sweeps are requested, and the manager restarts.
class RandomFaults {
 public:
  RandomFaults(ManagedSubnet& managed, std::uint64_t seed) : managed_(managed), rng_(seed) {
    const Fabric& fabric = managed.fabric();
    for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
      if (NodeId(n) != managed.manager_node()) nodes_.push_back(NodeId(n));
  }

  void event() {
    EmulatedFabric& emulated = managed_.emulated();
    const PortId port(static_cast<std::uint32_t>(rng_.below(managed_.fabric().port_count())));
    const NodeId node = nodes_[rng_.below(nodes_.size())];
    switch (rng_.below(9)) {
      case 0:
      case 1:
        return emulated.cut_cable(port);
      case 2:
        return emulated.restore_cable(port);
      case 3:
        return emulated.switch_off_node(node);
      case 4:
      case 5:
        return emulated.switch_on_node(node);
      case 6:
        managed_.sm().request_heavy_sweep("SIGHUP");
        return;
      case 7:
        return emulated.set_description(node, fmt::format("renamed {}", rng_.below(1000)));
      default:
        managed_.start();
    }
  }

  void pass(TimeNs longest) {
    managed_.run_for(
        TimeNs(static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(longest.count())))));
  }

  void end() {
    EmulatedFabric& emulated = managed_.emulated();
    emulated.set_faults({});
    for (const NodeId node : nodes_)
      if (!emulated.is_alive(node)) emulated.switch_on_node(node);
    for (std::uint32_t p = 0; p < managed_.fabric().port_count(); ++p)
      emulated.restore_cable(PortId(p));
  }

 private:
  ManagedSubnet& managed_;
  Rng rng_;
  std::vector<NodeId> nodes_;
};

void expect_recovery_from_faults(std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  constexpr std::array kSpecs{"fattree2:k=4", "torus:3x3,hosts=1", "fattree3:k=4,pods=2"};
  const double rate = seed % 3 == 0 ? 0.1 : seed % 3 == 1 ? 0.01 : 0;
  EmulatorOptions emulator;
  emulator.seed = seed;
  emulator.faults = {.lost = rate, .doubled = rate, .late = rate};
  ManagedSubnet managed(fabric_of(kSpecs[seed % kSpecs.size()]), emulator);
  managed.start();
  RandomFaults random_faults(managed, seed);
  for (int i = 0; i < 12; ++i) {
    random_faults.pass(seed % 2 == 0 ? kSecond / 50 : 15 * kSecond);
    random_faults.event();
  }
  random_faults.end();
  run_light_sweeps(managed);
  expect_managed(managed);
  EXPECT_EQ(managed.sm().snapshot()->fabric.link_count(), managed.fabric().link_count());
  expect_as_after_cold_bring_up(managed);
}

TEST(Faults, ConvergesToTheStateOfAColdBringUp) {
  for (std::uint64_t seed = 1; seed <= 150 && !HasFailure(); ++seed)
    expect_recovery_from_faults(seed);
}

/// A long run on 208 nodes. After every 50 events, the rate of lost, late and duplicate SMPs and
/// the routing engine change.
TEST(Faults, ConvergesAfterAThousandEvents) {
  constexpr std::uint64_t kSeed = 20261121;
  constexpr std::array kEngines{"updn", "minhop", "ftree"};
  EmulatorOptions emulator;
  emulator.seed = kSeed;
  ManagedSubnet managed(fabric_of("fattree3:k=8"), emulator);
  managed.start();
  RandomFaults random_faults(managed, kSeed);
  Rng rng = Rng(kSeed).fork(1);
  for (int i = 0; i < 1000; ++i) {
    random_faults.pass(rng.below(4) == 0 ? 15 * kSecond : kSecond / 20);
    random_faults.event();
    if (i % 50 == 49) {
      const double rate = static_cast<double>(rng.below(4)) / 100;
      managed.emulated().set_faults({.lost = rate, .doubled = rate, .late = rate});
      managed.options.routing_engine = {{kEngines[rng.below(kEngines.size())]}, false};
      managed.sm().set_options(managed.options);
    }
  }
  random_faults.end();
  run_light_sweeps(managed);
  expect_managed(managed);
  EXPECT_EQ(managed.sm().snapshot()->fabric.link_count(), managed.fabric().link_count());
  expect_as_after_cold_bring_up(managed);
}

TEST(Faults, RecoversFromALateSet) { expect_recovery_from_faults(2277); }

}  // namespace
}  // namespace weft
