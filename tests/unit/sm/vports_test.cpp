// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Virtual ports: discovery, P_Keys, tenants, changes without heavy sweeps, live migration and
// restart. Devices without virtualization get no further SMPs.
#include <algorithm>

#include "base/file.h"
#include "emulator/vport_changes.h"
#include "ib/vendor/vports_unconfirmed.h"
#include "support/full_size.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

EmulatorOptions with_vports(std::uint16_t count) {
  EmulatorOptions options;
  options.vports = count;
  return options;
}

class SubnetWithVports {
 public:
  explicit SubnetWithVports(std::uint16_t count = 3, const std::string& spec = "fattree2:k=4",
                            EmulatorOptions emulator = {})
      : managed(fabric_of(spec), [&] {
          emulator.vports = count;
          return emulator;
        }()) {
    managed.start();
  }
  PortId host(unsigned n) const {
    return managed.fabric().endport(EndportId(managed.fabric().switch_count() + n)).port;
  }
  Guid host_guid(unsigned n) const { return managed.fabric().port(host(n)).guid; }
  std::size_t hosts() const {
    return managed.fabric().endport_count() - managed.fabric().switch_count();
  }
  Guid vport(unsigned n, std::uint16_t index) {
    return managed.emulated().virtual_ports(host(n))->vports[index].info.port_guid;
  }
  const Vports& known() const { return snapshot().vports; }
  const Snapshot& snapshot() const { return *managed_snapshot(); }
  std::shared_ptr<const Snapshot> managed_snapshot() const {
    return const_cast<ManagedSubnet&>(managed).sm().snapshot();
  }
  std::uint64_t requests(AttributeId attribute) {
    const EmulatorCounters& counters = managed.emulated().counters();
    return counters.requests(Method::kGet, attribute) + counters.requests(Method::kSet, attribute);
  }
  std::uint64_t vport_requests() {
    std::uint64_t sum = 0;
    for (const AttributeId attribute : kVirtualizationAttributes) sum += requests(attribute);
    return sum;
  }
  /// Expects that the manager has discovered exactly the vports of the fabric that are up, and that
  /// each vport is ACTIVE and has the planned P_Keys.
  void expect_current() {
    std::size_t count = 0;
    for (unsigned n = 0; n < hosts(); ++n) {
      const auto* vports = managed.emulated().virtual_ports(host(n));
      for (std::uint16_t i = 1; i < vports->vports.size(); ++i) {
        if (!vports->is_up(i)) continue;
        ++count;
        const emulator::Vport& real = vports->vports[i];
        const auto owner = known().owners().find(real.info.port_guid);
        ASSERT_NE(owner, known().owners().end()) << real.info.port_guid.value();
        EXPECT_EQ(owner->second, (VportOwner{host_guid(n), i}));
        EXPECT_EQ(real.info.state, PortState::kActive);
        const auto planned = snapshot().pkeys.vport_table(real.info.port_guid);
        const PkeyTable held = *decode_pkey_table(real.pkeys[0]);
        EXPECT_TRUE(std::ranges::equal(planned, std::span(held.pkeys).first(planned.size())));
      }
    }
    EXPECT_EQ(known().count(), count);
  }
  bool settle() { return managed.settle(); }

  ManagedSubnet managed;
};

TEST(VportsOfASubnet, AreDiscoveredActivatedAndDescribed) {
  SubnetWithVports subnet;
  ASSERT_TRUE(subnet.settle());
  subnet.expect_current();
  EXPECT_EQ(subnet.known().count(), 3 * subnet.hosts());
  const Vport* const vport = subnet.known().find(subnet.vport(1, 2));
  ASSERT_NE(vport, nullptr);
  EXPECT_EQ(vport->index, 2);
  EXPECT_NE(vport->description.find("VF-2"), std::string::npos);
  EXPECT_EQ(vport->node.partition_cap, 32);
  EXPECT_TRUE(subnet.managed.report().warnings.empty());
}

// On a fabric without virtualization the number of SMPs of each attribute is the same as that of a
// manager that ignores virtualization.
TEST(VportsOfASubnet, CostNoSmpsIfNoDeviceAnnouncesVports) {
  const auto counts = [](Virtualization enabled) {
    ManagedSubnet managed(fabric_of("fattree2:k=4"));
    managed.options.virt_enabled = enabled;
    managed.start();
    EXPECT_TRUE(managed.settle());
    managed.run_for(35 * kSecond);
    managed.sm().request_heavy_sweep("test");
    EXPECT_TRUE(managed.settle());
    return std::pair(managed.emulated().counters().gets, managed.emulated().counters().sets);
  };
  EXPECT_EQ(counts(Virtualization::kEnable), counts(Virtualization::kIgnore));
}

