// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Virtual ports with LIDs of their own: assignment, forwarding entries, moves, restart, and the
// verification of the copied entries.
#include "sm/vports/vport_lids.h"

#include <algorithm>
#include <set>

#include "emulator/vport_changes.h"
#include "support/corrupting_wire.h"
#include "support/managed_subnet.h"
#include "verify/copies/copied_lids.h"

namespace weft {
namespace {

constexpr std::uint16_t kOwnLidVports = 8;

class OwnLids : public testing::Test {
 protected:
  static EmulatorOptions needing_lids() {
    EmulatorOptions options;
    options.vports = kOwnLidVports;
    options.vports_need_lids = true;
    return options;
  }
  explicit OwnLids(const EmulatorOptions& options = needing_lids())
      : managed(fabric_of("fattree2:k=4"), options) {}

  void start() {
    managed.start();
    ASSERT_TRUE(managed.settle());
  }
  PortId host(unsigned n) const {
    const Fabric& fabric = managed.fabric();
    return fabric.endport(EndportId(fabric.switch_count() + n)).port;
  }
  unsigned hosts() const {
    return managed.fabric().endport_count() - managed.fabric().switch_count();
  }
  const emulator::Vport& vport(unsigned n, std::uint16_t index) {
    return managed.emulated().virtual_ports(host(n))->vports[index];
  }
  Guid guid(unsigned n, std::uint16_t index) { return vport(n, index).info.port_guid; }
  Lid lid(unsigned n, std::uint16_t index) { return vport(n, index).info.lid; }
  std::shared_ptr<const Snapshot> snapshot() { return managed.sm().snapshot(); }

  /// The entry that a switch holds for a LID.
  std::uint8_t held(std::uint32_t sw, Lid of) {
    const auto lft = managed.emulated().lft(SwitchId(sw));
    return of.value() < lft.size() ? lft[of.value()] : kNoRoute.value();
  }
  void expect_entries(Lid own, unsigned n) {
    const Lid base = managed.emulated().port_info(host(n)).lid;
    for (std::uint32_t sw = 0; sw < managed.fabric().switch_count(); ++sw) {
      EXPECT_NE(held(sw, base), kNoRoute.value());
      EXPECT_EQ(held(sw, own), held(sw, base)) << "LID " << own.value() << " at switch " << sw;
    }
  }
  /// Expects that each vport is ACTIVE with a LID that no other port has, and that the entries of
  /// the LID at each switch are those of the LID of its host.
  void expect_own_lids() {
    std::set<Lid> lids;
    for (const Endport& endport : snapshot()->fabric.endports()) lids.insert(endport.lid);
    for (unsigned n = 0; n < hosts(); ++n) {
      const auto* const vports = managed.emulated().virtual_ports(host(n));
      for (std::uint16_t i = 1; i < vports->vports.size(); ++i) {
        if (!vports->is_up(i)) continue;
        EXPECT_EQ(vport(n, i).info.state, PortState::kActive);
        EXPECT_NE(lid(n, i), kLidNone);
        EXPECT_TRUE(lids.insert(lid(n, i)).second) << lid(n, i).value() << " is in use twice";
        EXPECT_EQ(snapshot()->vport_lids.of(guid(n, i)), lid(n, i));
        expect_entries(lid(n, i), n);
      }
    }
    EXPECT_EQ(count_differing_copies(snapshot()->routes, snapshot()->copies), 0u);
  }
  std::uint64_t lft_writes() { return managed.sets(AttributeId::kLinearForwardingTable); }

