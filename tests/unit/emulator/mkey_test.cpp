// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// M_Keys: permitted Gets and Sets at each protection level, the violation counter, the lease, and
// traps.
#include <gtest/gtest.h>

#include "unit/emulator/client.h"

namespace weft {
namespace {

class Mkeys : public Routed {
 protected:
  void protect(unsigned level, unsigned lease_s = 0) {
    ASSERT_EQ(sm.change_port({1}, 0,
                             [&](PortInfo& info) {
                               info.mkey = Mkey(0xABC);
                               info.mkey_protect = static_cast<std::uint8_t>(level);
                               info.mkey_lease_period_s = static_cast<std::uint16_t>(lease_s);
                             }),
              0);
  }
  std::optional<Smp> read() { return sm.get(AttributeId::kPortInfo, 0, {1}); }
  std::optional<Smp> write() {
    return sm.set(AttributeId::kSwitchInfo, 0, {1}, encode(emulated.switch_info(kS0)));
  }
  unsigned violations() const { return emulated.port_info(port(kS0, 0)).mkey_violations; }
  unsigned level() const { return emulated.port_info(port(kS0, 0)).mkey_protect; }
};

TEST_F(Mkeys, LevelZeroReturnsTheKeyAndRefusesSets) {
  protect(0);
  ASSERT_TRUE(read());
  EXPECT_EQ(decode_port_info(read()->data)->mkey, Mkey(0xABC));
  EXPECT_FALSE(write());
  EXPECT_EQ(violations(), 1u);
  sm.mkey = Mkey(0xABC);
  EXPECT_TRUE(write());
}

TEST_F(Mkeys, LevelOneReturnsZeroInsteadOfTheKey) {
  protect(1);
  EXPECT_EQ(decode_port_info(read()->data)->mkey, Mkey(0));
  EXPECT_FALSE(write());
  sm.mkey = Mkey(0xABC);
  EXPECT_EQ(decode_port_info(read()->data)->mkey, Mkey(0xABC));
}

TEST_F(Mkeys, LevelsTwoAndThreeRefuseGetsAndSets) {
  for (const unsigned wanted : {2u, 3u}) {
    sm.mkey = Mkey(wanted == 3 ? 0xABC : 0);
    protect(wanted);
    sm.mkey = Mkey(0x123);
    EXPECT_FALSE(read());
    EXPECT_FALSE(write());
    EXPECT_FALSE(sm.get(AttributeId::kNodeInfo, 0, {1}));
    EXPECT_EQ(emulated.counters().drops(Drop::kBadMkey), (wanted - 1) * 3u);
    sm.mkey = Mkey(0xABC);
    EXPECT_TRUE(read());
  }
  EXPECT_EQ(violations(), 6u);
}

TEST_F(Mkeys, ProtectOneNodeOnly) {
  protect(2);
  EXPECT_TRUE(sm.get(AttributeId::kNodeInfo, 0, {1, 2}));
}

TEST_F(Mkeys, ViolationCounterCanBeClearedButNotSet) {
  protect(2);
  sm.mkey = Mkey(1);
  EXPECT_FALSE(read());
  EXPECT_FALSE(read());
  sm.mkey = Mkey(0xABC);
  EXPECT_EQ(sm.change_port({1}, 0, [](PortInfo& i) { i.mkey_violations = 9; }), 0);
  EXPECT_EQ(violations(), 2u);
  EXPECT_EQ(sm.change_port({1}, 0, [](PortInfo& i) { i.mkey_violations = 0; }), 0);
  EXPECT_EQ(violations(), 0u);
}

TEST_F(Mkeys, LeaseExpiresUnlessRenewed) {
  protect(2, 10);
  const Mkey configured_key(0xABC), other_key(1);
  emulated.run_for(std::chrono::seconds(60));
  EXPECT_EQ(level(), 2u) << "without a violation the lease does not expire";
  sm.mkey = other_key;
  EXPECT_FALSE(read());
  emulated.run_for(std::chrono::seconds(9));
  sm.mkey = configured_key;
  EXPECT_TRUE(read());
  emulated.run_for(std::chrono::seconds(60));
  EXPECT_EQ(level(), 2u) << "an SMP with the key renewed the lease";
  sm.mkey = other_key;
  EXPECT_FALSE(read());
  emulated.run_for(std::chrono::seconds(9));
  EXPECT_FALSE(read()) << "a second violation does not restart the lease";
  emulated.run_for(std::chrono::seconds(2));
  EXPECT_EQ(level(), 0u);
  EXPECT_EQ(decode_port_info(read()->data)->mkey, configured_key);
}

TEST_F(Mkeys, ViolationCausesTrap256) {
  protect(2);
  sm.take_unsolicited();
  sm.mkey = Mkey(0x77);
  EXPECT_FALSE(read());
  const auto traps = sm.take_unsolicited();
  ASSERT_EQ(traps.size(), 1u);
  const auto notice = decode_notice(traps[0].data);
  EXPECT_TRUE(notice->is(TrapNumber::kBadMkey));
  const TrapBadMkey trap = decode_trap_bad_mkey(notice->details);
  EXPECT_EQ(trap.lid, Lid(1));
  EXPECT_EQ(trap.mkey, Mkey(0x77));
  EXPECT_EQ(trap.attribute, AttributeId::kPortInfo);
  EXPECT_EQ(trap.method, Method::kGet);
  EXPECT_TRUE(trap.directed);
  EXPECT_EQ(trap.hop_count, 1);
  EXPECT_EQ(trap.return_path[0], 1);
}

TEST_F(Mkeys, TrapIsRepressedOnlyWithTheKey) {
  protect(1);
  sm.take_unsolicited();
  emulated.cut_cable(port(kS0, 3));
  emulated.run_for(std::chrono::milliseconds(10));
  std::optional<Smp> trap;
  for (const Smp& smp : sm.take_unsolicited())
    if (smp.slid == Lid(1) && decode_notice(smp.data)->is(TrapNumber::kLinkStateChange)) trap = smp;
  ASSERT_TRUE(trap);
  Smp repress = *trap;
  repress.method = Method::kTrapRepress;
  std::swap(repress.slid, repress.dlid);
  const auto repeated = [&] {
    emulated.run_for(std::chrono::seconds(2));
    unsigned count = 0;
    for (const Smp& smp : sm.take_unsolicited())
      count += smp.method == Method::kTrap && smp.transaction_id == trap->transaction_id;
    return count;
  };
  ASSERT_TRUE(sm.transport().send(repress));
  EXPECT_EQ(repeated(), 2u);
  EXPECT_EQ(violations(), 1u);
  repress.mkey = Mkey(0xABC);
  ASSERT_TRUE(sm.transport().send(repress));
  EXPECT_EQ(repeated(), 0u);
}

}  // namespace
}  // namespace weft
