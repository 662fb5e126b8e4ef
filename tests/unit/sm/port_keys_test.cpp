// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A different M_Key for each port, derived from a seed: on the fabric, after restarts, and on other
// managers.
#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "sm/keys/key_files.h"
#include "sm/keys/known_keys.h"
#include "sm/keys/port_key.h"
#include "support/corrupting_wire.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::HasSubstr;

const std::string kSeedBytes("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f",
                             16);
const std::string kOtherSeed(32, '\x5A');
constexpr Mkey kCommonKey(0x1122334455667788);

// python3: hmac.new(bytes(range(16)), b"weft M_Key" + guid + b"\0", "sha256").digest()[:8]
TEST(PortKey, IsTheStartOfAnHmacOfTheGuid) {
  EXPECT_EQ(derive_mkey(kSeedBytes, Guid(0x0002C90300000001)), Mkey(0xDEF03DD2BC817DC4));
  EXPECT_EQ(derive_mkey(kSeedBytes, Guid(1)), Mkey(0x40864738C614FB51));
  EXPECT_NE(derive_mkey(kOtherSeed, Guid(1)), derive_mkey(kSeedBytes, Guid(1)));
}

TEST(PortKey, SeedIsReadInHexAndNeverQuoted) {
  EXPECT_EQ(*parse_key_seed("0x000102030405060708090a0b0c0d0e0f"), kSeedBytes);
  EXPECT_EQ(*parse_key_seed("000102030405060708090A0B0C0D0E0F"), kSeedBytes);
  EXPECT_EQ(parse_key_seed(std::string(128, 'a'))->view().size(), 64u);
  EXPECT_EQ(*parse_key_seed(""), "");
  for (const std::string& wrong :
       {std::string(30, 'a'), std::string(33, 'a'), std::string(130, 'a'),
        std::string("0102030405060708090a0b0c0d0e0f-1"), std::string(31, 'a') + "g"}) {
    const auto seed = parse_key_seed(wrong);
    ASSERT_FALSE(seed) << wrong;
    EXPECT_THAT(seed.error().message, HasSubstr("expected 32 to 128 hex digits"));
    EXPECT_EQ(seed.error().message.find(wrong), std::string::npos);
  }
}

class PortKeys : public testing::Test {
 protected:
  PortKeys() { managed.options.own_port_guid = guid_of(managed.manager_endport()); }
  Guid guid_of(EndportId endport) const {
    return managed.fabric().port(managed.fabric().endport(endport).port).guid;
  }
  void use_seed(const std::string& seed, unsigned level) {
    managed.options.m_key_per_port = !seed.empty();
    managed.options.key_mgr_seed = Secret(std::string_view(seed));
    managed.options.m_key = Mkey(0);
    managed.options.m_key_protection_level = static_cast<std::uint8_t>(level);
  }
  void expect_seed(const std::string& seed, unsigned level) {
    expect_managed(managed);
    ASSERT_EQ(managed.known().node_count(), managed.fabric().node_count());
    std::set<Mkey> keys;
    std::vector<std::string> warnings;
    const KeyMemory on_disk = *read_guid2mkey(managed.cache().path() + "/guid2mkey", warnings);
    for (std::uint32_t e = 0; e < managed.fabric().endport_count(); ++e) {
      const Guid guid = guid_of(EndportId(e));
      const PortInfo& info =
          managed.emulated().port_info(managed.fabric().endport(EndportId(e)).port);
      EXPECT_EQ(info.mkey, derive_mkey(seed, guid));
      EXPECT_EQ(info.mkey_protect, level);
      keys.insert(info.mkey);
      EXPECT_EQ(on_disk.at(guid), info.mkey) << "guid2mkey must have the keys of the ports";
    }
    EXPECT_EQ(keys.size(), managed.fabric().endport_count())
        << "no two ports may have the same key";
  }
  void bring_up_with(const std::string& seed, unsigned level) {
    use_seed(seed, level);
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_seed(seed, level);
  }
  void lose(std::initializer_list<const char*> names) {
    for (const char* name : names) std::filesystem::remove(managed.cache().path() + "/" + name);
  }
  std::uint64_t refused() { return managed.emulated().counters().drops(Drop::kBadMkey); }