  ManagedSubnet managed;
};

TEST_F(OwnLids, AreAssignedAndForwardedAsTheLidsOfTheirHosts) {
  start();
  expect_own_lids();
  expect_managed(managed);
  EXPECT_TRUE(managed.report().warnings.empty());
  const std::uint64_t written = lft_writes(), infos = managed.sets(kVportInfo);
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(lft_writes(), written) << "a second sweep must write nothing";
  EXPECT_EQ(managed.sets(kVportInfo), infos);
}

TEST_F(OwnLids, OfNewAndMovedVportsAreForwardedWithoutAHeavySweep) {
  start();
  const std::uint64_t sweeps = managed.sm().heavy_sweeps(), written = lft_writes();
  const Lid moving = lid(1, 2);
  const auto index = managed.emulated().move_vport(host(1), 2, host(6));
  ASSERT_TRUE(index.has_value());
  const auto added = managed.emulated().add_vport(host(3), {Guid(0x77), Guid(0x78), "guest"});
  managed.run_for(2 * kSecond);
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps);
  EXPECT_GT(lft_writes(), written);
  EXPECT_EQ(lid(6, *index), moving) << "the LID must stay in a live migration";
  EXPECT_NE(lid(3, *added), kLidNone);
  expect_own_lids();
}

class OwnLidsOnAdaptiveSwitches : public OwnLids {
 protected:
  static EmulatorOptions adaptive_switches() {
    EmulatorOptions options = needing_lids();
    options.adaptive = AdaptiveSwitches::kAnswered;
    return options;
  }
  OwnLidsOnAdaptiveSwitches() : OwnLids(adaptive_switches()) {
    managed.options.routing.adaptive = ArConf{};
    managed.options.routing_engine = {{"ar_updn"}, true};
  }
};

TEST_F(OwnLidsOnAdaptiveSwitches, TenThousandChangesCauseNoHeavySweep) {
  start();
  EXPECT_EQ(snapshot()->routes.engine, "ar_updn");
  EXPECT_GT(managed.report().adaptive.on, 0u);
  const std::uint64_t sweeps = managed.sm().heavy_sweeps();
  const auto changes = std::make_shared<std::uint64_t>(0);
  const TimeNs end = managed.emulated().clock().now() + 260 * kSecond;
  schedule_vport_changes(
      managed.emulated(),
      {.seed = 3, .interval = std::chrono::milliseconds(20), .until = end, .count = changes});
  managed.run_for(263 * kSecond);
  EXPECT_GE(*changes, 10'000u);
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps);
  EXPECT_EQ(snapshot()->routes.engine, "ar_updn");
  EXPECT_TRUE(snapshot()->verdict.ok());
  expect_own_lids();
}

TEST_F(OwnLids, AreForwardedToTheLastHostUntilTheGracePeriodEnds) {
  start();
  const Lid own = lid(1, 2);
  managed.emulated().remove_vport(host(1), 2);
  managed.run_for(2 * kSecond);
  expect_entries(own, 1);
  managed.run_for(kVportGrace + 3 * kSecond);
  for (std::uint32_t sw = 0; sw < managed.fabric().switch_count(); ++sw)
    EXPECT_EQ(held(sw, own), kNoRoute.value());
  EXPECT_EQ(snapshot()->vport_lids.at(own), std::nullopt);
}

/// A vport is down while another vport appears and the manager restarts.
TEST_F(OwnLids, AreKeptInGuid2lid) {
  start();
  const emulator::VirtualIdentity guest = managed.emulated().virtual_ports(host(1))->identity(2);
  const Lid own = lid(1, 2);
  managed.emulated().remove_vport(host(1), 2);
  managed.run_for(kVportGrace + 3 * kSecond);
  const auto added = managed.emulated().add_vport(host(3), {Guid(0x77), Guid(0x78), "guest"});
  managed.run_for(2 * kSecond);
  EXPECT_NE(lid(3, *added), own) << "the LID of an absent GUID must be used last";
  start();
  const auto again = managed.emulated().add_vport(host(5), guest);
  managed.run_for(2 * kSecond);
  EXPECT_EQ(lid(5, *again), own);
  expect_own_lids();
}

TEST_F(OwnLids, AreNewAfterReassignmentOfAllLids) {
  start();
  managed.emulated().remove_vport(host(0), 1);
  managed.run_for(kVportGrace + 3 * kSecond);
  const Lid last = lid(hosts() - 1, kOwnLidVports);
  managed.options.reassign_lids = true;
  start();
  EXPECT_LT(lid(hosts() - 1, kOwnLidVports), last) << "the lowest LIDs are assigned in order";
  expect_own_lids();
}

/// With 64 LIDs of vports, the tables have more blocks than the LIDs of endports need.
TEST_F(OwnLids, DoNotPreventVerificationOfChangesOnly) {
  managed.options.routing_engine = {{"updn"}, false};
  managed.options.rebalance = false;
  start();
  const Fabric& fabric = managed.fabric();
  ASSERT_GT(snapshot()->routes.lfts.blocks(), fabric.lid_top().value() / kLftBlock + 1u);
  const PortId cable = fabric.port_id(Fabric::node_of(kS0), fabric.channels_from(kS0)[0].from_port);
  managed.emulated().cut_cable(cable);
  bool only_changes = false;
  for (int i = 0; i < 20'000; ++i) {
    managed.run_for(std::chrono::milliseconds(1));
    only_changes = only_changes || managed.report().verified_changes_only;
  }
  EXPECT_TRUE(only_changes);
  expect_own_lids();
}

TEST_F(OwnLids, BeyondTheLimitAreNotAssignedAndLoggedOnce) {
  managed.options.virt_max_own_lids = 5;
  start();
  expect_managed(managed);
  for (unsigned n = 0; n < hosts(); ++n)
    for (std::uint16_t i = 1; i <= kOwnLidVports; ++i) {
      EXPECT_EQ(vport(n, i).info.state, i <= 5 ? PortState::kActive : PortState::kInit);
      EXPECT_EQ(lid(n, i) != kLidNone, i <= 5);
      EXPECT_EQ(snapshot()->vport_lids.is_over_limit({managed.fabric().port(host(n)).guid, i},
                                                     guid(n, i)),
                i > 5);
    }
  ASSERT_EQ(managed.report().warnings.size(), hosts());
  EXPECT_NE(managed.report().warnings[0].find(
                "3 virtual ports beyond the limit of 5 with LIDs of their own"),
            std::string::npos)
      << managed.report().warnings[0];
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().warnings.empty());
  // A removed vport does not count for the limit if another vport needs a LID.
  managed.emulated().remove_vport(host(1), 2);
  managed.run_for(2 * kSecond);
  EXPECT_NE(lid(1, 6), kLidNone);
}

