// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Partitions on a fabric: the members, and the P_Key tables and enforcement bits that the manager
// writes.
#include "sm/partitions/partitions.h"

#include <gmock/gmock.h>

#include "sm/partitions/held_pkeys.h"
#include "support/managed_subnet.h"
#include "support/mutated.h"

namespace weft {
namespace {

using enum Membership;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using PkeyValues = std::vector<std::uint16_t>;

PartitionFile file_of(const std::string& text) {
  std::vector<std::string> warnings;
  auto file = parse_partitions(text, "p", warnings);
  CHECK(file.has_value());
  return std::move(*file);
}

//   H0 H1         H2
//     \|          |
//      S0 === S1--+
Fabric pair_of_switches() { return Tiny(2).link(0, 1, 2).hosts(0, 2).hosts(1).build(); }

EmulatorOptions with_pkey_capacity(std::uint16_t on_switches, std::uint16_t on_hosts) {
  EmulatorOptions options;
  options.switch_pkey_cap = on_switches;
  options.ca_pkey_cap = on_hosts;
  return options;
}

PortId port_of(const Fabric& fabric, Guid node, std::uint8_t port) {
  return fabric.port_id(*fabric.find_node(node), PortNum(port));
}
constexpr Guid kSwitch0(0x100), kSwitch1(0x101), kH0(0x10000), kH1(0x10010), kH2(0x10020);

class Partitions : public testing::Test {
 protected:
  Partitions() : managed(pair_of_switches()) {}