  ManagedSubnet managed{fabric_of("fattree2:k=4")};
};

TEST_F(PortKeys, AreSetAndKeptAfterARestartAtEveryLevel) {
  for (const unsigned level : {0u, 1u, 2u, 3u}) {
    SCOPED_TRACE(level);
    bring_up_with(kSeedBytes, level);
    managed.emulated().reset_counters();
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_seed(kSeedBytes, level);
    EXPECT_EQ(managed.report().applied.done_in(Phase::kKeys), 0u);
    EXPECT_EQ(refused(), 0u);
  }
}

/// A key derived from a GUID that was read corrupted would make the port unreachable for the
/// manager.
TEST_F(PortKeys, AreNotSetOnAPortWithAnotherGuidInTheSecondRead) {
  const EndportId victim(managed.fabric().endport_count() - 1);
  std::unique_ptr<CorruptingWire> corrupting;
  managed.between = [&](SmpTransport& wire) -> SmpTransport& {
    return *(corrupting = std::make_unique<CorruptingWire>(wire, guid_of(victim)));
  };
  use_seed(kSeedBytes, 1);
  managed.start();
  managed.run_for(std::chrono::milliseconds(100));
  EXPECT_EQ(managed.emulated().port_info(managed.fabric().endport(victim).port).mkey, Mkey(0));
  EXPECT_THAT(managed.report().error, HasSubstr("1 settings failed"));
  managed.run_for(std::chrono::seconds(30));
  expect_seed(kSeedBytes, 1);
}

/// If a GUID is read corrupted, the key of the port does not match and seems to be of another
/// manager. A protection level that was read corrupted would then make the port unreachable for
/// managers that know only the seed.
TEST_F(PortKeys, ProtectionThatWasReadCorruptedIsNotWrittenBack) {
  bring_up_with(kSeedBytes, 0);
  const EndportId victim(managed.fabric().endport_count() - 1);
  const PortId port = managed.fabric().endport(victim).port;
  const Mkey key = managed.emulated().port_info(port).mkey;
  const auto corrupt_protection = [key](Smp& smp) {
    if (smp.attribute != AttributeId::kPortInfo) return false;
    auto info = decode_port_info(smp.data);
    if (!info || info->mkey != key) return false;
    info->mkey_protect = 3;
    smp.data = encode(*info);
    return true;
  };
  std::unique_ptr<CorruptingWire> guid, protection;
  managed.between = [&](SmpTransport& wire) -> SmpTransport& {
    guid = std::make_unique<CorruptingWire>(wire, guid_of(victim));
    return *(protection = std::make_unique<CorruptingWire>(*guid, corrupt_protection));
  };
  managed.options.subnet_timeout = 15;
  managed.start();
  managed.run_for(std::chrono::milliseconds(100));
  EXPECT_EQ(managed.emulated().port_info(port).subnet_timeout, 15)
      << "the manager must not write PortInfo of the port";
  EXPECT_EQ(managed.emulated().port_info(port).mkey, key);
  EXPECT_EQ(managed.emulated().port_info(port).mkey_protect, 0);
}

/// A standby on another machine has no keys in guid2mkey.
TEST_F(PortKeys, AnotherManagerWithTheSeedNeedsNoKeyFile) {
  for (const unsigned level : {0u, 1u}) {
    SCOPED_TRACE(level);
    bring_up_with(kSeedBytes, level);
    managed.end_manager();
    lose({"guid2mkey", "neighbors"});
    managed.start();
    ASSERT_TRUE(managed.settle());
    EXPECT_EQ(managed.report().applied.done_in(Phase::kKeys), 0u);
    expect_seed(kSeedBytes, level);
  }
  for (const unsigned level : {2u, 3u}) {  // a port answers only requests with its key
    SCOPED_TRACE(level);
    bring_up_with(kSeedBytes, level);
    managed.end_manager();
    lose({"guid2mkey"});
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_seed(kSeedBytes, level);
  }
}