TEST(VportsOfASubnet, AreIgnoredOrDisabledAsConfigured) {
  for (const auto wanted : {Virtualization::kIgnore, Virtualization::kDisable}) {
    ManagedSubnet managed(fabric_of("fattree2:k=4"), with_vports(2));
    managed.options.virt_enabled = wanted;
    managed.start();
    ASSERT_TRUE(managed.settle());
    const PortId port = managed.fabric().endport(EndportId(managed.fabric().switch_count())).port;
    EXPECT_EQ(managed.emulated().virtual_ports(port)->info.enabled,
              wanted == Virtualization::kIgnore);
    EXPECT_EQ(managed.sm().snapshot()->vports.count(), 0u);
    if (wanted == Virtualization::kIgnore) {
      EXPECT_EQ(managed.emulated().counters().requests(Method::kGet, kVirtualizationInfo), 0u);
    }
  }
}

TEST(VportsOfASubnet, AreEnabledWhereVirtualizationIsDisabled) {
  EmulatorOptions options;
  options.virtualization_enabled = false;
  SubnetWithVports subnet(2, "fattree2:k=4", options);
  ASSERT_TRUE(subnet.settle());
  subnet.expect_current();
  EXPECT_EQ(subnet.known().count(), 2 * subnet.hosts());
}

TEST(VportsOfASubnet, OfDevicesWithPartialOrNoResponseAreReported) {
  EmulatorOptions options;
  options.virtual_cas = VirtualCas::kMixed;
  SubnetWithVports subnet(2, "fattree2:k=4", options);
  ASSERT_TRUE(subnet.settle());
  EXPECT_TRUE(subnet.managed.report().up);
  const std::size_t kinds = subnet.hosts() / 4;
  EXPECT_EQ(subnet.known().hosts().size(), 2 * kinds)
      << "the manager must know the hosts with all or a part of the attributes";
  EXPECT_EQ(subnet.known().count(), 2 * 2 * kinds);
  EXPECT_EQ(subnet.managed.report().warnings.size(), kinds)
      << "each host without response must have a warning";
  const std::uint64_t requests_before = subnet.requests(kVirtualizationInfo);
  const auto drops_before = subnet.managed.emulated().counters().drops(Drop::kNoReceiver);
  subnet.managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.requests(kVirtualizationInfo), requests_before + 2 * kinds);
  EXPECT_EQ(subnet.managed.emulated().counters().drops(Drop::kNoReceiver), drops_before)
      << "a device that did not respond must be queried again only after a pause";
}

TEST(VportsOfASubnet, ChangesCauseNoHeavySweep) {
  SubnetWithVports subnet;
  ASSERT_TRUE(subnet.settle());
  const std::uint64_t sweeps = subnet.managed.sm().heavy_sweeps();
  const std::uint64_t details = subnet.requests(kVportInfo);
  subnet.managed.emulated().remove_vport(subnet.host(2), 3);
  subnet.managed.emulated().add_vport(subnet.host(3), {Guid(0x77), Guid(0x78), "guest"});
  subnet.managed.run_for(kSecond);
  EXPECT_EQ(subnet.managed.sm().heavy_sweeps(), sweeps);
  subnet.expect_current();
  EXPECT_EQ(subnet.known().find(Guid(0x77))->description, "guest");
  EXPECT_EQ(subnet.requests(kVportInfo), details + 2)
      << "the new vport must need only a Get and a Set";
  subnet.managed.emulated().set_vnode_description(subnet.host(3), 4, "renamed");
  subnet.managed.run_for(2 * kSecond);
  EXPECT_EQ(subnet.known().find(Guid(0x77))->description, "renamed");
  EXPECT_EQ(subnet.managed.sm().heavy_sweeps(), sweeps);
}

