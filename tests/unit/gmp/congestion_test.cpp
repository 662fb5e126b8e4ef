// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Congestion control: parsing of its settings, encoding, and programming of an emulated fabric.
#include "gmp/addresses.h"
#include "gmp/congestion_manager.h"
#include "gmp/congestion_text.h"
#include "support/performance_subnet.h"
#include "unit/gmp/number_at.h"

namespace weft {
namespace {

/// The values of tests/interop/congestion_test.py, for which OpenSM 3.3.23 sends the same bytes.
CongestionOptions example() {
  CongestionOptions options;
  options.congestion_control = true;
  options.cc_key = 0x1122334455667788;
  options.switches = {0x1F, *parse_port_mask("0x102"), {}, 15, 3, 7, {3, 16383}, 999};
  options.cas.port_control = 1;
  options.cas.control_map = 3;
  options.cas.entries[0] = {100, 2, 5, 1};
  options.cas.entries[15] = {77, 0, 0, 0};
  for (unsigned i = 0; i < 70; ++i)
    options.cct.push_back({static_cast<std::uint8_t>(i % 4), static_cast<std::uint16_t>(i)});
  return options;
}

TEST(CongestionWire, EncodesSwitchSettings) {
  const CongestionData data = encode(example().switches);
  EXPECT_EQ(number_at(data, 0, 4), 0x1Fu);
  EXPECT_EQ(number_at(data, 28, 8), 0x102u);  // the end of the victim mask
  EXPECT_EQ(number_at(data, 36, 8), 0u);
  EXPECT_EQ(number_at(data, 68, 8), 0xF003'7000'FFFF'03E7u);
  EXPECT_EQ(decode_switch_congestion_setting(data), example().switches);
}

TEST(CongestionWire, EncodesCaSettings) {
  const CongestionData data = encode(example().cas);
  EXPECT_EQ(number_at(data, 0, 4), 0x0001'0003u);
  EXPECT_EQ(number_at(data, 4, 8), 0x0064'0205'0100'0000u);
  EXPECT_EQ(number_at(data, 4 + 15 * 8, 8), 0x004D'0000'0000'0000u);
  EXPECT_EQ(decode_ca_congestion_setting(data), example().cas);
}

TEST(CongestionWire, EncodesTheShiftInTheTopTwoBitsOfTableEntries) {
  CongestionControlTable table;
  table.ccti_limit = 69;
  table.entries[0] = {0, 1};
  table.entries[63] = {3, 4000};
  const CongestionData data = encode(table);
  EXPECT_EQ(number_at(data, 0, 8), 0x0045'0000'0001'0000u);
  EXPECT_EQ(number_at(data, 4 + 2 * 63, 2), 0xCFA0u);
  EXPECT_EQ(decode_congestion_control_table(data), table);
}

TEST(CongestionText, RejectsInvalidMasksAndTableEntries) {
  EXPECT_EQ(parse_port_mask("0x102")->count(), 2u);
  EXPECT_TRUE((*parse_port_mask("0x" + std::string(64, 'f')))[255]);
  for (const auto* text : {"", "0x", "102", "0xg"}) EXPECT_FALSE(parse_port_mask(text)) << text;
  EXPECT_FALSE(parse_port_mask("0x" + std::string(65, '0')));
  EXPECT_EQ(*parse_cct_entry("3:16383"), (CctEntry{3, 16383}));
  for (const auto* text : {"", "3", "4:1", "3:16384", ":", "1:2:3", "-1:2"})
    EXPECT_FALSE(parse_cct_entry(text)) << text;
  EXPECT_TRUE(parse_cct("")->empty());
  EXPECT_EQ(parse_cct("0:1, 1:2")->size(), 2u);
  const auto wrong = parse_cct("0:1,1:2,7:1");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message.substr(0, 22), "entry 3: found '7:1', ");
  EXPECT_FALSE(parse_cct("0:1,"));
  std::string many = "0:1";
  for (std::size_t i = 0; i < kCctEntriesMax; ++i) many += ",0:1";
  EXPECT_EQ(parse_cct(many).error().message, "found " + std::to_string(kCctEntriesMax + 1) +
                                                 " entries, expected at most " +
                                                 std::to_string(kCctEntriesMax));
}

class Congestion : public ::testing::Test {
 protected:
  void SetUp() override {
    managed.start();
    ASSERT_TRUE(managed.settle());
    const Snapshot& snapshot = *managed.sm().snapshot();
    own_endport = *managed.fabric().find_endport(
        snapshot.fabric.port(snapshot.fabric.endport(snapshot.sm).port).guid);
    wire = &managed.emulated().attach_gmps(own_endport, kCongestionClass);
  }
  void run(CongestionManager& manager) {
    manager.step();
    while (!manager.settled()) {
      wire->wait_until(manager.next_event());
      manager.step();
    }
  }
  CongestionAgent& agent(EndportId endport) {
    return managed.emulated().congestion_agent(managed.fabric().endport(endport).port);
  }
  ManagedSubnet managed{fabric_of("fattree2:k=4")};
  EndportId own_endport;
  GmpTransport* wire = nullptr;
  CongestionOptions options = example();
};

TEST_F(Congestion, SendsSettingsToAllDevices) {
  CongestionManager manager(*wire, managed.emulated().clock(), options);
  manager.publish(managed.sm().snapshot());
  run(manager);
  const Fabric& fabric = managed.fabric();
  EXPECT_EQ(manager.counts().sent, fabric.switch_count() + 3 * fabric.ca_count());
  EXPECT_EQ(manager.counts().answered, manager.counts().sent);
  for (std::uint32_t i = 0; i < fabric.endport_count(); ++i) {
    const CongestionAgent& got = agent(EndportId(i));
    if (i < fabric.switch_count()) {
      EXPECT_EQ(got.switch_setting, options.switches);
      EXPECT_EQ(got.sets, 1u);
      continue;
    }
    EXPECT_EQ(got.ca_setting, options.cas);
    ASSERT_EQ(got.table.size(), 2u);
    EXPECT_EQ(got.table.at(0).entries[63], options.cct[63]);
    EXPECT_EQ(got.table.at(1).entries[5], options.cct[69]);
    EXPECT_EQ(got.table.at(1).entries[6], CctEntry{});
    EXPECT_EQ(got.table.at(1).ccti_limit, 69);
  }
}

TEST_F(Congestion, RoundsBeginAfterSweepsButNotAfterUpdates) {
  SubnetManager& sm = managed.sm();
  const auto first = sm.snapshot();
  EXPECT_TRUE(begins_round(nullptr, first.get()));
  EXPECT_TRUE(begins_round(first.get(), nullptr));
  EXPECT_FALSE(begins_round(nullptr, nullptr));

  const Fabric& fabric = first->fabric;
  const Guid host = fabric.port(fabric.endport(first->sm).port).guid;
  sm.set_multicast_groups({{Lid(0xC001), {host}, {}, ""}});
  managed.run_for(5 * kSecond);
  ASSERT_EQ(sm.updates(), 1u);
  const auto updated = sm.snapshot();
  ASSERT_NE(updated, first);
  EXPECT_FALSE(begins_round(first.get(), updated.get()));

  sm.request_heavy_sweep("asked for");
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(begins_round(updated.get(), sm.snapshot().get()));
}

TEST_F(Congestion, SendsTheKeyAndLogsDevicesWithAnotherKeyOnce) {
  const EndportId last(managed.fabric().endport_count() - 1);
  agent(last).cc_key = 7;
  agent(EndportId(0)).cc_key = options.cc_key;
  options.client.outstanding_max = 2;
  CongestionManager manager(*wire, managed.emulated().clock(), options);
  const LogLines log;
  for (int sweep = 0; sweep < 2; ++sweep) {
    manager.publish(managed.sm().snapshot());
    run(manager);
  }
  EXPECT_EQ(agent(last).sets, 0u);
  EXPECT_EQ(agent(EndportId(0)).sets, 2u);
  EXPECT_EQ(log.count("no answer"), 1u);
  EXPECT_EQ(manager.counts().silent, 6u);
}

TEST_F(Congestion, SendsNothingUnlessEnabledAndMaster) {
  options.congestion_control = false;
  CongestionManager manager(*wire, managed.emulated().clock(), options);
  manager.publish(managed.sm().snapshot());
  run(manager);
  EXPECT_EQ(manager.counts().sent, 0u);
  options.congestion_control = true;
  manager.publish(nullptr);
  manager.set_options(options);
  run(manager);
  EXPECT_EQ(manager.counts().sent, 0u);
}

TEST_F(Congestion, RepeatsRequestsAfterLostPackets) {
  CongestionManager manager(*wire, managed.emulated().clock(), options);
  managed.emulated().set_faults({.lost = 0.05, .doubled = 0.1, .late = 0.1});
  manager.publish(managed.sm().snapshot());
  run(manager);
  EXPECT_EQ(manager.counts().answered, manager.counts().sent);
}

}  // namespace
}  // namespace weft