class FewLids : public OwnLids {
 protected:
  static EmulatorOptions with_small_tables() {
    EmulatorOptions options = needing_lids();
    options.linear_fdb_cap = 32;
    return options;
  }
  FewLids() : OwnLids(with_small_tables()) {}
};

//  14 LIDs of endports; LIDs 15 to 31 remain.
TEST_F(FewLids, LeaveVportsInInitWithoutALid) {
  start();
  EXPECT_TRUE(managed.report().up);
  std::size_t active = 0;
  for (unsigned n = 0; n < hosts(); ++n)
    for (std::uint16_t i = 1; i <= kOwnLidVports; ++i) {
      const VportInfo& info = vport(n, i).info;
      active += info.state == PortState::kActive ? 1 : 0;
      EXPECT_EQ(info.state == PortState::kActive, info.lid != kLidNone);
      EXPECT_LT(info.lid.value(), 32);
    }
  EXPECT_EQ(active, 31u - managed.fabric().endport_count());
  ASSERT_EQ(managed.report().warnings.size(), 1u);
  EXPECT_EQ(managed.report().warnings[0].find(
                fmt::format("{} virtual ports get no LID", hosts() * kOwnLidVports - active)),
            0u)
      << managed.report().warnings[0];
}

class AdaptiveOwnLids : public OwnLids {
 protected:
  static EmulatorOptions with_adaptive_switches() {
    EmulatorOptions options = needing_lids();
    options.adaptive = AdaptiveSwitches::kAnswered;
    options.private_lfts = FeatureDevices::kAll;
    options.notifications = true;
    options.devices = *parse_device_list("quantum,connectx-6");
    return options;
  }
  AdaptiveOwnLids() : OwnLids(with_adaptive_switches()) {}
};

TEST_F(AdaptiveOwnLids, HaveTheAdaptiveEntriesOfTheirHosts) {
  managed.options.routing_engine = {{"ar_updn"}, false};
  start();
  expect_own_lids();
  ASSERT_TRUE(snapshot()->routes.adaptive.has_value());
  const ArTables& tables = *snapshot()->routes.adaptive;
  std::size_t adaptive = 0;
  for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
    const auto& entries = managed.emulated().adaptive(SwitchId(s)).entries;
    for (const LidCopy& copy : snapshot()->copies) {
      const ArEntry entry = tables.entry(SwitchId(s), copy.of);
      EXPECT_EQ(tables.entry(SwitchId(s), copy.lid), entry);
      if (entry.state == ArState::kStatic) continue;
      ++adaptive;
      ASSERT_LT(copy.lid.value(), entries.size());
      EXPECT_TRUE(entries[copy.lid.value()] == entries[copy.of.value()]);
    }
  }
  EXPECT_GT(adaptive, 0u);
}