TEST_F(PortKeys, ReplaceACommonKeyAndKeysOfAnotherSeed) {
  for (const unsigned level : {1u, 2u}) {
    SCOPED_TRACE(level);
    use_seed("", level);
    managed.options.m_key = kCommonKey;
    managed.start();
    ASSERT_TRUE(managed.settle());
    bring_up_with(kSeedBytes, level);
    // The seed changes while the manager runs, then with a restart.
    use_seed(kOtherSeed, level);
    managed.sm().set_options(managed.options);
    managed.sm().request_heavy_sweep("SIGHUP");
    ASSERT_TRUE(managed.settle());
    expect_seed(kOtherSeed, level);
    bring_up_with(kSeedBytes, level);
    use_seed("", 0);
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_managed(managed);
  }
}

TEST_F(PortKeys, KilledManagerRegainsAccessAfterAChangeOfSeed) {
  managed.options.max_wire_smps = 2;
  bring_up_with(kSeedBytes, 2);
  for (unsigned steps = 20; steps < 4000; steps += 211) {
    SCOPED_TRACE(steps);
    use_seed(kOtherSeed, 2);
    managed.start();
    unsigned done = 0;
    while (done++ < steps && !managed.sm().settled()) managed.sm().step();
    const bool finished = managed.sm().settled();
    managed.end_manager();  // like kill -9
    bring_up_with(std::string(20, 'c'), 2);
    bring_up_with(kSeedBytes, 2);
    if (finished) return;
  }
  FAIL() << "the change of keys must end";
}

/// A hostile host that does not answer, or reports a protected port, gets no request with the keys
/// of other ports.
TEST_F(PortKeys, NoPortReceivesTheKeyOfAnotherPort) {
  bring_up_with(kSeedBytes, 1);
  const NodeId hostile(managed.fabric().node_count() - 1);
  std::set<Mkey> own{Mkey(0)};
  for (std::uint32_t e = 0; e < managed.fabric().endport_count(); ++e)
    if (managed.fabric().endport(EndportId(e)).node == hostile)
      own.insert(derive_mkey(kSeedBytes, guid_of(EndportId(e))));
  std::set<Mkey> received;
  managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId to) {
    if (to != hostile) return EmulatedFabric::Delivery::kPass;
    received.insert(smp.mkey);
    return EmulatedFabric::Delivery::kLose;
  });
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  managed.run_for(30 * kSecond);
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.emulated().set_filter({});
  EXPECT_GT(received.size(), 0u);
  EXPECT_TRUE(std::ranges::includes(own, received));
  // A request along an unknown path carries no key.
  KnownKeys keys;
  keys.configure_per_port(Secret(std::string_view(kSeedBytes)), kCommonKey);
  keys.learn(Guid(8), {}, Mkey(5));
  Smp request;
  request.hop_count = 2;
  request.initial_path[1] = request.initial_path[2] = 9;
  EXPECT_EQ(keys.key_for(request, 1), Mkey(0));
}

TEST_F(PortKeys, AreSentInTrapRepress) {
  bring_up_with(kSeedBytes, 2);
  managed.run_for(kSecond);
  managed.emulated().cut_cable(managed.cable_between(SwitchId(0), SwitchId(4)));
  managed.run_for(5 * kSecond);
  const auto traps = managed.emulated().counters().traps;
  managed.run_for(60 * kSecond);
  EXPECT_EQ(managed.emulated().counters().traps, traps)
      << "no trap may be repeated, because each trap was repressed";
  EXPECT_EQ(refused(), 0u);
}

}  // namespace
}  // namespace weft