/// A vport was read; before the Set that makes it ACTIVE, another vport gets its index.
TEST(VportsOfASubnet, AreReadAgainIfAnotherVportHasTheirIndex) {
  SubnetWithVports subnet;
  bool is_replaced = false;
  const NodeId node = subnet.managed.fabric().port(subnet.host(2)).node;
  subnet.managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId to) {
    if (smp.method == Method::kSet && smp.attribute == kVportInfo && to == node &&
        !std::exchange(is_replaced, true))
      subnet.managed.emulated().schedule(
          subnet.managed.emulated().clock().now(), [&](EmulatedFabric& fabric) {
            fabric.remove_vport(subnet.host(2), 3);
            fabric.add_vport(subnet.host(2), {Guid(0x77), Guid(0x78), "guest"});
          });
    return EmulatedFabric::Delivery::kPass;
  });
  ASSERT_TRUE(subnet.settle());
  subnet.managed.run_for(5 * kSecond);
  EXPECT_TRUE(is_replaced);
  subnet.expect_current();
  ASSERT_NE(subnet.known().find(Guid(0x77)), nullptr);
  EXPECT_EQ(subnet.known().find(Guid(0x77))->description, "guest");
}

/// Without a trap and without an indication of the change, as after a corrupted answer, the manager
/// reads the vports of a host again after a pause if the answer to a Set has another GUID.
TEST(VportsOfASubnet, WithAnotherGuidInTheAnswerToASetAreReadAgainAfterAPause) {
  SubnetWithVports subnet;
  ASSERT_TRUE(subnet.settle());
  bool is_replaced = false;
  const NodeId node = subnet.managed.fabric().port(subnet.host(2)).node;
  const EndportId other(subnet.managed.fabric().switch_count() + 3);
  Smp clear;
  clear.mgmt_class = MgmtClass::kSmpLidRouted;
  clear.method = Method::kSet;
  clear.attribute = kVirtualizationInfo;
  clear.dlid = subnet.snapshot()
                   .fabric.endport(*subnet.snapshot().fabric.find_endport(subnet.host_guid(2)))
                   .lid;
  VirtualizationInfo info = subnet.managed.emulated().virtual_ports(subnet.host(2))->info;
  info.state_change = true;
  clear.data = encode(info);
  subnet.managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId to) {
    if (is_replaced && smp.method == Method::kTrap) return EmulatedFabric::Delivery::kLose;
    if (smp.method == Method::kSet && smp.attribute == kVportInfo && to == node &&
        !std::exchange(is_replaced, true))
      subnet.managed.emulated().schedule(
          subnet.managed.emulated().clock().now(), [&](EmulatedFabric& fabric) {
            fabric.remove_vport(subnet.host(2), 3);
            fabric.add_vport(subnet.host(2), {Guid(0x77), Guid(0x78), "guest"});
            EXPECT_TRUE(fabric.attach(other, false).send(clear));
          });
    return EmulatedFabric::Delivery::kPass;
  });
  subnet.managed.emulated().remove_vport(subnet.host(2), 3);
  subnet.managed.emulated().add_vport(subnet.host(2), {Guid(0x79), Guid(0x7A), "earlier guest"});
  subnet.managed.run_for(5 * kSecond);
  ASSERT_TRUE(is_replaced);
  EXPECT_EQ(subnet.known().find(Guid(0x77)), nullptr) << "no request before the pause ends";
  subnet.managed.run_for(90 * kSecond);
  subnet.expect_current();
  EXPECT_NE(subnet.known().find(Guid(0x77)), nullptr);
}

/// A late copy of a Set has made a vport ACTIVE that the manager has not read.
TEST(VportsOfASubnet, AreReadAgainWithAllAttributesWhenTablesAreUncertain) {
  SubnetWithVports subnet;
  ASSERT_TRUE(subnet.settle());
  subnet.managed.emulated().set_filter([](const Smp& smp, NodeId, NodeId) {
    return smp.method == Method::kTrap ? EmulatedFabric::Delivery::kLose
                                       : EmulatedFabric::Delivery::kPass;
  });
  subnet.managed.emulated().remove_vport(subnet.host(2), 3);
  subnet.managed.emulated().add_vport(subnet.host(2), {Guid(0x77), Guid(0x78), "guest"});
  VportInfo info = subnet.managed.emulated().virtual_ports(subnet.host(2))->vports[3].info;
  info.state = PortState::kActive;
  const EndportId other(subnet.managed.fabric().switch_count() + 3);
  Smp set;
  set.mgmt_class = MgmtClass::kSmpLidRouted;
  set.method = Method::kSet;
  set.attribute = kVportInfo;
  set.modifier = vports_unconfirmed::vport_modifier(3);
  set.dlid = subnet.snapshot()
                 .fabric.endport(*subnet.snapshot().fabric.find_endport(subnet.host_guid(2)))
                 .lid;
  set.data = encode(info);
  ASSERT_TRUE(subnet.managed.emulated().attach(other, false).send(set));
  subnet.managed.run_for(kSecond);
  subnet.managed.sm().request_full_discovery("test");
  ASSERT_TRUE(subnet.settle());
  subnet.expect_current();
}

