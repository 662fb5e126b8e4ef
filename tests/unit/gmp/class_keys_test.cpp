// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Keys of management classes: their bytes, their derivation, and the keys that managers set in
// emulated ports.
#include "ib/gmps/class_keys.h"

#include <array>
#include <set>
#include <tuple>

#include "base/file.h"
#include "gmp/class_key_manager.h"
#include "gmp/congestion_manager.h"
#include "support/performance_subnet.h"
#include "unit/gmp/number_at.h"

namespace weft {
namespace {

using enum KeyedClass;
constexpr std::array kAllKeyed{kCongestion, kVendor, kNodeToNode};

TEST(ClassKeyWire, KeyInfoHasEachFieldAtItsOffset) {
  const ClassKeyInfo info{0x0102030405060708, true, 0x1112, 0x2122, 0x3132};
  const ClassKeyBytes data = encode(info);
  EXPECT_EQ(number_at(data, 0, 8), 0x0102030405060708u);
  EXPECT_EQ(number_at(data, 8, 8), 0x8000'1112'2122'3132u);
  EXPECT_EQ(decode_class_key_info(data), info);
}

TEST(ClassKeyWire, NeighborsHaveATypeALidAndAKey) {
  NeighborsBlock block;
  block.neighbors[0] = {2, 0x1234, 0x0102030405060708};
  block.neighbors[13] = {1, 7, 9};
  const NeighborsBytes data = encode(block);
  EXPECT_EQ(number_at(data, 0, 8), 0x4000'1234'0000'0000u)
      << "type in bits 5 to 7 of byte 0, LID in bytes 2 to 3";
  EXPECT_EQ(number_at(data, 8, 8), 0x0102030405060708u);
  EXPECT_EQ(number_at(data, 16, 8), 0u);
  EXPECT_EQ(number_at(data, 13 * 16, 8), 0x2000'0007'0000'0000u);
  EXPECT_EQ(number_at(data, 13 * 16 + 8, 8), 9u);
  EXPECT_EQ(decode_neighbors_block(data), block);
}

TEST(ClassKeyWire, ClassesHaveTheSpecifiedAttributesAndOffsets) {
  for (const auto& [keyed, mgmt_class, attribute, offset] :
       {std::tuple(kCongestion, 0x21, 0x12, 40),
        {kVendor, 0x0A, 0x0F, 8},
        {kNodeToNode, 0x0C, 0x0F, 8}}) {
    const KeyedClassForm& form = form_of(keyed);
    EXPECT_EQ(static_cast<int>(form.mgmt_class), mgmt_class);
    EXPECT_EQ(form.key_info, attribute);
    EXPECT_EQ(form.data_offset, static_cast<std::size_t>(offset));
  }
  EXPECT_EQ(form_of(kVendor).announced_by, 0x100);
  Gmp gmp;
  set_class_key(gmp, 0x1122334455667788);
  EXPECT_EQ(number_at(gmp.data, 0, 8), 0x1122334455667788u);
  EXPECT_EQ(class_key(gmp), 0x1122334455667788u);
}

TEST(ClassKeys, DifferByClassPortVersionAndSeed) {
  const Secret seed(std::string_view("sixteen bytes or more"));
  std::set<std::uint64_t> keys;
  for (const KeyedClass keyed : kAllKeyed)
    for (const Guid port : {Guid(1), Guid(2)})
      for (const std::uint64_t version : {0u, 1u}) {
        keys.insert(derive_class_key(seed, keyed, port, version));
        keys.insert(derive_class_key(Secret(std::string_view("another seed, also long")), keyed,
                                     port, version));
      }
  EXPECT_EQ(keys.size(), 24u);
  EXPECT_EQ(derive_class_key(seed, kVendor, Guid(1), 0),
            derive_class_key(seed, kVendor, Guid(1), 0));
}

TEST(ClassKeys, HaveAVersionForEachPeriod) {
  ClassKeyOptions options;
  EXPECT_EQ(key_version_at(options, 5 * kSecond).number, 0u);
  EXPECT_EQ(key_version_at(options, 5 * kSecond).until, TimeNs::max());
  options.period = std::chrono::seconds(10);
  options.epoch = std::chrono::seconds(95);
  EXPECT_EQ(key_version_at(options, 4 * kSecond).number, 9u);
  EXPECT_EQ(key_version_at(options, 4 * kSecond).until, 5 * kSecond);
  EXPECT_EQ(key_version_at(options, 5 * kSecond).number, 10u);
}

class KeyedSubnet {
 public:
  explicit KeyedSubnet(FeatureDevices support = FeatureDevices::kAll)
      : managed(fabric_of("fattree2:k=4"), emulator(support)) {
    managed.start();
    CHECK(managed.settle());
    const Snapshot& snapshot = *managed.sm().snapshot();
    own_endport = *managed.fabric().find_endport(
        snapshot.fabric.port(snapshot.fabric.endport(snapshot.sm).port).guid);
    for (const KeyedClass keyed : kAllKeyed)
      wires[static_cast<std::size_t>(keyed)] =
          &managed.emulated().attach_gmps(own_endport, form_of(keyed).mgmt_class);
    options.use = KeyUse::kEnable;
    options.seed = Secret(std::string_view("sixteen bytes or more"));
  }
  GmpTransport& wire(KeyedClass keyed) { return *wires[static_cast<std::size_t>(keyed)]; }
  const Clock& clock() { return managed.emulated().clock(); }
  Guid guid(std::uint32_t endport) const {
    return managed.fabric().port(managed.fabric().endport(EndportId(endport)).port).guid;
  }
  ClassKeyAgent& agent(KeyedClass keyed, std::uint32_t endport) {
    return managed.emulated().class_key_agent(keyed,
                                              managed.fabric().endport(EndportId(endport)).port);
  }
  template <class Manager>
  void run(KeyedClass keyed, Manager& manager) {
    manager.step();
    while (!manager.settled()) {
      wire(keyed).wait_until(manager.next_event());
      manager.step();
    }
  }
  void sweep(KeyedClass keyed, ClassKeyManager& manager) {
    manager.publish(managed.sm().snapshot());
    run(keyed, manager);
  }
  std::uint64_t sent() { return managed.emulated().counters().gmps_sent; }

  ManagedSubnet managed;
  EndportId own_endport;
  std::array<GmpTransport*, kKeyedClasses> wires{};
  ClassKeyOptions options;

 private:
  static EmulatorOptions emulator(FeatureDevices support) {
    EmulatorOptions emulator;
    emulator.class_keys = support;
    return emulator;
  }
};

TEST(ClassKeysOfASubnet, AreSetOnceAndThenOnlyRead) {
  for (const KeyedClass keyed : {kVendor, kNodeToNode}) {
    KeyedSubnet subnet;
    ClassKeyManager manager(keyed, subnet.wire(keyed), subnet.clock(), subnet.options);
    subnet.sweep(keyed, manager);
    const Fabric& fabric = subnet.managed.fabric();
    const std::uint32_t ports =
        keyed == kNodeToNode ? fabric.switch_count() : fabric.endport_count();
    for (std::uint32_t i = 0; i < ports; ++i) {
      const ClassKeyInfo& info = subnet.agent(keyed, i).info;
      EXPECT_EQ(info.key, derive_class_key(subnet.options.seed, keyed, subnet.guid(i), 0));
      EXPECT_TRUE(info.is_protected);
      EXPECT_EQ(info.lease, 60);
    }
    EXPECT_EQ(manager.work().counts().set, ports);
    EXPECT_EQ(manager.work().counts().neighbors, keyed == kNodeToNode ? ports : 0u);
    const std::uint64_t before = subnet.sent();
    subnet.sweep(keyed, manager);
    EXPECT_EQ(subnet.sent() - before, ports) << "one Get for each port";
    EXPECT_EQ(manager.work().counts().set, 0u);
    // A restarted port has no key.
    subnet.agent(keyed, 1).info = {};
    subnet.sweep(keyed, manager);
    EXPECT_EQ(manager.work().counts().set, 1u);
    EXPECT_EQ(subnet.agent(keyed, 1).sets, 2u);
  }
}

Guid guid_of_switch(const Fabric& fabric, SwitchId sw) {
  return fabric.port(fabric.port_id(Fabric::node_of(sw), PortNum(0))).guid;
}

/// Expects that each switch has the LIDs and keys of its neighbors, and no others.
void expect_neighbors(KeyedSubnet& subnet) {
  const Fabric& known = subnet.managed.known();
  for (std::uint32_t s = 0; s < known.switch_count(); ++s) {
    std::map<std::uint16_t, std::uint64_t> wanted, held;
    for (const Channel& channel : known.channels_from(SwitchId(s))) {
      const EndportId to = *known.find_endport(guid_of_switch(known, channel.to));
      const EndportId there =
          *subnet.managed.fabric().find_endport(guid_of_switch(known, channel.to));
      wanted[known.endport(to).lid.value()] = subnet.agent(kNodeToNode, there.value()).info.key;
    }
    const EndportId own = *subnet.managed.fabric().find_endport(guid_of_switch(known, SwitchId(s)));
    for (const auto& [number, block] : subnet.agent(kNodeToNode, own.value()).neighbors)
      for (const NeighborsBlock::Neighbor& neighbor : block.neighbors)
        if (neighbor.type != 0) {
          EXPECT_EQ(neighbor.type, 2);
          held[neighbor.lid] = neighbor.key;
        }
    EXPECT_EQ(held, wanted) << "switch " << s;
  }
}

TEST(ClassKeysOfASubnet, SwitchesGetTheKeysOfTheirNeighbors) {
  KeyedSubnet subnet;
  subnet.options.period = std::chrono::hours(1);
  ClassKeyManager manager(kNodeToNode, subnet.wire(kNodeToNode), subnet.clock(), subnet.options);
  subnet.sweep(kNodeToNode, manager);
  expect_neighbors(subnet);
  // A restarted switch has neither its own key nor the keys of its neighbors.
  subnet.agent(kNodeToNode, 1).info = {};
  subnet.agent(kNodeToNode, 1).neighbors.clear();
  subnet.sweep(kNodeToNode, manager);
  EXPECT_EQ(manager.work().counts().neighbors, 1u);
  expect_neighbors(subnet);
  // The next key version begins.
  subnet.managed.emulated().run_until(manager.next_event());
  subnet.run(kNodeToNode, manager);
  expect_neighbors(subnet);
  // A cable fails.
  const Fabric& fabric = subnet.managed.fabric();
  subnet.managed.emulated().cut_cable(
      fabric.port_id(NodeId(0), fabric.channels_from(SwitchId(0))[0].from_port));
  subnet.managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(subnet.managed.settle());
  subnet.sweep(kNodeToNode, manager);
  expect_neighbors(subnet);
}

TEST(ClassKeysOfASubnet, ChangeWithEachVersion) {
  KeyedSubnet subnet;
  subnet.options.period = std::chrono::hours(1);
  ClassKeyManager manager(kVendor, subnet.wire(kVendor), subnet.clock(), subnet.options);
  subnet.sweep(kVendor, manager);
  const std::uint64_t first = subnet.agent(kVendor, 3).info.key;
  // The next key version begins between two sweeps.
  EXPECT_LT(manager.next_event(), TimeNs::max());
  subnet.managed.emulated().run_until(manager.next_event());
  subnet.run(kVendor, manager);
  const std::uint64_t second = subnet.agent(kVendor, 3).info.key;
  EXPECT_EQ(second, derive_class_key(subnet.options.seed, kVendor, subnet.guid(3), 1));
  EXPECT_NE(second, first);
  EXPECT_EQ(subnet.agent(kVendor, 3).info.violations, 0u);
  // One key version later another manager, without the files of the first manager, takes over.
  subnet.managed.emulated().run_until(manager.next_event());
  ClassKeyManager other(kVendor, subnet.wire(kVendor), subnet.clock(), subnet.options);
  subnet.sweep(kVendor, other);
  EXPECT_EQ(other.work().counts().failed, 0u);
  EXPECT_EQ(subnet.agent(kVendor, 3).info.key,
            derive_class_key(subnet.options.seed, kVendor, subnet.guid(3), 2));
}

TEST(ClassKeysOfASubnet, AreLostWithoutPower) {
  KeyedSubnet subnet;
  ClassKeyManager manager(kNodeToNode, subnet.wire(kNodeToNode), subnet.clock(), subnet.options);
  subnet.sweep(kNodeToNode, manager);
  CongestionAgent& congestion = subnet.managed.emulated().congestion_agent(
      subnet.managed.fabric().endport(EndportId(0)).port);
  congestion.cc_key = 5;
  congestion.dcqcn.held[{0xFF08, 0}] = {};
  ASSERT_NE(subnet.agent(kNodeToNode, 0).info.key, 0u);
  subnet.managed.emulated().switch_off_node(NodeId(0));
  subnet.managed.emulated().switch_on_node(NodeId(0));
  EXPECT_EQ(subnet.agent(kNodeToNode, 0).info, ClassKeyInfo{});
  EXPECT_TRUE(subnet.agent(kNodeToNode, 0).neighbors.empty());
  EXPECT_EQ(congestion.cc_key, 0u);
  EXPECT_TRUE(congestion.dcqcn.held.empty());
  EXPECT_NE(subnet.agent(kNodeToNode, 1).info.key, 0u);
}

/// A manager that does not know the keys sets its own keys after the lease, unless a MAD with the
/// right key arrived before.
TEST(ClassKeysOfASubnet, ReplaceUnknownKeysWhenTheLeaseHasPassed) {
  KeyedSubnet subnet;
  ClassKeyManager first(kVendor, subnet.wire(kVendor), subnet.clock(), subnet.options);
  subnet.sweep(kVendor, first);
  subnet.options.seed = Secret(std::string_view("another seed, also long"));
  const std::uint32_t ports = subnet.managed.fabric().endport_count();
  ClassKeyManager other(kVendor, subnet.wire(kVendor), subnet.clock(), subnet.options);
  const auto wait_for_the_lease = [&] {
    subnet.managed.emulated().run_until(subnet.clock().now() +
                                        (subnet.options.lease + 1) * kSecond);
  };
  subnet.sweep(kVendor, other);
  EXPECT_EQ(other.work().counts().failed, ports);
  subnet.sweep(kVendor, first);
  wait_for_the_lease();
  subnet.sweep(kVendor, other);
  EXPECT_EQ(other.work().counts().failed, ports) << "the MADs of the first manager end the lease";
  wait_for_the_lease();
  subnet.sweep(kVendor, other);
  EXPECT_EQ(other.work().counts().failed, 0u);
  EXPECT_EQ(subnet.agent(kVendor, 3).info.key,
            derive_class_key(subnet.options.seed, kVendor, subnet.guid(3), 0));
}

TEST(ClassKeysOfASubnet, OfEarlierRunsWithAnotherSeedAreReadFromTheFile) {
  KeyedSubnet subnet;
  const TempDir folder;
  subnet.options.file = folder / "guid2vskey";
  {
    ClassKeyManager manager(kVendor, subnet.wire(kVendor), subnet.clock(), subnet.options);
    subnet.sweep(kVendor, manager);
  }
  subnet.options.seed = Secret(std::string_view("another seed, also long"));
  ClassKeyOptions without_file = subnet.options;
  without_file.file.clear();
  const LogLines log;
  ClassKeyManager manager_without_file(kVendor, subnet.wire(kVendor), subnet.clock(), without_file);
  for (int sweep = 0; sweep < 2; ++sweep) subnet.sweep(kVendor, manager_without_file);
  const std::uint32_t ports = subnet.managed.fabric().endport_count();
  EXPECT_EQ(manager_without_file.work().counts().failed, ports);
  EXPECT_EQ(log.count("no answer with any of 1 possible keys"), ports)
      << "one log line for each port";
  ClassKeyManager manager(kVendor, subnet.wire(kVendor), subnet.clock(), subnet.options);
  subnet.sweep(kVendor, manager);
  EXPECT_EQ(manager.work().counts().set, ports);
  // KeyUse::kDisable removes the keys.
  subnet.options.use = KeyUse::kDisable;
  manager.set_options(subnet.options);
  subnet.run(kVendor, manager);
  for (std::uint32_t i = 0; i < ports; ++i)
    EXPECT_EQ(subnet.agent(kVendor, i).info.key + subnet.agent(kVendor, i).info.is_protected, 0u);
}

/// Of every four nodes one supports the class, one does not announce it, one does not respond, and
/// one refuses ClassPortInfo.
TEST(ClassKeysOfASubnet, AreSetOnlyInPortsThatAnnounceTheClass) {
  KeyedSubnet subnet(FeatureDevices::kMixed);
  for (const KeyedClass keyed : {kVendor, kNodeToNode}) {
    ClassKeyManager manager(keyed, subnet.wire(keyed), subnet.clock(), subnet.options);
    subnet.sweep(keyed, manager);
    const Fabric& fabric = subnet.managed.fabric();
    std::uint64_t supported = 0;
    for (std::uint32_t i = 0; i < fabric.endport_count(); ++i) {
      const bool has = fabric.endport(EndportId(i)).node.value() % 4 == 0 &&
                       (keyed == kVendor || i < fabric.switch_count());
      supported += has ? 1 : 0;
      EXPECT_EQ(subnet.agent(keyed, i).info.key != 0, has);
    }
    EXPECT_EQ(manager.work().counts().supported, supported);
    EXPECT_EQ(manager.work().counts().failed, 0u);
    const std::uint64_t before = subnet.sent();
    subnet.sweep(keyed, manager);
    EXPECT_EQ(subnet.sent() - before, supported) << "no further request to ports without support";
  }
}

TEST(ClassKeysOfASubnet, CauseOneTimeoutForADeviceKindWithoutResponses) {
  KeyedSubnet subnet(FeatureDevices::kSilent);
  const std::uint64_t before = subnet.sent();
  ClassKeyManager manager(kVendor, subnet.wire(kVendor), subnet.clock(), subnet.options);
  subnet.sweep(kVendor, manager);
  // Switches and CAs are two device kinds, or one if neither has a device id.
  EXPECT_LE(subnet.sent() - before, 2 * (1 + subnet.options.client.retries));
}

/// Device kinds and ports that did not respond are queried again, because packets may have been
/// lost or firmware may have been updated.
TEST(ClassKeyRounds, QueryKindsAndPortsWithoutResponsesAgainAfterAPause) {
  KeyedSubnet subnet;
  const auto snapshot = subnet.managed.sm().snapshot();
  ClassKeyWork work(kNodeToNode);
  const auto round = [&](int seconds) {
    work.begin(snapshot, subnet.options, 0, seconds * kSecond);
  };
  // One switch of the only device kind is queried, and does not respond.
  Gmp request;
  std::uint64_t first = 0, second = 0, third = 0;
  round(0);
  ASSERT_TRUE(work.next(request, first));
  EXPECT_EQ(request.attribute, kClassPortInfoAttribute);
  const Lid lid_of_first = request.peer.lid;
  EXPECT_FALSE(work.next(request, second));
  work.on_outcome(first, std::nullopt);
  EXPECT_FALSE(work.next(request, second));
  round(59);
  EXPECT_FALSE(work.next(request, second));
  EXPECT_TRUE(work.is_done());
  // Another switch is queried and responds. Then the other switches are queried.
  round(60);
  ASSERT_TRUE(work.next(request, second));
  EXPECT_NE(second, first);
  Gmp answer = request;
  answer.status = mad_status::kMethodAttributeUnsupported;
  work.on_outcome(second, answer);
  std::uint64_t queried = 0;
  for (; work.next(request, third); ++queried) work.on_outcome(third, std::nullopt);
  EXPECT_EQ(queried + 1, snapshot->fabric.switch_count());
  // Switches that did not respond are queried again after a pause. The pause of the first switch is
  // longer.
  round(119);
  EXPECT_FALSE(work.next(request, third));
  round(120);
  queried = 0;
  for (; work.next(request, third); ++queried) EXPECT_NE(request.peer.lid, lid_of_first);
  EXPECT_EQ(queried + 2, snapshot->fabric.switch_count());
}

TEST(ClassKeysOfASubnet, AreNotQueriedUnlessEnabled) {
  KeyedSubnet subnet;
  subnet.options.use = KeyUse::kIgnore;
  const std::uint64_t before = subnet.sent();
  ClassKeyManager manager(kVendor, subnet.wire(kVendor), subnet.clock(), subnet.options);
  subnet.sweep(kVendor, manager);
  subnet.options.use = KeyUse::kEnable;
  manager.publish(nullptr);
  manager.set_options(subnet.options);
  subnet.run(kVendor, manager);
  EXPECT_EQ(subnet.sent(), before);
}

TEST(ClassKeysOfASubnet, AreSentWithTheSettingsOfCongestionControl) {
  KeyedSubnet subnet;
  CongestionOptions options;
  options.congestion_control = true;
  options.keys = subnet.options;
  options.keys.period = std::chrono::hours(1);
  CongestionManager manager(subnet.wire(kCongestion), subnet.clock(), options);
  for (std::uint64_t version = 0; version < 2; ++version) {
    if (version == 0)
      manager.publish(subnet.managed.sm().snapshot());
    else
      subnet.managed.emulated().run_until(manager.next_event());
    subnet.run(kCongestion, manager);
    for (std::uint32_t i = 0; i < subnet.managed.fabric().endport_count(); ++i) {
      const ClassKeyInfo& info = subnet.agent(kCongestion, i).info;
      EXPECT_EQ(info.key,
                derive_class_key(options.keys.seed, kCongestion, subnet.guid(i), version));
      EXPECT_EQ(info.violations, 0u);
    }
    EXPECT_EQ(manager.counts().answered, manager.counts().sent);
    EXPECT_GT(manager.counts().sent, 0u);
  }
}

TEST(ClassKeysOfASubnet, AreSetInSpiteOfLostPackets) {
  KeyedSubnet subnet;
  subnet.managed.emulated().set_faults({.lost = 0.05, .doubled = 0.1, .late = 0.1});
  ClassKeyManager manager(kNodeToNode, subnet.wire(kNodeToNode), subnet.clock(), subnet.options);
  subnet.sweep(kNodeToNode, manager);
  EXPECT_EQ(manager.work().counts().set, subnet.managed.fabric().switch_count());
}

}  // namespace
}  // namespace weft
