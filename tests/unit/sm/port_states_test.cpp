// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Light sweeps that read SwitchPortStateTable.
#include <gmock/gmock.h>

#include "ib/vendor/port_states.h"
#include "sm/discovery/port_state_reading.h"
#include "support/corrupting_wire.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::HasSubstr;

EmulatorOptions with_tables(PortStateTables support) {
  EmulatorOptions options;
  options.port_states = support;
  return options;
}

/// A subnet with a manager that reads SwitchPortStateTable, and handles no traps.
class SubnetWithTables {
 public:
  explicit SubnetWithTables(PortStateTables support = PortStateTables::kAnswered,
                            const std::string& spec = "fattree2:k=4")
      : managed(fabric_of(spec), with_tables(support)) {
    managed.options.light_sweep_spst = true;
    managed.options.sweep_on_trap = false;
  }
  ~SubnetWithTables() { managed.end_manager(); }
  SubnetWithTables(const SubnetWithTables&) = delete;
  SubnetWithTables& operator=(const SubnetWithTables&) = delete;

  /// Clears PortStateChange in all answers to the manager.
  void hide_port_state_changes() {
    managed.between = [this](SmpTransport& wire) -> SmpTransport& {
      return hiding.emplace(wire, [](Smp& smp) {
        auto info = smp.attribute == AttributeId::kSwitchInfo
                        ? decode_switch_info(smp.data)
                        : Result<SwitchInfo>(fail(Code::kBadField, "another attribute"));
        if (!info) return false;
        info->port_state_change = false;
        smp.data = encode(*info);
        return false;
      });
    };
  }
  std::uint64_t tables_read() {
    return managed.emulated().counters().requests(Method::kGet, kSwitchPortStateTable);
  }

  std::optional<CorruptingWire> hiding;
  ManagedSubnet managed;
};

TEST(PortStatesOfLightSweeps, FindChangesThatNoSwitchReports) {
  for (const bool reads_tables : {false, true}) {
    SubnetWithTables subnet;
    subnet.managed.options.light_sweep_spst = reads_tables;
    subnet.hide_port_state_changes();
    subnet.managed.start();
    ASSERT_TRUE(subnet.managed.settle());
    const std::size_t links = subnet.managed.known().link_count();
    // No directed route of the manager uses this cable.
    const PortId cut = subnet.managed.cable_between(SwitchId(1), SwitchId(5));
    subnet.managed.emulated().cut_cable(cut);
    subnet.managed.run_for(25 * kSecond);
    EXPECT_EQ(subnet.managed.known().link_count(), links - (reads_tables ? 1 : 0));
    if (!reads_tables) continue;
    EXPECT_TRUE(subnet.managed.report().discovered_incrementally);
    EXPECT_THAT(subnet.managed.report().reason, HasSubstr("port state DOWN, before ACTIVE"));
    subnet.managed.emulated().restore_cable(cut);
    subnet.managed.run_for(25 * kSecond);
    EXPECT_EQ(subnet.managed.known().link_count(), links);
    expect_managed(subnet.managed);
  }
}

/// Each light sweep sends one request for the table to each switch; other sweeps send none, and by
/// default no sweep does.
TEST(PortStatesOfLightSweeps, CostOneSmpPerSwitchThatAnnouncesTheTable) {
  for (const bool reads_tables : {false, true}) {
    SubnetWithTables subnet;
    subnet.managed.options.light_sweep_spst = reads_tables;
    subnet.managed.start();
    ASSERT_TRUE(subnet.managed.settle());
    EXPECT_EQ(subnet.tables_read(), 0u);
    const std::uint64_t sweeps = subnet.managed.sm().heavy_sweeps();
    subnet.managed.run_for(35 * kSecond);
    EXPECT_EQ(subnet.managed.sm().heavy_sweeps(), sweeps);
    EXPECT_EQ(subnet.tables_read(), reads_tables ? subnet.managed.sm().light_sweeps() *
                                                       subnet.managed.known().switch_count()
                                                 : 0u);
  }
}

TEST(PortStatesOfLightSweeps, CostNoSmpsIfNoSwitchAnnouncesTheTable) {
  const auto counts = [](bool reads_tables) {
    SubnetWithTables subnet(PortStateTables::kNone);
    subnet.managed.options.light_sweep_spst = reads_tables;
    subnet.managed.start();
    EXPECT_TRUE(subnet.managed.settle());
    subnet.managed.run_for(35 * kSecond);
    const EmulatorCounters& counters = subnet.managed.emulated().counters();
    return std::pair(counters.gets, counters.sets);
  };
  EXPECT_EQ(counts(true), counts(false));
}

/// Switches that refuse the request, or do not answer it, are queried once, then after pauses.
TEST(PortStatesOfLightSweeps, AreQueriedAfterPausesIfASwitchDoesNotAnswer) {
  SubnetWithTables subnet(PortStateTables::kMixed);
  subnet.managed.start();
  ASSERT_TRUE(subnet.managed.settle());
  const std::uint64_t sweeps = subnet.managed.sm().heavy_sweeps();
  subnet.managed.run_for(45 * kSecond);
  EXPECT_EQ(subnet.managed.sm().heavy_sweeps(), sweeps);
  const EmulatorCounters& counters = subnet.managed.emulated().counters();
  const std::uint64_t timeouts = counters.drops(Drop::kNoReceiver);
  const unsigned tries = subnet.managed.options.transaction_retries + 1;
  // 2 of 6 switches support the table, 1 refuses the request, and 1 does not respond.
  EXPECT_EQ(timeouts, tries);
  EXPECT_EQ(subnet.tables_read(), 2 * subnet.managed.sm().light_sweeps() + 1 + tries);
  subnet.managed.run_for(60 * kSecond);
  EXPECT_EQ(counters.drops(Drop::kNoReceiver), 2 * timeouts)
      << "switches that did not answer must be queried again after the pause";
  expect_managed(subnet.managed);
}

/// A table that contradicts PortInfo causes a further sweep only after a pause if the table is
/// unchanged, and immediately if it changed.
TEST(PortStateMemory, AnUnchangedTableDisagreesOnlyAfterPauses) {
  PortStateMemory memory;
  const Guid sw(7);
  PortStateBlock block;
  block.states[1] = PortState::kDown;
  const SmpData down = encode(block);
  block.states[1] = PortState::kInit;
  const SmpData init = encode(block);
  EXPECT_TRUE(memory.note_disagreement(sw, 0, down, 0 * kSecond));
  EXPECT_TRUE(memory.note_disagreement(sw, 0, down, 10 * kSecond))
      << "the second disagreement must count, because the port may have changed again";
  EXPECT_FALSE(memory.note_disagreement(sw, 0, down, 20 * kSecond));
  EXPECT_TRUE(memory.note_disagreement(sw, 0, init, 30 * kSecond));
  EXPECT_FALSE(memory.note_disagreement(sw, 0, init, 40 * kSecond));
  EXPECT_TRUE(memory.note_disagreement(sw, 0, init, 80 * kSecond))
      << "the table must disagree again a minute after the second disagreement";
  EXPECT_FALSE(memory.note_disagreement(sw, 0, init, 190 * kSecond)) << "the pause must double";
  memory.note_agreement(sw, 0);
  EXPECT_TRUE(memory.note_disagreement(sw, 0, init, 190 * kSecond));
  EXPECT_TRUE(memory.note_disagreement(sw, 1, init, 190 * kSecond))
      << "another block must have a separate pause";
}

}  // namespace
}  // namespace weft
