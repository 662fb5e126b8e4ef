// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Announcements of virtual ports by hosts. Vulnerability: each virtual port that requires a LID of
// its own got one, so that one host could use up the LIDs of the subnet.
#include "attacked_subnet.h"
#include "support/fabric_of.h"
#include "support/log_lines.h"

namespace weft::attacks {
namespace {

using std::chrono::seconds;

constexpr std::uint16_t kAnnounced = 1'500, kLidsOfSwitches = 1024, kLimitOfLids = 128;

class VportAttack : public ::testing::Test {
 protected:
  VportAttack() : subnet(fabric_of("fattree2:k=4"), {}, {}, emulator()) {}
  static EmulatorOptions emulator() {
    EmulatorOptions options;
    options.vports = 1;
    options.vport_cap = kAnnounced + 100;
    options.vports_need_lids = true;
    options.linear_fdb_cap = kLidsOfSwitches;
    return options;
  }
  /// Announces a vport with a GUID that was not used before.
  void announce(unsigned host) {
    ++announced_;
    ASSERT_TRUE(subnet.emulated().add_vport(
        subnet.port(host), {Guid(0x7700000000 + announced_), Guid(0x8800000000 + announced_), ""}));
  }
  std::size_t lids_of(unsigned host) {
    std::size_t lids = 0;
    const auto snapshot = subnet.sm().snapshot();
    for (const LidCopy& copy : snapshot->copies) lids += copy.of == subnet.lid(host) ? 1 : 0;
    return lids;
  }
  std::size_t named_over_limit() { return lines.count("virt_max_own_lids"); }

  AttackedSubnet subnet;
  LogLines lines;

 private:
  std::uint64_t announced_ = 0;
};

TEST_F(VportAttack, OneHostCannotUseUpTheLids) {
  ASSERT_TRUE(subnet.start());
  for (int i = 0; i < kAnnounced; ++i) announce(5);
  subnet.run_for(seconds(5));
  EXPECT_EQ(lids_of(5), kLimitOfLids);
  EXPECT_EQ(named_over_limit(), 1u);
  // Another host still gets a LID for its new virtual machine.
  announce(3);
  subnet.run_for(seconds(5));
  EXPECT_EQ(lids_of(3), 2u);
  EXPECT_TRUE(subnet.sm().last_report().up);
}

/// The GUID of a vanished vport keeps its LID for 10 s.
TEST_F(VportAttack, NewGuidsDoNotCircumventTheLimitOfLids) {
  ASSERT_TRUE(subnet.start());
  for (int round = 0; round < 20; ++round) {
    for (std::uint16_t i = 0; i < 100; ++i) announce(5);
    subnet.run_for(seconds(1));
    EXPECT_LE(lids_of(5), kLimitOfLids);
    const std::size_t top = subnet.emulated().virtual_ports(subnet.port(5))->vports.size();
    for (std::uint16_t i = 2; i < top; ++i) subnet.emulated().remove_vport(subnet.port(5), i);
    subnet.run_for(std::chrono::milliseconds(200));
    EXPECT_LE(lids_of(5), kLimitOfLids);
  }
  EXPECT_LE(named_over_limit(), 1u);
  EXPECT_EQ(lids_of(3), 1u);
}

}  // namespace
}  // namespace weft::attacks