TEST(VportsOfASubnet, OfHostsWithoutAnswerAreReadByAFullDiscovery) {
  SubnetWithVports subnet;
  subnet.managed.emulated().set_filter([](const Smp& smp, NodeId, NodeId) {
    return smp.attribute == kVirtualizationInfo ? EmulatedFabric::Delivery::kLose
                                                : EmulatedFabric::Delivery::kPass;
  });
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.known().count(), 3u)
      << "only the vports of the manager's host are read, because no link is between";
  subnet.managed.emulated().set_filter({});
  subnet.managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.known().count(), 3u)
      << "a device that did not answer must not be queried in each sweep";
  subnet.managed.sm().request_full_discovery("test");
  ASSERT_TRUE(subnet.settle());
  subnet.expect_current();
}

/// A host does not answer requests for VportState or VportInfo in the heavy sweep. Light sweeps
/// after the pause read its vports, without a heavy sweep.
TEST(VportsOfASubnet, OfHostsThatDidNotAnswerAreReadAfterAPause) {
  for (const AttributeId attribute : {kVportState, kVportInfo}) {
    SubnetWithVports subnet;
    subnet.managed.emulated().set_filter([attribute](const Smp& smp, NodeId, NodeId) {
      return smp.attribute == attribute && smp.method == Method::kGet
                 ? EmulatedFabric::Delivery::kLose
                 : EmulatedFabric::Delivery::kPass;
    });
    ASSERT_TRUE(subnet.settle());
    EXPECT_EQ(subnet.known().count(), 3u)
        << "only the vports of the manager's host are read, because no link is between";
    subnet.managed.emulated().set_filter({});
    const std::uint64_t sweeps = subnet.managed.sm().heavy_sweeps();
    subnet.managed.run_for(75 * kSecond);
    EXPECT_EQ(subnet.managed.sm().heavy_sweeps(), sweeps);
    subnet.expect_current();
  }
}

TEST(DevicePauses, DoubleUnlessTheDeviceIsKnownToSupportTheAttributes) {
  using std::chrono::minutes;
  DevicePauses pauses;
  const Guid device(1);
  pauses.failed(device, minutes(0));
  pauses.failed(device, minutes(1));
  EXPECT_FALSE(pauses.is_due(device, minutes(2)));
  EXPECT_FALSE(pauses.is_retry_due(device, minutes(2)));
  EXPECT_TRUE(pauses.is_due(device, minutes(3)));
  EXPECT_TRUE(pauses.is_retry_due(device, minutes(3)));
  pauses.answered(device);
  EXPECT_FALSE(pauses.is_retry_due(device, minutes(4)));
  pauses.failed(device, minutes(4));
  pauses.failed(device, minutes(5));
  EXPECT_FALSE(pauses.is_due(device, minutes(6)));
  pauses.note_support(device);
  EXPECT_FALSE(pauses.is_retry_due(device, minutes(7)));
  pauses.failed(device, minutes(7));
  pauses.failed(device, minutes(8));
  EXPECT_TRUE(pauses.is_due(device, minutes(9)));
}

// Traps are lost, and the light sweep reads the change indication of the port.
TEST(VportsOfASubnet, ChangesWithoutATrapAreFoundByTheLightSweep) {
  SubnetWithVports subnet;
  ASSERT_TRUE(subnet.settle());
  subnet.managed.emulated().set_filter([](const Smp& smp, NodeId, NodeId) {
    return smp.method == Method::kTrap ? EmulatedFabric::Delivery::kLose
                                       : EmulatedFabric::Delivery::kPass;
  });
  subnet.managed.emulated().add_vport(subnet.host(3), {Guid(0x77), Guid(0x78), "guest"});
  subnet.managed.run_for(5 * kSecond);
  const std::uint64_t sweeps = subnet.managed.sm().heavy_sweeps();
  subnet.managed.run_for(10 * kSecond);
  ASSERT_NE(subnet.known().find(Guid(0x77)), nullptr);
  EXPECT_EQ(subnet.managed.sm().heavy_sweeps(), sweeps);
  subnet.expect_current();
}

