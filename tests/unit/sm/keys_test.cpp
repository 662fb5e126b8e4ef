// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// M_Keys on an emulated fabric that checks them: keys that are set on all ports, changed, lost, or
// of another manager, and a manager that is killed while it changes them.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "sm/keys/key_files.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr Mkey kFirst(0x1122334455667788), kSecondKey(0xABC), kThird(0x77);

class Keys : public testing::Test {
 protected:
  explicit Keys(const std::string& spec = "fattree2:k=4") : managed(fabric_of(spec)) {}

  void use(Mkey key, unsigned level, unsigned lease_s = 0) {
    managed.options.m_key = key;
    managed.options.m_key_protection_level = static_cast<std::uint8_t>(level);
    managed.options.m_key_lease_period = static_cast<std::uint16_t>(lease_s);
  }
  void bring_up(Mkey key, unsigned level, unsigned lease_s = 0) {
    use(key, level, lease_s);
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_keys(key, level, lease_s);
  }
  /// Expects that every endport has this key, protection level and lease, and that the subnet is
  /// up.
  void expect_keys(Mkey key, unsigned level, unsigned lease_s) {
    expect_managed(managed);
    EXPECT_EQ(managed.known().node_count(), managed.fabric().node_count());
    for (const Endport& endport : managed.fabric().endports()) {
      const PortInfo& info = managed.emulated().port_info(endport.port);
      EXPECT_EQ(info.mkey, key) << describe(managed.fabric(), endport.port);
      EXPECT_EQ(info.mkey_protect, level);
      EXPECT_EQ(info.mkey_lease_period_s, lease_s);
    }
  }
  std::string file(const std::string& name) { return managed.cache().path() + "/" + name; }
  KeyMemory keys_on_disk() {
    std::vector<std::string> warnings;
    const auto keys = read_guid2mkey(file("guid2mkey"), warnings);
    EXPECT_THAT(warnings, IsEmpty());
    return *keys;
  }
  void lose_files() {
    for (const char* name : {"guid2mkey", "guid2mkey.changing", "neighbors"})
      std::filesystem::remove(file(name));
  }
  /// Restarts all nodes but `node`. A restarted node has lost its keys.
  void reset_all_but(NodeId node) {
    for (std::uint32_t n = 0; n < managed.fabric().node_count(); ++n)
      if (NodeId(n) != node) managed.emulated().switch_off_node(NodeId(n));
    for (std::uint32_t n = 0; n < managed.fabric().node_count(); ++n)
      if (NodeId(n) != node) managed.emulated().switch_on_node(NodeId(n));
    managed.emulated().run_for(kSecond);
  }
  std::uint64_t refused() { return managed.emulated().counters().drops(Drop::kBadMkey); }

  ManagedSubnet managed;
};