//  S0 with hosts H0 and H1; vports on H0.
class VportLidAssignment : public testing::Test {
 protected:
  VportLidAssignment() {
    observed_.fabric = Tiny(1).hosts(0, 2).build();
    observed_.nodes.resize(observed_.fabric.node_count());
    observed_.nodes[0].switch_info.linear_fdb_cap = 0xC000;
  }
  Guid host() const {
    return observed_.fabric.port(observed_.fabric.endport(EndportId(1)).port).guid;
  }
  Lid host_lid() const { return observed_.fabric.endport(EndportId(1)).lid; }
  static Vport vport_with(std::uint16_t index, unsigned lid, bool is_required = true) {
    Vport vport;
    vport.index = index;
    vport.info.state = PortState::kInit;
    vport.info.port_guid = Guid(0x7000u + index);
    vport.info.lid_required = is_required;
    vport.info.lid = Lid(static_cast<std::uint16_t>(lid));
    return vport;
  }
  void set_vports(std::vector<Vport> vports) {
    observed_.vports.set_host(host(), {{}, std::move(vports)}, TimeNs{0});
  }
  VportLids assign(bool reassign = false, bool keeps_current = false) {
    return assign_vport_lids({observed_, observed_.fabric, reassign, keeps_current, per_port_max_},
                             memory_, warnings_);
  }
  static Lid lid_of(unsigned value) { return Lid(static_cast<std::uint16_t>(value)); }

  Observed observed_;
  LidMemory memory_;
  std::vector<std::string> warnings_;
  unsigned per_port_max_ = 0;
};

TEST_F(VportLidAssignment, PrefersTheRecordedLidUnlessAnotherManagerWasMaster) {
  set_vports({vport_with(1, 20), vport_with(2, 0)});
  memory_[Guid(0x7001)] = {lid_of(30), 0};
  EXPECT_EQ(assign().of(Guid(0x7001)), lid_of(30));
  EXPECT_EQ(assign(false, true).of(Guid(0x7001)), lid_of(20));
  EXPECT_EQ(memory_.at(Guid(0x7001)).base, lid_of(20)) << "guid2lid must have the LID in use";
  memory_.clear();
  EXPECT_EQ(assign().of(Guid(0x7001)), lid_of(20)) << "without a record, the current LID stays";
  memory_.clear();
  EXPECT_NE(assign(true).of(Guid(0x7001)), lid_of(20));
}

TEST_F(VportLidAssignment, NeverUsesTheLidOfAnEndportOrOfAnotherVport) {
  set_vports({vport_with(1, host_lid().value()), vport_with(2, 20), vport_with(3, 20)});
  memory_[Guid(0x7001)] = {host_lid(), 0};
  const VportLids lids = assign();
  EXPECT_EQ(lids.of(Guid(0x7002)), lid_of(20));
  std::set<Lid> all;
  for (const auto& [guid, lid] : lids.all()) {
    EXPECT_EQ(observed_.fabric.endport_of(lid), kNoEndport);
    EXPECT_TRUE(is_unicast(lid));
    EXPECT_TRUE(all.insert(lid).second);
    EXPECT_EQ(lids.at(lid), guid);
  }
  EXPECT_EQ(all.size(), 3u);
}

TEST_F(VportLidAssignment, ReusesLidsOfAbsentGuidsLast) {
  set_vports({vport_with(1, 0), vport_with(2, 0)});
  const unsigned top = observed_.fabric.lid_top().value();
  memory_[Guid(0x9999)] = {lid_of(top + 1), 0};
  observed_.nodes[0].switch_info.linear_fdb_cap = static_cast<std::uint16_t>(top + 3);
  const VportLids lids = assign();
  EXPECT_EQ(lids.of(Guid(0x7001)), lid_of(top + 2));
  EXPECT_EQ(lids.of(Guid(0x7002)), lid_of(top + 1));
  EXPECT_FALSE(memory_.contains(Guid(0x9999))) << "guid2lid must not contain a LID twice";
}

/// Of the vports at a CA port, vports with a LID precede vports with a recorded LID, and these
/// precede other vports.
TEST_F(VportLidAssignment, EndsAtTheLimitOfTheCaPort) {
  per_port_max_ = 3;
  set_vports({vport_with(1, 0), vport_with(2, 0), vport_with(3, 30), vport_with(4, 0),
              vport_with(5, 31), vport_with(6, 0, false)});
  memory_[Guid(0x7004)] = {lid_of(33), 0};
  VportLids lids = assign();
  EXPECT_EQ(lids.all().size(), 3u);
  EXPECT_EQ(lids.of(Guid(0x7003)), lid_of(30));
  EXPECT_EQ(lids.of(Guid(0x7004)), lid_of(33));
  EXPECT_EQ(lids.of(Guid(0x7005)), lid_of(31));
  EXPECT_EQ(lids.over_limit(), (VportLids::ByHost{{host(), {Guid(0x7001), Guid(0x7002)}}}));
  EXPECT_TRUE(lids.is_over_limit({host(), 1}, Guid(0x7001)));
  EXPECT_FALSE(lids.is_over_limit({host(), 3}, Guid(0x7003)));
  EXPECT_FALSE(lids.is_over_limit({Guid(1), 1}, Guid(0x7001)));
  EXPECT_TRUE(warnings_.empty()) << "LIDs are free";
  per_port_max_ = 0;
  lids = assign();
  EXPECT_EQ(lids.all().size(), 5u);
  EXPECT_TRUE(lids.over_limit().empty());
}