TEST(VportsOfASubnet, KeepGuidAndPkeysInALiveMigration) {
  SubnetWithVports subnet;
  const Guid moving = subnet.vport(1, 2);
  subnet.managed.options.partitions = *[&] {
    std::vector<std::string> warnings;
    return parse_partitions(
        fmt::format("Default=0x7fff: ALL=full; guests=0x0011: 0x{:016x}=full, 0x{:016x}=limited;",
                    moving.value(), subnet.host_guid(5).value()),
        "p", warnings);
  }();
  subnet.managed.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_TRUE(subnet.managed.report().warnings.empty());
  const auto has = [](std::span<const Pkey> table, unsigned pkey) {
    return std::ranges::find(table, Pkey(static_cast<std::uint16_t>(pkey))) != table.end();
  };
  const auto check_host = [&](unsigned n, bool holds) {
    const auto endport = subnet.snapshot().fabric.find_endport(subnet.host_guid(n));
    const PortId port = subnet.snapshot().fabric.endport(*endport).port;
    EXPECT_EQ(has(subnet.snapshot().pkeys.table(port), 0x8011), holds) << n;
    EXPECT_FALSE(has(subnet.snapshot().pkeys.own_table(port), 0x8011)) << n;
    EXPECT_EQ(has(subnet.managed.emulated().pkeys(subnet.host(n), 0).pkeys, 0x8011), holds) << n;
    const PkeyTable function = *decode_pkey_table(
        subnet.managed.emulated().virtual_ports(subnet.host(n))->vports[0].pkeys[0]);
    EXPECT_FALSE(has(function.pkeys, 0x8011))
        << "the P_Keys of a vport must not be those of the physical function";
  };
  subnet.expect_current();
  check_host(1, true);
  check_host(4, false);
  const std::uint64_t sweeps = subnet.managed.sm().heavy_sweeps();
  const auto index = subnet.managed.emulated().move_vport(subnet.host(1), 2, subnet.host(4));
  ASSERT_TRUE(index.has_value());
  subnet.managed.run_for(2 * kSecond);
  subnet.expect_current();
  check_host(1, false);
  check_host(4, true);
  EXPECT_TRUE(has(subnet.snapshot().pkeys.vport_table(moving), 0x8011));
  EXPECT_EQ(subnet.managed.sm().heavy_sweeps(), sweeps);
  EXPECT_EQ(subnet.managed.emulated().virtual_ports(subnet.host(4))->vports[*index].reregistrations,
            1u);
}

TEST(VportsOfASubnet, KeepTheirOwnersAfterARestartAndAFailover) {
  SubnetWithVports subnet;
  ASSERT_TRUE(subnet.settle());
  const auto owners = subnet.known().owners();
  subnet.managed.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.known().owners(), owners);
  subnet.expect_current();
  const std::uint64_t written = subnet.managed.sets(kVportPkeyTable);
  subnet.managed.attach_at(EndportId(subnet.managed.fabric().switch_count() + 3));
  subnet.managed.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.known().owners(), owners);
  subnet.expect_current();
  EXPECT_EQ(subnet.managed.sets(kVportPkeyTable), written)
      << "the P_Key tables are as planned and must not be written";
  EXPECT_GT(subnet.managed.emulated().virtual_ports(subnet.host(5))->vports[1].reregistrations, 0u)
      << "clients must register with the new manager";
}