TEST_F(Keys, AreSetOnEveryPortAndKeptInAFileForTheOwnerOnly) {
  bring_up(kFirst, 2, 60);
  EXPECT_EQ(keys_on_disk().size(), managed.fabric().endport_count());
  for (const auto& [guid, key] : keys_on_disk()) EXPECT_EQ(key, kFirst);
  for (const char* name : {"guid2mkey", "neighbors"}) {
    struct stat status {};
    ASSERT_EQ(::stat(file(name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0600u) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(file("guid2mkey.changing")));
  EXPECT_EQ(refused(), 0u);
}

TEST_F(Keys, SweepsAndTrapsWorkWithKeys) {
  bring_up(kFirst, 2);
  managed.run_for(60 * kSecond);
  EXPECT_EQ(managed.sm().heavy_sweeps(), 1u);
  managed.emulated().cut_cable(managed.cable_between(SwitchId(0), SwitchId(4)));
  managed.run_for(5 * kSecond);
  EXPECT_GE(managed.sm().heavy_sweeps(), 2u);
  expect_managed(managed);
  const auto traps = managed.emulated().counters().traps;
  managed.run_for(60 * kSecond);
  EXPECT_EQ(managed.emulated().counters().traps, traps)
      << "no trap may be repeated, because each TrapRepress carries the key";
  EXPECT_EQ(refused(), 0u);
}

TEST_F(Keys, RestartUsesTheFilesAndWritesNothing) {
  managed.options.client_rereg = false;
  bring_up(kFirst, 3);
  managed.emulated().reset_counters();
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.report().applied.done_in(Phase::kKeys), 0u);
  EXPECT_EQ(managed.report().applied.done_in(Phase::kPorts), 0u);
  EXPECT_EQ(refused(), 0u);
}

TEST_F(Keys, AChangedKeyReplacesTheOldKeyAtEveryLevel) {
  for (const unsigned level : {0u, 1u, 2u, 3u}) {
    SCOPED_TRACE(level);
    bring_up(kFirst, level);
    managed.emulated().reset_counters();
    bring_up(kSecondKey, level);
    // Only the manager's own port was queried before its key was known.
    EXPECT_LE(refused(), 4u * 2);
    for (const auto& [guid, key] : keys_on_disk()) EXPECT_EQ(key, kSecondKey);
    bring_up(Mkey(0), 0);
    for (const auto& [guid, key] : keys_on_disk()) EXPECT_EQ(key, Mkey(0));
  }
}

TEST_F(Keys, ARunningManagerChangesTheKeyAtEveryLevel) {
  for (const unsigned level : {0u, 1u, 2u, 3u}) {
    SCOPED_TRACE(level);
    lose_files();
    bring_up(kFirst, level);
    for (const Mkey key : {kSecondKey, kThird, Mkey(0)}) {
      use(key, key == Mkey(0) ? 0 : level);
      managed.sm().set_options(managed.options);
      managed.sm().request_heavy_sweep("SIGHUP");
      ASSERT_TRUE(managed.settle());
      EXPECT_TRUE(managed.report().up) << managed.report().error;
      expect_keys(key, key == Mkey(0) ? 0 : level, 0);
      for (const auto& [guid, held] : keys_on_disk()) EXPECT_EQ(held, key);
    }
  }
}

TEST_F(Keys, AnotherLevelOfTheSameKeyNeedsNoChangeOfKeys) {
  bring_up(kFirst, 3, 10);
  bring_up(kFirst, 1, 20);
  EXPECT_EQ(managed.report().applied.done_in(Phase::kKeys), 0u);
}

TEST_F(Keys, WithoutFilesTheConfiguredKeyIsEnough) {
  bring_up(kFirst, 2);
  lose_files();
  bring_up(kFirst, 2);
  EXPECT_EQ(refused(), 0u);
  EXPECT_EQ(keys_on_disk().size(), managed.fabric().endport_count());
}

TEST_F(Keys, WithoutLookupTheFilesAreNeitherUsedNorDeleted) {
  bring_up(kFirst, 2, 5);
  const KeyMemory before = keys_on_disk();
  managed.options.m_key_lookup = false;
  use(kSecondKey, 2, 5);
  managed.start();
  managed.run_for(2 * kSecond);
  EXPECT_EQ(managed.sm().snapshot(), nullptr);
  EXPECT_EQ(keys_on_disk(), before);
}

TEST_F(Keys, LostKeysAreReadAtLevelZero) {
  bring_up(kFirst, 0);
  lose_files();
  bring_up(kSecondKey, 2);
}

TEST_F(Keys, RegainsLostKeysHopByHopAsLeasesExpire) {
  for (const unsigned level : {1u, 2u, 3u}) {
    SCOPED_TRACE(level);
    bring_up(kFirst, level, 20);
    managed.end_manager();
    lose_files();
    use(kSecondKey, level, 20);
    managed.start();
    // The path has five ports: own port, leaf, spine, leaf, host. Each takes a lease of 20 s, and
    // 15 s for the discovery.
    managed.run_for(5 * 35 * kSecond);
    EXPECT_TRUE(managed.report().up) << managed.report().error;
    expect_keys(kSecondKey, level, 20);
    managed.end_manager();
    lose_files();
    bring_up(kSecondKey, 0);
    bring_up(Mkey(0), 0);
  }
}

TEST_F(Keys, ReportsAForeignKeyUntilItsLeaseExpires) {
  const NodeId foreign(managed.fabric().node_count() - 1);  // a host on another leaf
  for (const unsigned level : {0u, 1u, 2u, 3u}) {
    SCOPED_TRACE(level);
    bring_up(kFirst, level, 30);
    managed.end_manager();
    lose_files();
    reset_all_but(foreign);
    use(kSecondKey, level, 30);
    const std::uint64_t refused_before = refused();
    managed.start();
    ASSERT_TRUE(managed.settle());
    if (level > 0) {
      EXPECT_EQ(refused() - refused_before, 4u)
          << "a port with a foreign key must refuse only the tries of one request";
    }
    if (level == 1) {
      EXPECT_THAT(managed.report().applied.failures,
                  Contains(AllOf(HasSubstr(managed.fabric().node(foreign).description),
                                 HasSubstr("30 s"))));
    } else if (level >= 2) {
      EXPECT_TRUE(managed.report().up);
      EXPECT_THAT(managed.report().warnings, Contains(HasSubstr("unknown M_Key")));
      EXPECT_EQ(managed.known().node_count(), managed.fabric().node_count() - 1);
    }
    managed.run_for(60 * kSecond);
    expect_keys(kSecondKey, level, 30);
    bring_up(Mkey(0), 0);
  }
}

TEST_F(Keys, ReportsAForeignKeyWithoutLeaseInEverySweep) {
  const NodeId leaf(2), far(managed.fabric().node_count() - 1);
  for (const NodeId node : {leaf, far})
    for (const unsigned level : {1u, 2u}) {
      SCOPED_TRACE(fmt::format("node {} level {}", node.value(), level));
      bring_up(kFirst, level);
      managed.end_manager();
      lose_files();
      reset_all_but(node);
      use(kSecondKey, level);
      managed.start();
      managed.run_for(60 * kSecond);
      std::vector<std::string> warnings = managed.report().warnings;
      const auto& failures = managed.report().applied.failures;
      warnings.insert(warnings.end(), failures.begin(), failures.end());
      EXPECT_THAT(warnings, Contains(HasSubstr("guid2mkey")));
      // Adds the keys to guid2mkey, as the warning recommends.
      KeyMemory memory = keys_on_disk();
      for (const Port& port : managed.fabric().ports(node)) memory[port.guid] = kFirst;
      managed.end_manager();
      ASSERT_TRUE(write_guid2mkey(file("guid2mkey"), memory));
      bring_up(kSecondKey, level);
      bring_up(Mkey(0), 0);
    }
}

TEST_F(Keys, KilledManagerRegainsAccessAfterAChangeOfKeys) {
  managed.options.max_wire_smps = 2;
  bring_up(kFirst, 2);
  for (unsigned steps = 1; steps < 4000; steps += 23) {
    SCOPED_TRACE(steps);
    use(kSecondKey, 2);
    managed.start();
    unsigned done = 0;
    while (done++ < steps && !managed.sm().settled()) managed.sm().step();
    const bool finished = managed.sm().settled();
    managed.end_manager();  // like kill -9
    bring_up(kThird, 2);
    bring_up(kFirst, 2);
    if (finished) return;
  }
  FAIL() << "the change of keys must end";
}

TEST_F(Keys, AChangeOfKeysSucceedsDespiteLostAnswers) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    bring_up(kFirst, 2);
    managed.emulated().set_faults({.lost = 0.1});
    use(kSecondKey, 2);
    managed.start();
    ASSERT_TRUE(managed.settle());
    managed.emulated().set_faults({});
    managed.run_for(60 * kSecond);
    expect_keys(kSecondKey, 2, 0);
    managed.emulated().run_for(kSecond);
  }
}