/// All LIDs are new, so vports that have a LID do not precede other vports.
TEST_F(VportLidAssignment, LimitsByIndexIfAllLidsAreNew) {
  per_port_max_ = 1;
  set_vports({vport_with(1, 0), vport_with(2, 30)});
  EXPECT_NE(assign(true).of(Guid(0x7001)), kLidNone);
}

TEST_F(VportLidAssignment, CountsAbsentVportsAfterPresentVports) {
  per_port_max_ = 2;
  set_vports({vport_with(1, 0), vport_with(2, 0)});
  const VportLids before = assign();
  set_vports({vport_with(1, before.of(Guid(0x7001)).value()), vport_with(3, 0)});
  ASSERT_EQ(observed_.vports.absent().size(), 1u);
  VportLids lids = assign();
  EXPECT_NE(lids.of(Guid(0x7003)), kLidNone);
  EXPECT_EQ(lids.of(Guid(0x7002)), kLidNone) << "an absent vport keeps a LID of the limit";
  EXPECT_TRUE(lids.over_limit().empty()) << "absent vports need no LID";
  set_vports({vport_with(1, before.of(Guid(0x7001)).value())});
  lids = assign();
  EXPECT_EQ(lids.all().size(), 2u) << "one of two absent vports keeps its LID";
}

TEST_F(VportLidAssignment, OfOtherVportsIsTheLidOfTheNamedVportOrOfTheHost) {
  Vport named = vport_with(2, 0, false), of_host = vport_with(3, 0, false),
        of_lost = vport_with(4, 0, false);
  named.info.lid_by_vport_index = 1;
  of_lost.info.lid_by_vport_index = 9;
  set_vports({vport_with(1, 0), named, of_host, of_lost});
  const VportLids lids = assign();
  EXPECT_EQ(lids.all().size(), 1u);
  const auto lid = [&](std::uint16_t index) {
    return vport_lid(observed_.vports, lids, {host(), index}, host_lid());
  };
  EXPECT_EQ(lid(1), lids.of(Guid(0x7001)));
  EXPECT_EQ(lid(2), lid(1));
  EXPECT_EQ(lid(3), host_lid());
  EXPECT_EQ(lid(4), host_lid()) << "the named vport does not exist";
}

/// Without a LID in the corrupted answer, a Set follows; its answer has the GUID of the vport.
TEST_F(OwnLids, OfAnActiveVportAreKnownAgainAfterItsGuidWasReadCorrupted) {
  const Guid victim = guid(2, 1);
  const Guid corrupted(victim.value() ^ 0xE400F1000000);
  bool corrupts = false;
  std::unique_ptr<CorruptingWire> corrupting;
  managed.between = [&](SmpTransport& wire) -> SmpTransport& {
    return *(corrupting = std::make_unique<CorruptingWire>(wire, [&](Smp& smp) {
               if (!corrupts || smp.attribute != kVportInfo) return false;
               VportInfo info = decode_vport_info(smp.data);
               if (info.port_guid != victim) return false;
               info.port_guid = corrupted;
               info.lid = kLidNone;
               smp.data = encode(info);
               return true;
             }));
  };
  start();
  ASSERT_EQ(vport(2, 1).info.state, PortState::kActive);
  corrupts = true;
  managed.sm().request_full_discovery("test");
  managed.run_for(std::chrono::seconds(1));
  EXPECT_EQ(snapshot()->vports.find(victim), nullptr);
  EXPECT_FALSE(snapshot()->vports.owners().contains(corrupted));
  managed.run_for(std::chrono::seconds(90));
  EXPECT_NE(snapshot()->vports.find(victim), nullptr);
  expect_own_lids();
}

}  // namespace
}  // namespace weft
