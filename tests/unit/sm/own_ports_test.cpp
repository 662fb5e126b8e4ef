// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A manager that sends by several ports of its CA: link changes of these ports, and other managers.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "support/managed_subnet.h"

namespace weft {
namespace {

class OwnPorts : public testing::Test {
 protected:
  OwnPorts() : managed(fabric_of("fattree2:k=4,planes=2")) {
    managed.use_all_ports();
    managed.options.sweep_interval = {};  // no light sweeps
  }
  PortId own_port(unsigned num) {
    return managed.fabric().port_id(managed.manager_node(),
                                    PortNum(static_cast<std::uint8_t>(num)));
  }
  /// Runs for 10 s and returns the number of switches that the manager then knows.
  std::size_t switches_later() {
    managed.run_for(10 * kSecond);
    EXPECT_TRUE(managed.settle());
    EXPECT_TRUE(managed.report().up) << managed.report().error;
    return managed.known().switch_count();
  }

  ManagedSubnet managed;
};

/// The traps of the switch at the other end cannot reach the manager.
TEST_F(OwnPorts, ALinkChangeCausesASweepWithoutLightSweeps) {
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.sm().heavy_sweeps(), 1u) << "the state of the links at the start is no change";
  for (const unsigned num : {2u, 1u}) {
    managed.emulated().cut_cable(own_port(num));
    EXPECT_EQ(switches_later(), 6u) << num;
    managed.emulated().restore_cable(own_port(num));
    EXPECT_EQ(switches_later(), 12u) << num;
    expect_managed(managed);
  }
}

TEST_F(OwnPorts, ALinkChangeCausesNoSweepIfTrapsDoNot) {
  managed.options.sweep_on_trap = false;
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.emulated().cut_cable(own_port(2));
  EXPECT_EQ(switches_later(), 12u);
}

/// All ports of the manager's CA have IsSM.
TEST_F(OwnPorts, AreNoOtherManagers) {
  const std::uint32_t mask = managed.emulated().port_info(own_port(2)).capability_mask;
  managed.emulated().set_capability_mask(own_port(2), mask | cap_mask::kIsSm);
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.emulated().counters().requests(Method::kGet, AttributeId::kSmInfo), 0u);
  EXPECT_TRUE(managed.sm().others().empty());
}

/// Records the traps that the manager sends.
class TrapRecorder final : public SmpTransport {
 public:
  explicit TrapRecorder(SmpTransport& inner) : inner_(inner) {}
  Status send(const Smp& smp) override {
    if (smp.method == Method::kTrap) traps.push_back(smp);
    return inner_.send(smp);
  }
  std::optional<Smp> receive() override { return inner_.receive(); }
  void wait_until(TimeNs deadline) override { inner_.wait_until(deadline); }

  std::vector<Smp> traps;

 private:
  SmpTransport& inner_;
};

/// The other manager has a port in plane 2 only.
TEST_F(OwnPorts, ATrapToAnotherManagerLeavesInItsPlane) {
  managed.start();
  ASSERT_TRUE(managed.settle());  // assigns LIDs
  const Lid own_lid = managed.emulated().port_info(own_port(2)).lid;
  managed.end_manager();
  const NodeId host(managed.fabric().node_count() - 1);
  const PortId port = managed.fabric().port_id(host, PortNum(2));
  SmOptions options = managed.options;
  options.cache_dir.clear();
  SubnetManager other(managed.emulated().attach(managed.fabric().endport_at(port)),
                      managed.emulated().clock(), options);
  while (!other.settled()) other.step();

  managed.options.sm_priority = 9;
  std::unique_ptr<TrapRecorder> recorder;
  managed.between = [&](SmpTransport& wire) -> SmpTransport& {
    recorder = std::make_unique<TrapRecorder>(wire);
    return *recorder;
  };
  managed.start();
  const TimeNs end = managed.emulated().clock().now() + 60 * kSecond;
  while (recorder->traps.empty() && managed.emulated().clock().now() < end) {
    managed.sm().step();
    other.step(managed.emulated().clock().now());
  }
  ASSERT_FALSE(recorder->traps.empty());
  EXPECT_EQ(recorder->traps[0].port, 2);
  EXPECT_EQ(recorder->traps[0].slid, own_lid);
}

}  // namespace
}  // namespace weft