TEST_F(Keys, RenewsTheLeaseAfterABadMKeyTrap) {
  managed.options.sweep_interval = std::chrono::milliseconds(0);
  bring_up(kFirst, 2, 20);
  const EndportId sender(managed.fabric().endport_count() - 1);
  SmpTransport& other_host = managed.emulated().attach(sender, false);
  Smp smp;
  smp.attribute = AttributeId::kNodeInfo;
  smp.hop_count = 1;
  smp.initial_path[1] = managed.fabric().port(managed.fabric().endport(sender).port).num.value();
  ASSERT_TRUE(other_host.send(smp));
  const SwitchId leaf = managed.fabric().endport(sender).sw;
  managed.run_for(90 * kSecond);
  const PortInfo& info =
      managed.emulated().port_info(managed.fabric().endport(Fabric::endport_of(leaf)).port);
  EXPECT_EQ(info.mkey_violations, 1u);
  EXPECT_EQ(info.mkey_protect, 2u) << "the lease must not expire";
  managed.emulated().detach(sender);
}

/// guid2mkey has an additional key, so that the last key tried for a switch is wrong.
TEST_F(Keys, RediscoversASwitchThatDidNotAnswer) {
  bring_up(kFirst, 2);
  managed.end_manager();
  std::ofstream(file("guid2mkey"), std::ios::app) << "0x00000000000000ff 0x0000000000000abc\n";
  managed.start();
  ASSERT_TRUE(managed.settle());
  const NodeId leaf = Fabric::node_of(SwitchId(2));
  managed.emulated().set_filter([&](const Smp&, NodeId, NodeId to) {
    return to == leaf ? EmulatedFabric::Delivery::kLose : EmulatedFabric::Delivery::kPass;
  });
  managed.run_for(60 * kSecond);
  EXPECT_LT(managed.known().node_count(), managed.fabric().node_count());
  managed.emulated().set_filter({});
  managed.run_for(60 * kSecond);
  expect_keys(kFirst, 2, 0);
}

TEST_F(Keys, SendsNoKeyOnAFabricWithoutKeys) {
  unsigned carried = 0;
  managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId) {
    carried += smp.mkey != Mkey(0);
    return EmulatedFabric::Delivery::kPass;
  });
  bring_up(Mkey(0), 0);
  EXPECT_EQ(carried, 0u);
}

}  // namespace
}  // namespace weft