TEST(VportsOfASubnet, TenThousandChangesCauseNoHeavySweep) {
  SubnetWithVports subnet(8);
  ASSERT_TRUE(subnet.settle());
  const std::uint64_t sweeps = subnet.managed.sm().heavy_sweeps();
  const TimeNs end = subnet.managed.emulated().clock().now() + 260 * kSecond;
  const auto changes = std::make_shared<std::uint64_t>(0);
  schedule_vport_changes(
      subnet.managed.emulated(),
      {.seed = 3, .interval = std::chrono::milliseconds(20), .until = end, .count = changes});
  subnet.managed.run_for(263 * kSecond);
  EXPECT_GE(*changes, 10'000u);
  subnet.expect_current();
  EXPECT_EQ(subnet.managed.sm().heavy_sweeps(), sweeps);
  EXPECT_GE(subnet.known().count(), 6 * subnet.hosts());
}

TEST(VportsOfASubnet, WithTheGuidOfAnotherPortAreNotManaged) {
  SubnetWithVports subnet;
  ASSERT_TRUE(subnet.settle());
  const emulator::VirtualIdentity victim =
      subnet.managed.emulated().virtual_ports(subnet.host(6))->identity(1);
  // A host with a lower GUID than the victim's host has a copy of the victim's vport, and a vport
  // with the GUID of a physical port.
  const auto copy = subnet.managed.emulated().add_vport(subnet.host(1), victim);
  const Guid physical = subnet.host_guid(2);
  subnet.managed.emulated().add_vport(subnet.host(1), {physical, Guid(0x99), "physical"});
  subnet.managed.run_for(2 * kSecond);
  EXPECT_EQ(subnet.known().owners().at(victim.port), (VportOwner{subnet.host_guid(6), 1}));
  EXPECT_FALSE(subnet.known().owners().contains(physical));
  const auto state = [&](std::uint16_t index) {
    return subnet.managed.emulated().virtual_ports(subnet.host(1))->vports[index].info.state;
  };
  EXPECT_EQ(state(*copy), PortState::kInit);
  subnet.managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.known().owners().at(victim.port), (VportOwner{subnet.host_guid(6), 1}));
  EXPECT_FALSE(subnet.managed.report().warnings.empty());
  subnet.managed.emulated().remove_vport(subnet.host(6), 1);
  subnet.managed.run_for(2 * kSecond);
  EXPECT_EQ(subnet.known().owners().at(victim.port), (VportOwner{subnet.host_guid(1), *copy}))
      << "after the removal of the first vport the copy must be the owner of the GUID";
  EXPECT_EQ(state(*copy), PortState::kActive);
}

TEST(VportsOfASubnet, AreRecordedAsAbsentUntilTheGracePeriodEnds) {
  SubnetWithVports subnet;
  ASSERT_TRUE(subnet.settle());
  const emulator::VirtualIdentity guest =
      subnet.managed.emulated().virtual_ports(subnet.host(1))->identity(2);
  subnet.managed.emulated().remove_vport(subnet.host(1), 2);
  subnet.managed.run_for(2 * kSecond);
  EXPECT_EQ(subnet.known().find(guest.port), nullptr);
  ASSERT_TRUE(subnet.known().absent().contains(guest.port));
  subnet.managed.emulated().add_vport(subnet.host(5), guest);
  subnet.managed.run_for(2 * kSecond);
  EXPECT_NE(subnet.known().find(guest.port), nullptr);
  EXPECT_TRUE(subnet.known().absent().empty());
  subnet.managed.emulated().remove_vport(subnet.host(5), 4);
  subnet.managed.run_for(kVportGrace + 3 * kSecond);
  EXPECT_TRUE(subnet.known().absent().empty())
      << "the record of a removed vport must end after the grace period";
}

TEST(VportsOfASubnet, AreActivatedAgainAfterTheirHostRestarted) {
  SubnetWithVports subnet;
  ASSERT_TRUE(subnet.settle());
  const NodeId host = subnet.managed.fabric().port(subnet.host(3)).node;
  subnet.managed.emulated().switch_off_node(host);
  subnet.managed.run_for(5 * kSecond);
  EXPECT_EQ(subnet.known().count(), 3 * (subnet.hosts() - 1));
  subnet.managed.emulated().switch_on_node(host);
  subnet.managed.run_for(10 * kSecond);
  subnet.expect_current();
  EXPECT_EQ(subnet.known().count(), 3 * subnet.hosts());
}

// 64 vports on each of 128 hosts; in the campaign on each of 1,024 hosts.
TEST(VportsOfASubnet, OfManyHostsAreManaged) {
  const bool full = at_full_size();
  SubnetWithVports subnet(64, full ? "fattree3:k=16" : "fattree3:k=8");
  EXPECT_EQ(subnet.hosts(), full ? 1024u : 128u);
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.known().count(), 64 * subnet.hosts());
  EXPECT_EQ(subnet.requests(kVportState), subnet.hosts());
  subnet.expect_current();
  const std::uint64_t details = subnet.requests(kVportInfo);
  subnet.managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.requests(kVportInfo), details) << "known vports must not be read again";
  for (unsigned n = 0; n < subnet.hosts(); n += 2)
    ASSERT_TRUE(subnet.managed.emulated().move_vport(subnet.host(n), 7, subnet.host(n + 1)));
  subnet.managed.run_for(3 * kSecond);
  EXPECT_EQ(subnet.known().count(), 64 * subnet.hosts());
  subnet.expect_current();
}

