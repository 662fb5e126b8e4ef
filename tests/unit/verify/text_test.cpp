// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The texts of a verdict: each kind of failure, and the order of several failures.
#include <gtest/gtest.h>

#include "support/tiny.h"
#include "unit/verify/tables.h"
#include "verify/failure_text.h"

namespace weft {
namespace {

TEST(VerdictText, IsEmptyWithoutAFailure) {
  Verdict verdict;
  verdict.ca_to_ca = {6, 6, 0};
  verdict.multicast.copies = verdict.multicast.arrived = 3;
  EXPECT_EQ(failure_text(verdict), "");
  EXPECT_EQ(multicast_failure(verdict), "");
  EXPECT_EQ(all_failures(verdict), "");
}

TEST(VerdictText, ListsEachKindOfUnicastFailure) {
  Verdict verdict;
  verdict.ca_to_ca = {9, 5, 1};
  verdict.ca_to_switch = {8, 6, 0};
  verdict.switch_to_ca = {7, 6, 0};
  verdict.switch_to_switch = {5, 0, 0};
  verdict.loops = 2;
  verdict.lanes_missing = 4;
  verdict.credit_loop.resize(3);
  verdict.switch_credit_loop.resize(5);
  EXPECT_EQ(
      failure_text(verdict),
      "1 of 9 CA pairs are not connected by cables; 3 of 9 CA pairs are not connected; "
      "2 of 8 CA to switch pairs are not connected; 1 of 7 switch to CA pairs are not "
      "connected; 2 forwarding loops; 4 ports use VLs that their links do not have; "
      "a credit loop over 3 channels; a credit loop over 5 channels with packets of switches");
}

TEST(VerdictText, ListsASingleFailure) {
  Verdict verdict;
  verdict.loops = 1;
  EXPECT_EQ(failure_text(verdict), "1 forwarding loop");
  verdict = {};
  verdict.lanes_missing = 1;
  EXPECT_EQ(failure_text(verdict), "1 port uses VLs that its link does not have");
  verdict = {};
  verdict.ca_to_ca = {2, 1, 1};
  EXPECT_EQ(failure_text(verdict), "1 of 2 CA pairs are not connected by cables");
}

TEST(VerdictText, ListsEachKindOfMulticastFailure) {
  Verdict verdict;
  verdict.multicast.copies = 7;
  verdict.multicast.arrived = 6;
  EXPECT_EQ(multicast_failure(verdict), "1 of 7 copies do not arrive");
  verdict.multicast.twice = 1;
  verdict.multicast.loops = 1;
  verdict.multicast.non_member_copies = verdict.multicast.dead_ports = 9;  // these are no failures
  verdict.multicast_credit_loop.resize(4);
  EXPECT_EQ(multicast_failure(verdict),
            "1 of 7 copies do not arrive; 1 duplicate copy delivered; 1 copy loops; "
            "a credit loop over 4 channels together with unicast");
  EXPECT_EQ(all_failures(verdict), "multicast: " + multicast_failure(verdict));
  verdict.multicast.twice = verdict.multicast.loops = 2;
  EXPECT_EQ(multicast_failure(verdict),
            "1 of 7 copies do not arrive; 2 duplicate copies delivered; 2 copies loop; "
            "a credit loop over 4 channels together with unicast");
  verdict.loops = 3;
  EXPECT_EQ(all_failures(verdict), "3 forwarding loops; multicast: " + multicast_failure(verdict));
}

TEST(VerdictText, DescribesEachFaultOfACopy) {
  const Fabric fabric = Tiny(1).hosts(0, 2).build();
  const EndportId h0 = fabric.endports_at(kS0)[0], h1 = fabric.endports_at(kS0)[1];
  const std::string from = "'H0' (0x0000000000010000) port 1 to 0xC000: ";
  const std::string to = " 'H1' (0x0000000000010010) port 1";
  const Lid mlid(0xC000);
  EXPECT_EQ(describe(fabric, CopyFailure{mlid, h0, CopyFault::kMissing, h1}),
            from + "no copy delivered to" + to);
  EXPECT_EQ(describe(fabric, CopyFailure{mlid, h0, CopyFault::kTwice, h1}),
            from + "duplicate copies at" + to);
  EXPECT_EQ(describe(fabric, CopyFailure{mlid, h0, CopyFault::kNonMember, h1}),
            from + "copy delivered to non-member" + to);
  const std::string place = " 'S0' (0x0000000000000100) port 4";
  const auto at_port = [&](CopyFault fault) {
    return describe(fabric, CopyFailure{mlid, h0, fault, kNoEndport, kS0, PortNum(4)});
  };
  EXPECT_EQ(at_port(CopyFault::kTwice), from + "duplicate copies at" + place);
  EXPECT_EQ(at_port(CopyFault::kLoop), from + "copies loop at" + place);
  EXPECT_EQ(at_port(CopyFault::kDeadPort), from + "copy sent to a port without link at" + place);
}

//  H0 - S0 - S1 - H1
TEST(VerdictText, DescribesTheHopsOfACycle) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  CycleHop hop{fabric.first_channel(kS0), Vl(1), fabric.endports_at(kS0)[0],
               fabric.endport(fabric.endports_at(kS1)[0]).lid, Sl(3)};
  const std::string channel =
      "  'S0' (0x0000000000000100) port 1 -> 'S1' (0x0000000000000101) port 1 on VL 1: ";
  EXPECT_EQ(
      describe_cycle(fabric, {&hop, 1}),
      channel + "packets of 'H0' (0x0000000000010000) to LID 4 ('H1' (0x0000000000010010))\n");
  hop.reply = true;
  EXPECT_EQ(describe_cycle(fabric, {&hop, 1}),
            channel +
                "replies of 'H0' (0x0000000000010000) to LID 4 ('H1' (0x0000000000010010)) "
                "on SL 3\n");
  hop.reply = false;
  hop.lid = Lid(0xC001);
  EXPECT_EQ(describe_cycle(fabric, {&hop, 1}),
            channel + "packets of 'H0' (0x0000000000010000) to multicast LID 0xC001\n");
}

}  // namespace
}  // namespace weft