  void bring_up(const std::string& text) {
    managed.options.partitions = file_of(text);
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_managed(managed);
  }
  /// Applies another text of partitions.conf, and sweeps.
  void change(const std::string& text) {
    managed.emulated().reset_counters();
    managed.options.partitions = file_of(text);
    managed.sm().set_options(managed.options);
    managed.sm().request_heavy_sweep("partitions were read again");
    ASSERT_TRUE(managed.settle());
    expect_managed(managed);
  }
  /// The P_Key table of a port, all blocks, without empty entries at the end.
  PkeyValues table(Guid node, std::uint8_t port) const {
    PkeyValues entries;
    for (std::size_t block = 0; block < 4; ++block)
      for (const Pkey pkey :
           managed_fabric().pkeys(port_of(managed.fabric(), node, port), block).pkeys)
        entries.push_back(pkey.value());
    while (!entries.empty() && entries.back() == 0) entries.pop_back();
    return entries;
  }
  std::pair<bool, bool> enforcement(Guid node, std::uint8_t port) const {
    const PortInfo& info = managed_fabric().port_info(port_of(managed.fabric(), node, port));
    return {info.partition_enforcement_inbound, info.partition_enforcement_outbound};
  }
  const EmulatedFabric& managed_fabric() const {
    return const_cast<ManagedSubnet&>(managed).emulated();
  }
  ManagedSubnet managed;
};

TEST(ResolvedPartitions, KeywordsSelectTheirKindOfPort) {
  const Fabric fabric = pair_of_switches();
  const EndportId self = *fabric.find_endport(Guid(0x10001));
  std::vector<std::string> warnings;
  const auto ports = resolve_partitions(
      file_of("A=1: ALL_CAS=full; B=2: ALL_SWITCHES; C=3: SELF; D=4: ALL_ROUTERS; E=5: 0x10011;"),
      fabric, self, warnings);
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(ports[0].members, ElementsAre(PortMember{2, kLimited}, PortMember{0x7FFF, kLimited}));
  EXPECT_THAT(
      ports[self.value()].members,
      ElementsAre(PortMember{1, kFull}, PortMember{3, kLimited}, PortMember{0x7FFF, kFull}));
  EXPECT_THAT(
      ports[fabric.find_endport(Guid(0x10011))->value()].members,
      ElementsAre(PortMember{1, kFull}, PortMember{5, kLimited}, PortMember{0x7FFF, kLimited}));
}

TEST(ResolvedPartitions, LastRuleForAPortApplies) {
  const Fabric fabric = pair_of_switches();
  const std::size_t h0 = fabric.find_endport(Guid(0x10001))->value();
  std::vector<std::string> warnings;
  const auto resolved = [&](const std::string& text) {
    return resolve_partitions(file_of(text), fabric, EndportId(0), warnings)[h0];
  };
  EXPECT_EQ(resolved("A=1: ALL=full; A=1: 0x10001;").members[0].membership, kLimited);
  EXPECT_EQ(resolved("A=1: 0x10001, ALL=both;").members[0].membership, kBoth);
  EXPECT_EQ(resolved("A=1,indx0: ALL; B=2,indx0: ALL;").index0, 2);
  EXPECT_EQ(resolved("A=1,indx0: ALL; A=1: 0x10001;").index0, 0);
  EXPECT_EQ(resolved("A=1,indx0: ALL; B=2: ALL;").index0, 1);
  EXPECT_EQ(resolved("A=1,indx0: ALL; B=2,indx0: ALL; B=2: ALL;").index0, 0);
}

TEST(ResolvedPartitions, WarnsOfUnknownGuidsAndOfAManagerThatIsALimitedMember) {
  const Fabric fabric = pair_of_switches();
  std::vector<std::string> warnings;
  resolve_partitions(file_of("A=1:\n 0xdead;\nDefault: ALL;"), fabric, EndportId(0), warnings);
  EXPECT_THAT(warnings, ElementsAre("p:2: port GUID 0x000000000000dead is not in this fabric",
                                    HasSubstr("p: 'S0' (0x0000000000000100) port 0, the subnet "
                                              "manager's port, is a limited member")));
}

TEST_F(Partitions, AreSetOnEndportsAndTheirSwitchPorts) {
  bring_up("A=0x10: 0x10001=full, 0x10011, ALL_SWITCHES;");
  EXPECT_EQ(table(kH0, 1), (PkeyValues{0xFFFF, 0x8010}));  // the port of the manager
  EXPECT_EQ(table(kH1, 1), (PkeyValues{0x7FFF, 0x10}));
  EXPECT_EQ(table(kH2, 1), (PkeyValues{0x7FFF}));
  EXPECT_EQ(table(kSwitch0, 0), (PkeyValues{0x7FFF, 0x10}));
  EXPECT_EQ(table(kSwitch0, 3), (PkeyValues{0xFFFF, 0x8010}));
  EXPECT_EQ(table(kSwitch0, 4), (PkeyValues{0x7FFF, 0x10}));
  EXPECT_EQ(table(kSwitch1, 3), (PkeyValues{0x7FFF}));
  EXPECT_EQ(table(kSwitch0, 1), (PkeyValues{0xFFFF}));  // the port to the other switch is unchanged
  EXPECT_EQ(enforcement(kSwitch0, 3), std::pair(true, true));
  EXPECT_EQ(enforcement(kSwitch1, 3), std::pair(true, true));
  EXPECT_EQ(enforcement(kSwitch0, 1), std::pair(false, false));
}

TEST_F(Partitions, AllPortsAreFullMembersWithoutAFile) {
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.sets(AttributeId::kPkeyTable), 0u);  // the tables of power-up are kept
  EXPECT_EQ(table(kH2, 1), (PkeyValues{0xFFFF}));
  EXPECT_EQ(enforcement(kSwitch0, 3), std::pair(true, true));
  EXPECT_THAT(managed.report().warnings, IsEmpty());
}

TEST_F(Partitions, EnforcementIsInboundOutboundOrOff) {
  managed.options.part_enforce = PartEnforce::kIn;
  bring_up("A=0x10: ALL;");
  EXPECT_EQ(enforcement(kSwitch0, 3), std::pair(true, false));
  managed.options.part_enforce = PartEnforce::kOut;
  bring_up("A=0x10: ALL;");
  EXPECT_EQ(enforcement(kSwitch0, 3), std::pair(false, true));
  managed.options.no_partition_enforcement = true;
  bring_up("A=0x11: ALL;");
  EXPECT_EQ(enforcement(kSwitch0, 3), std::pair(false, false));
  EXPECT_EQ(table(kSwitch0, 3), (PkeyValues{0xFFFF, 0x10}));  // unchanged
  EXPECT_EQ(table(kH0, 1), (PkeyValues{0xFFFF, 0x11}));
}

TEST_F(Partitions, RestartWritesNoPkeyTables) {
  const std::string text = "A=0x10: ALL; B=0x20,indx0: 0x10001; C=0x30: ALL_CAS=both;";
  for (const bool both : {false, true}) {
    managed.options.allow_both_pkeys = both;
    bring_up(text);
    managed.emulated().reset_counters();
    bring_up(text);
    EXPECT_EQ(managed.sets(AttributeId::kPkeyTable), 0u);
    EXPECT_EQ(managed.sets(AttributeId::kPortInfo), 3u);  // with ClientReregister
  }
}

TEST_F(Partitions, AChangeWritesOnlyBlocksThatDiffer) {
  bring_up("A=0x10: ALL; B=0x20: ALL;");
  EXPECT_EQ(managed.sets(AttributeId::kPkeyTable), 8u);  // hosts, switches, ports to hosts
  change("A=0x10: ALL; B=0x20: ALL;");
  EXPECT_EQ(managed.sets(AttributeId::kPkeyTable), 0u);
  change("A=0x10: ALL; B=0x20: ALL; C=0x30: 0x10011=full;");
  EXPECT_EQ(managed.sets(AttributeId::kPkeyTable), 2u);
  EXPECT_EQ(managed.emulated().counters().requests(Method::kGet, AttributeId::kPkeyTable), 0u);
  EXPECT_EQ(table(kH1, 1), (PkeyValues{0x7FFF, 0x10, 0x20, 0x8030}));
  change("B=0x20: ALL; C=0x30: 0x10011=full;");
  EXPECT_EQ(table(kH1, 1), (PkeyValues{0x7FFF, 0, 0x20, 0x8030}));
  EXPECT_EQ(table(kSwitch0, 4), (PkeyValues{0x7FFF, 0x20, 0x8030}));
}

TEST_F(Partitions, PortsWithTheSamePartitionsKeepDifferentIndexes) {
  bring_up("A=0x10: 0x10011; B=0x20: 0x10021;");
  EXPECT_EQ(table(kH1, 1), (PkeyValues{0x7FFF, 0x10}));
  EXPECT_EQ(table(kH2, 1), (PkeyValues{0x7FFF, 0x20}));
  change("A=0x10: ALL; B=0x20: ALL;");
  EXPECT_EQ(table(kH1, 1), (PkeyValues{0x7FFF, 0x10, 0x20}));
  EXPECT_EQ(table(kH2, 1), (PkeyValues{0x7FFF, 0x20, 0x10}));
}

TEST_F(Partitions, LongTablesNeedMoreThanOneBlock) {
  std::string text;
  for (unsigned i = 0; i < 40; ++i) text += fmt::format("P{}={}: ALL_CAS;", i, i + 1);
  managed.options.part_enforce = PartEnforce::kOff;
  bring_up(text);
  EXPECT_EQ(table(kH1, 1).size(), 41u);
  EXPECT_EQ(table(kH1, 1).back(), 40u);
  change("A=0x10: ALL_CAS;");
  EXPECT_EQ(managed.sets(AttributeId::kPkeyTable), 6u);  // two blocks of each host
  EXPECT_EQ(table(kH1, 1).size(), 17u);
}

TEST_F(Partitions, RestartedHostGetsItsTable) {
  bring_up("A=0x10: ALL;");
  const NodeId h2 = *managed.fabric().find_node(kH2);
  managed.emulated().switch_off_node(h2);
  managed.run_for(std::chrono::minutes(1));
  managed.emulated().switch_on_node(h2);
  managed.run_for(std::chrono::minutes(1));
  expect_managed(managed);
  EXPECT_EQ(table(kH2, 1), (PkeyValues{0x7FFF, 0x10}));
  EXPECT_EQ(table(kSwitch1, 3), (PkeyValues{0x7FFF, 0x10}));
}

TEST(PartitionsOnSmallTables, AreReportedAndFilteredOnlyIfTheTableSuffices) {
  std::string text;
  for (unsigned i = 1; i <= 40; ++i) text += fmt::format("P{}={}: ALL_CAS;", i, i);
  ManagedSubnet managed(pair_of_switches(), with_pkey_capacity(32, 38));
  managed.options.partitions = file_of(text);
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().up);
  EXPECT_THAT(managed.report().warnings,
              Contains("'H1' (0x0000000000010010) port 1: P_Key table with 38 entries is full: no "
                       "entry for 0x0026, 0x0027, 0x0028"));
  EXPECT_THAT(managed.report().warnings,
              Contains(HasSubstr("'S0' (0x0000000000000100) port 4: the filter has 32 entries")));
  EXPECT_FALSE(managed.emulated()
                   .port_info(port_of(managed.fabric(), kSwitch0, 4))
                   .partition_enforcement_inbound);
}