// 64 vports on each of 32 hosts; in the campaign on each of 1,024 hosts.
TEST(VportsOfASubnet, OfManyHostsSurviveARestartAndAFailover) {
  SubnetWithVports subnet(64, at_full_size() ? "fattree3:k=16" : "fattree2:k=8");
  ASSERT_TRUE(subnet.settle());
  const auto owners = subnet.known().owners();
  EXPECT_EQ(owners.size(), 64 * subnet.hosts());
  subnet.managed.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.known().owners(), owners);
  subnet.managed.attach_at(EndportId(subnet.managed.fabric().switch_count() + 3));
  subnet.managed.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.known().owners(), owners);
  subnet.expect_current();
}

/// The GUIDs of the vports of hosts 0 and 1 belong to one tenant. The vports of host 0 move.
TEST(VportsOfASubnet, HaveTheGuidsOfTheTenantOfTheirPort) {
  SubnetWithVports subnet(2);
  ASSERT_TRUE(subnet.settle());
  auto tenants = std::make_shared<Tenants>();
  tenants->all = {{"red", 0}};
  for (const unsigned host : {0u, 1u}) {
    ASSERT_TRUE(tenants->add_port(subnet.host_guid(host), 0));
    for (const std::uint16_t index : {std::uint16_t{1}, std::uint16_t{2}})
      ASSERT_TRUE(tenants->add_virtual(subnet.vport(host, index), subnet.vport(host, index), 0));
  }
  subnet.managed.options.tenants = tenants;
  subnet.managed.sm().set_options(subnet.managed.options);
  subnet.managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(subnet.settle());
  subnet.expect_current();
  EXPECT_TRUE(subnet.managed.report().warnings.empty());

  const Guid first = subnet.vport(0, 1), without_tenant = subnet.vport(3, 1);
  EmulatedFabric& emulated = subnet.managed.emulated();
  ASSERT_TRUE(emulated.move_vport(subnet.host(0), 1, subnet.host(1)));
  ASSERT_TRUE(emulated.move_vport(subnet.host(0), 2, subnet.host(2)));
  ASSERT_TRUE(emulated.move_vport(subnet.host(3), 1, subnet.host(0)));
  subnet.managed.run_for(20 * kSecond);
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.known().owners().at(first), (VportOwner{subnet.host_guid(1), 3}));
  const auto is_idle = [&](unsigned host, std::uint16_t index) {
    const emulator::Vport& vport = emulated.virtual_ports(subnet.host(host))->vports[index];
    return vport.info.state == PortState::kInit && vport.pkeys[0] == SmpData{} &&
           !subnet.known().owners().contains(vport.info.port_guid) &&
           subnet.known().host(subnet.host_guid(host))->at(index)->forbidden;
  };
  EXPECT_TRUE(is_idle(2, 3)) << "a GUID of the tenant must be idle on a port without a tenant";
  EXPECT_TRUE(is_idle(0, 1)) << "a GUID without a tenant must be idle on a port of the tenant";

  subnet.managed.options.tenants = nullptr;
  subnet.managed.sm().set_options(subnet.managed.options);
  subnet.managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(subnet.settle());
  subnet.expect_current();
  EXPECT_EQ(subnet.known().owners().at(without_tenant).host, subnet.host_guid(0));
}

/// A further GUID of a vport belongs to a tenant, its port does not.
TEST(VportsOfASubnet, MayNotHaveAnAliasGuidOfATenantOnAnotherPort) {
  SubnetWithVports subnet(1);
  const Guid alias(0x7701);
  auto tenants = std::make_shared<Tenants>();
  tenants->all = {{"red", 0}};
  ASSERT_TRUE(tenants->add_port(subnet.host_guid(0), 0));
  ASSERT_TRUE(tenants->add_virtual(Guid(0x7700), alias, 0));
  subnet.managed.options.tenants = tenants;
  subnet.managed.start();
  ASSERT_TRUE(subnet.settle());
  EmulatedFabric& emulated = subnet.managed.emulated();
  const auto index = emulated.add_vport(subnet.host(2), {Guid(0x88), Guid(0x89), "guest", {alias}});
  ASSERT_TRUE(index.has_value());
  subnet.managed.run_for(2 * kSecond);
  EXPECT_TRUE(subnet.known().host(subnet.host_guid(2))->at(*index)->forbidden);
  EXPECT_FALSE(subnet.known().owners().contains(alias));
  EXPECT_EQ(emulated.virtual_ports(subnet.host(2))->vports[*index].info.state, PortState::kInit);
  EXPECT_EQ(emulated.virtual_ports(subnet.host(2))->identity(*index).aliases,
            std::vector<Guid>{alias});
}

