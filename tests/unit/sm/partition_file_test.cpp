// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// partitions.conf: grammar, multicast groups, warnings, and errors with file and line.
#include "sm/partitions/partition_file.h"

#include <gmock/gmock.h>

#include "base/rng.h"
#include "fabric/lids.h"
#include "sm/options.h"
#include "support/errors.h"
#include "support/temp_dir.h"
#include "support/tiny.h"

namespace weft {
namespace {

using enum Membership;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Parsed {
  std::vector<FiledPartition> partitions;  // without the implicit rules
  std::vector<std::string> warnings;
};

Parsed parsed(std::string_view text) {
  Parsed result;
  auto file = parse_partitions(text, "p", result.warnings);
  EXPECT_TRUE(file) << file.error().message;
  if (!file) return result;
  result.partitions.assign(file->partitions.begin() + 1, file->partitions.end());
  return result;
}

std::string error_of(std::string_view text) {
  std::vector<std::string> warnings;
  const auto file = parse_partitions(text, "p", warnings);
  return file ? "no error" : "p" + error_in("p", file);
}

std::vector<std::uint16_t> bases(std::string_view text) {
  std::vector<std::uint16_t> list;
  const Parsed file = parsed(text);
  for (const FiledPartition& partition : file.partitions) list.push_back(partition.base);
  return list;
}

std::vector<Membership> memberships(std::string_view text) {
  std::vector<Membership> list;
  const Parsed file = parsed(text);
  for (const FiledMember& member : file.partitions.at(0).members) list.push_back(member.membership);
  return list;
}

TEST(PartitionFile, EmptyFilesHaveTheRulesOfTheDefaultPartition) {
  for (const char* text : {"", " \n # nothing\n"}) {
    std::vector<std::string> warnings;
    const auto file = parse_partitions(text, "p", warnings);
    ASSERT_TRUE(file);
    ASSERT_EQ(file->partitions.size(), 1u);
    EXPECT_EQ(file->partitions[0].base, kDefaultPkeyBase);
    EXPECT_THAT(file->partitions[0].members,
                ElementsAre(FiledMember{MemberKind::kAll, kLimited, Guid(0), 0},
                            FiledMember{MemberKind::kSelf, kFull, Guid(0), 0}));
    EXPECT_TRUE(partition_groups(*file).empty());
  }
}

TEST(PartitionFile, AcceptsTheExamplesOfTheManualPage) {
  const Parsed file = parsed(R"(
 Default=0x7fff : ALL, SELF=full ;
 Default=0x7fff : ALL, ALL_SWITCHES=full, SELF=full ;
 NewPartition , ipoib : 0x123456=full, 0x3456789034=limi, 0x2134af2306 ;
 YetAnotherOne = 0x300 : SELF=full ;
 YetAnotherOne = 0x300 : ALL=limited ;
 ShareIO = 0x80 , defmember=full : 0x123451, 0x123452;
 # 0x123453, 0x123454 will be limited
 ShareIO = 0x80 : 0x123453, 0x123454, 0x123455=full;
 ShareIO = 0x80 : defmember=limited : 0x123456, 0x123457, 0x123458=full;
 ShareIO = 0x80 , defmember=full : 0x12345b, 0x12345c=limited, 0x12345d;
 Default=0x7fff,ipoib:
        mgid=ff12:401b::0707,sl=1 # random IPv4 group
        mgid=ff12:601b::16    # MLDv2-capable routers
        mgid=ff12::1,sl=1,Q_Key=0xDEADBEEF,rate=3,mtu=2 # random group
        ALL=full;
)");
  EXPECT_THAT(file.warnings, IsEmpty());
  ASSERT_EQ(file.partitions.size(), 10u);
  EXPECT_THAT(file.partitions[1].members,
              ElementsAre(FiledMember{MemberKind::kAll, kLimited, Guid(0), 3},
                          FiledMember{MemberKind::kAllSwitches, kFull, Guid(0), 3},
                          FiledMember{MemberKind::kSelf, kFull, Guid(0), 3}));
  EXPECT_EQ(file.partitions[2].name, "NewPartition");
  EXPECT_TRUE(file.partitions[2].ipoib);
  EXPECT_EQ(file.partitions[2].base, 1);
  EXPECT_EQ(file.partitions[2].members[2].guid, Guid(0x2134AF2306));
  EXPECT_EQ(file.partitions[5].members[1].membership, kFull);
  EXPECT_EQ(file.partitions[7].members[2].membership, kFull);
  EXPECT_EQ(file.partitions[9].groups.size(), 3u);
  EXPECT_EQ(file.partitions[9].groups[2].flags.qkey, 0xDEADBEEFu);
  EXPECT_EQ(file.partitions[9].members.size(), 1u);
}

TEST(PartitionFile, PkeysAreExplicitOrTheLowestFree) {
  EXPECT_THAT(bases("A=0x8030: ; B=48: ; =0x20:; :;"), ElementsAre(0x30, 0x30, 0x20, 1));
  EXPECT_THAT(bases("C:; D:; B=0x3:; E:; F=0xffff:; Default:; Default,ipoib:;"),
              ElementsAre(1, 2, 3, 4, 0x7FFF, 0x7FFF, 0x7FFF));
  const Parsed zero = parsed("A=0x8000: ALL;");
  EXPECT_EQ(zero.partitions[0].base, 1);
  EXPECT_THAT(zero.warnings, ElementsAre(HasSubstr("expected a P_Key other than 0")));
}

TEST(PartitionFile, MembersAreGuidsInAnyNotationOrKeywords) {
  const Parsed file =
      parsed("My own = 0x1, indx0:\n 0x1F=full,\n 31 ,ALL_CAS,ALL_ROUTERS = b,, SELF=\n;");
  EXPECT_THAT(file.warnings, IsEmpty());
  EXPECT_EQ(file.partitions[0].name, "My own");
  EXPECT_TRUE(file.partitions[0].index0);
  EXPECT_THAT(file.partitions[0].members,
              ElementsAre(FiledMember{MemberKind::kGuid, kFull, Guid(31), 2},
                          FiledMember{MemberKind::kGuid, kLimited, Guid(31), 3},
                          FiledMember{MemberKind::kAllCas, kLimited, Guid(0), 3},
                          FiledMember{MemberKind::kAllRouters, kBoth, Guid(0), 3},
                          FiledMember{MemberKind::kSelf, kLimited, Guid(0), 3}));
}

TEST(PartitionFile, TheDefaultMembershipIsSetByEachDefinition) {
  EXPECT_THAT(memberships("A=1: ALL, SELF=full;"), ElementsAre(kLimited, kFull));
  EXPECT_THAT(memberships("A=1,defmember=full: ALL, SELF=limited;"), ElementsAre(kFull, kLimited));
  EXPECT_THAT(memberships("A=1,defmember=both: ALL, SELF=f;"), ElementsAre(kBoth, kFull));
  EXPECT_THAT(memberships("A=1: defmember=full, ALL;"), ElementsAre(kFull));
  const Parsed second = parsed("A=1,defmember=full: ALL; A=1: ALL;");
  EXPECT_EQ(second.partitions[1].members[0].membership, kLimited);
}

TEST(PartitionFile, WarnsOfInvalidInputThatOpenSmAccepts) {
  EXPECT_THAT(parsed("A=1: ALL=xyz;").warnings,
              ElementsAre("p:1:10: found 'xyz', expected full, limited or both: taken as limited"));
  EXPECT_THAT(parsed("A=1,zork=3,ipoib=1:\n ALL;").warnings,
              ElementsAre("p:1:5: unknown flag 'zork': left out"));
  EXPECT_THAT(parsed("A=1:\n  ALL_VCAS, SELF;").warnings,
              ElementsAre(HasSubstr("p:2:3: ALL_VCAS")));
  EXPECT_THAT(parsed("A=1: ALL").warnings,
              ElementsAre("p:1:9: found the end of the file, expected ';'"));
  EXPECT_THAT(parsed("A=1: mgid=ff12::1,color=red\n;").warnings,
              ElementsAre("p:1:19: unknown flag 'color': left out"));
  EXPECT_THAT(parsed("A=1: mgid=ff12:401b::1\n;").warnings,
              ElementsAre(HasSubstr("p:1: an IP group in a partition without ipoib")));
}

TEST(PartitionFile, LimitsTheNumberOfWarnings) {
  std::string text = "A=0x8001: ALL";
  for (std::size_t i = 0; i < Warnings::kMax + 5; ++i) text += ", ALL_VCAS";
  const Parsed file = parsed(text + ";");
  ASSERT_EQ(file.warnings.size(), Warnings::kMax + 1);
  EXPECT_EQ(file.warnings.back(), "5 more warnings are left out");
}

TEST(PartitionFile, RefusesInvalidInput) {
  EXPECT_EQ(error_of("A=zork: ALL;"), "p:1:3: found 'zork', expected a P_Key, a number of 16 bits");
  EXPECT_EQ(error_of("A=0x10030: ;"),
            "p:1:3: found '0x10030', expected a P_Key, a number of 16 bits");
  EXPECT_EQ(error_of("A=1 ALL=full;"),
            "p:1:5: found 'ALL', expected ',' or ':' in a partition's definition");
  EXPECT_EQ(error_of("\n ALL=full;"), "p:2:6: found 'full', expected a P_Key, a number of 16 bits");
  EXPECT_EQ(error_of("A=1;"), "p:1:4: found ';', expected ',' or ':' in a partition's definition");
  EXPECT_EQ(error_of("A=1: ALL;\nB"),
            "p:2:2: found the end of the file, expected ',' or ':' in a partition's definition");
  EXPECT_THAT(error_of("A=1:\n  zork=full;"),
              HasSubstr("p:2:3: found 'zork', expected a port GUID"));
  EXPECT_THAT(error_of("A=1: all;"), HasSubstr("p:1:6: found 'all', expected a port GUID"));
  EXPECT_THAT(error_of("A=1: 0x0;"), HasSubstr("p:1:6: found '0x0', expected a port GUID"));
  EXPECT_THAT(error_of("A=1: 0x11112222333344445;"), HasSubstr("expected a port GUID"));
  EXPECT_EQ(error_of("A=1: 0x10=full 0x11;"),
            "p:1:16: found '0x11', expected ',' or ';' after a member");
  EXPECT_EQ(error_of("A=1: ALL : SELF;"), "p:1:10: found ':', expected ',' or ';' after a member");
  EXPECT_EQ(error_of("A=1,rate: ;"),
            "p:1:9: found ':', expected '=' and a rate's code from 2 to 26");
  EXPECT_EQ(error_of("A=1,mtu=9: ;"), "p:1:9: found '9', expected an MTU's code from 1 to 5");
  EXPECT_EQ(error_of("A=1,sl=16: ;"), "p:1:8: found '16', expected an SL from 0 to 15");
  EXPECT_EQ(error_of("A=1,scope=16: ;"), "p:1:11: found '16', expected a scope from 0 to 15");
  EXPECT_EQ(error_of("A=1: mgid=fe80::1\n;"),
            "p:1:11: found 'fe80::1', expected a multicast GID such as ff12:401b::16");
  EXPECT_THAT(error_of("A=1: mgid ff12::1;"), HasSubstr("p:1:11: found 'ff12', expected '='"));
  EXPECT_THAT(error_of("A=1: mgid=;"), HasSubstr("p:1:11: found ';', expected a multi"));
  EXPECT_THAT(error_of("A=1: mgid=ff12::1, ALL=full;"),
              HasSubstr("p:1:20: found 'ALL', expected a flag"));
  EXPECT_THAT(error_of("A=1: mgid=ff12::1 ALL=full;"),
              HasSubstr("p:1:19: found 'ALL', expected ','"));
}

TEST(PartitionFile, RefusesIpGroupsThatContradictTheirPartition) {
  EXPECT_EQ(error_of("A=0x30,ipoib:\n mgid=ff12:401b:8031::6\n;"),
            "p:2: found P_Key 0x8031 in the MGID of an IP group, expected 0x8030 or 0");
  EXPECT_EQ(error_of("A=0x30,ipoib: mgid=ff12:401b::7,rate=7\n;"),
            "p:1: found rate=7 of an IP group, expected 3 as the broadcast group has");
  EXPECT_EQ(error_of("A=0x30,ipoib,mtu=5: ;\nA=0x30: mgid=ff12:601b::7\n;"),
            "p:2: found mtu=4 of an IP group, expected 5 as the broadcast group has");
  EXPECT_EQ(error_of("A=0x30,ipoib,mtu=5,rate=7: mgid=ff12:601b::7\n;"), "no error");
}

TEST(PartitionFile, FailsIfNoPkeyIsFree) {
  std::string text;
  for (unsigned i = 0; i < 0x7FFF; ++i) text += ":;";
  EXPECT_THAT(error_of(text), HasSubstr("expected no more partitions"));
}

std::string mgid(const PartitionGroup& group) {
  std::string text;
  for (const std::byte b : group.mgid) text += fmt::format("{:02x}", std::to_integer<unsigned>(b));
  return text;
}

std::vector<PartitionGroup> groups(std::string_view text) {
  std::vector<std::string> warnings;
  return partition_groups(*parse_partitions(text, "p", warnings));
}

TEST(PartitionGroups, TheBroadcastGroupHasTheFlagsOfTheFirstDefinition) {
  const auto found = groups(
      "B=0x30,ipoib,rate=4,sl=2,TClass=7,FlowLabel=9: ALL; B=0x30,ipoib,rate=7: ALL; C=0x31: ;");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(mgid(found[0]), "ff12401b8030000000000000ffffffff");
  PartitionGroup want;
  want.mgid = found[0].mgid;
  want.pkey = Pkey(0x8030);
  want.rate = 4;
  want.sl = 2;
  want.tclass = 7;
  want.flow_label = 9;
  want.qkey = 0x0B1B;
  want.broadcast = true;
  want.partition = "B";
  EXPECT_EQ(found[0], want);
}

TEST(PartitionGroups, InheritFlagsAndHaveThePkeyAndScopesInTheirMgids) {
  const auto found = groups(
      "A=0x30,ipoib,sl=3:\n mgid=ff12:401b::707,sl=1\n mgid=ff12:401b::707\n"
      " mgid=ff12::1,Q_Key=5,mtu=2\n mgid=ff12::2,scope=5,scope=0xe\n ALL;");
  ASSERT_EQ(found.size(), 5u);
  EXPECT_TRUE(found[0].broadcast);
  EXPECT_EQ(mgid(found[1]), "ff12401b803000000000000000000707");
  EXPECT_EQ(found[1].sl, 1);
  EXPECT_EQ(found[1].qkey, 0x0B1Bu);
  EXPECT_EQ(mgid(found[2]), "ff120000000000000000000000000001");
  EXPECT_EQ(found[2].sl, 3);
  EXPECT_EQ(found[2].mtu, 2);
  EXPECT_EQ(found[2].qkey, 5u);
  EXPECT_EQ(mgid(found[3]), "ff150000000000000000000000000002");
  EXPECT_EQ(mgid(found[4]), "ff1e0000000000000000000000000002");
}

TEST(PartitionGroups, WithoutAFileTheDefaultPartitionHasIpoib) {
  const auto found = partition_groups(partitions_without_file());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(mgid(found[0]), "ff12401bffff000000000000ffffffff");
}

TEST(PartitionFile, WarnsOfAMissingFile) {
  TempDir dir;
  std::vector<std::string> warnings;
  const auto file = read_partition_file(dir / "none", warnings);
  ASSERT_TRUE(file);
  EXPECT_EQ(*file, partitions_without_file());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr(dir / "none")));
}

}  // namespace
}  // namespace weft