TEST(PartitionsOnOldSwitches, AreNotEnforcedWithoutSwitchSupport) {
  ManagedSubnet managed(pair_of_switches(), with_pkey_capacity(0, 128));
  managed.options.partitions = file_of("A=0x10: ALL_CAS=full;");
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().up) << managed.report().error;
  EXPECT_FALSE(managed.emulated()
                   .port_info(port_of(managed.fabric(), kSwitch0, 4))
                   .partition_enforcement_inbound);
}

/// Damaged files are refused with the name of the file, or accepted. In an accepted file each port
/// has members in order, and a table with enough entries has all P_Keys.
TEST(DamagedPartitions, AreRefusedWithTheirPlaceOrApplied) {
  const Fabric fabric = pair_of_switches();
  const std::string text =
      "# all\nDefault=0x7fff,ipoib : ALL, SELF=full ;\nA=0x10,indx0,rate=3:0x10001=full,65553,\n"
      "ALL_SWITCHES=both ; B,defmember=full: mgid=ff12::1,sl=1,Q_Key=0xDEAD,scope=5\n 0x10021;\n";
  unsigned accepted = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed);
    const std::string content = seed == 0 ? text : damaged_copy(text, rng);
    std::vector<std::string> warnings;
    const auto file = parse_partitions(content, "p", warnings);
    for (const std::string& warning : warnings) ASSERT_TRUE(warning.starts_with("p:")) << warning;
    if (!file) {
      ASSERT_EQ(file.error().code, Code::kBadInput) << seed;
      ASSERT_TRUE(file.error().message.starts_with("p:")) << file.error().message;
      continue;
    }
    ++accepted;
    for (const PartitionGroup& group : partition_groups(*file))
      ASSERT_EQ(group.mgid[0], std::byte{0xFF}) << seed;
    const auto ports = resolve_partitions(*file, fabric, EndportId(0), warnings);
    for (const PortPartitions& port : ports) {
      ASSERT_FALSE(port.members.empty()) << seed;
      ASSERT_TRUE(std::ranges::is_sorted(port.members, {}, &PortMember::base)) << seed;
      ASSERT_TRUE(lay_out_pkeys(port, {}, 1000, true, true).left_out.empty()) << seed;
    }
  }
  EXPECT_GT(accepted, 200u);
}

}  // namespace
}  // namespace weft