class TenantsFile : public testing::Test {
 protected:
  Result<std::shared_ptr<const Tenants>> read(const std::string& text) {
    const std::string path = folder_ / "tenants";
    EXPECT_TRUE(write_file(path, text));
    return read_tenants(path);
  }
  static std::string tenant(const std::string& lines) {
    return "tenant\n" + lines + "\nend-tenant\n";
  }
  TempDir folder_;
};

TEST_F(TenantsFile, MapsGuidsToTenants) {
  const auto read_back =
      read(tenant("name: red\nphysical-guids: 0x1, 0x2\nvirtual-guids: 0x10-0x1f, 0x30\n"
                  "multicast-groups: 7") +
           tenant("name: blue\nphysical-guids: 0x3\nvirtual-guids: 0x20"));
  ASSERT_TRUE(read_back) << read_back.error().message;
  const Tenants& tenants = **read_back;
  EXPECT_EQ(tenants.all[0].groups_max, 7u);
  EXPECT_EQ(tenants.all[1].groups_max, 0u);
  EXPECT_EQ(tenants.of(Guid(2)), 0u);
  EXPECT_EQ(tenants.of(Guid(0x1F)), 0u);
  EXPECT_EQ(tenants.of(Guid(0x20)), 1u);
  EXPECT_FALSE(tenants.of(Guid(0xF)) || tenants.of(Guid(0x21)) || tenants.of(Guid(4)));
  EXPECT_TRUE(tenants.may_use(Guid(0x30), Guid(1)));
  EXPECT_TRUE(tenants.may_use(Guid(0x31), Guid(4)))
      << "a GUID and a port without a tenant must be permitted";
  EXPECT_FALSE(tenants.may_use(Guid(0x31), Guid(1)));
  EXPECT_FALSE(tenants.may_use(Guid(0x30), Guid(3)));
  EXPECT_FALSE(tenants.may_use(Guid(0x30), Guid(4)));
}

TEST_F(TenantsFile, NamesEachErrorWithItsPlace) {
  for (const auto& [text, message] : {
           std::pair(tenant("physical-guids: 0x1"), "name"),
           std::pair(tenant("name: a") + tenant("name: a"),
                     "tenants:5:7: name: found 'a', expected a name that is not in use"),
           std::pair(tenant("name: a\nphysical-guids: 1, x"), "found 'x', expected a GUID in hex"),
           std::pair(tenant("name: a\nphysical-guids: 0"), "found '0', expected a GUID in hex"),
           std::pair(tenant("name: a\nvirtual-guids: 0x9-0x8"), "not below the first"),
           std::pair(tenant("name: a\nvirtual-guids: 1-9") + tenant("name: b\nvirtual-guids: 9"),
                     "found '9', expected GUIDs that are in no other range"),
           std::pair(tenant("name: a\nphysical-guids: 1") + tenant("name: b\nphysical-guids: 1"),
                     "found '1', expected a GUID of no other tenant"),
           std::pair(tenant("name: a\nmulticast-groups: 0"), "expected a number from 1 to"),
           std::pair(tenant("name: a\ngroups: 1"), "groups"),
       }) {
    const auto found = read(text);
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().code, Code::kBadInput);
    EXPECT_NE(found.error().message.find(message), std::string::npos) << found.error().message;
  }
}

/// A device reports the largest possible capacities.
TEST(VportsOfASubnet, RequestsToAHostileDeviceAreBounded) {
  EmulatorOptions options;
  options.vport_cap = 0xFFFF;
  options.vport_pkey_cap = 0xFFFF;
  SubnetWithVports subnet(1, "fattree2:k=2", options);
  ASSERT_TRUE(subnet.settle());
  EXPECT_TRUE(subnet.managed.report().up);
  EXPECT_LE(subnet.requests(kVportPkeyTable), subnet.hosts() * 2 * (8 + 8));
}

}  // namespace
}  // namespace weft
