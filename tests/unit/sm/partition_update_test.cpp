// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes of partitions with members that may not exist: edits of index 0 and of flags, sequences
// of edits, and members that are alias GUIDs.
#include "sm/partitions/partition_update.h"

#include <gmock/gmock.h>

#include "base/rng.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using enum Membership;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = PartitionChange::Kind;
using Wanted = PartitionChange::Wanted;

std::optional<bool> keyword_includes(MemberKind kind, Guid port) {
  if (kind == MemberKind::kAll) return true;
  if (port == Guid(0x999)) return std::nullopt;
  return kind == MemberKind::kAllCas;
}

std::string with_members(const std::string& text, std::vector<Wanted> set, std::uint16_t base = 1) {
  PartitionChange change;
  change.base = base;
  change.set = std::move(set);
  const auto edited = edit_partitions(text, "p", change, &keyword_includes);
  return edited ? edited->text : "error: " + edited.error().message;
}

std::string with_flags(const std::string& text, PartitionChange::Flags flags,
                       std::uint16_t base = 1) {
  PartitionChange change;
  change.kind = Kind::kFlags;
  change.base = base;
  change.flags = flags;
  const auto edited = edit_partitions(text, "p", change, &keyword_includes);
  return edited ? edited->text : "error: " + edited.error().message;
}

TEST(PartitionIndex0, MovesAMemberToADefinitionWithOrWithoutIndx0) {
  EXPECT_EQ(with_members("A=1: 2, 3;\n", {{Guid(2), kFull, true}}),
            "A=1: 3;\nA=0x0001, indx0 :\n    0x0000000000000002=full ;\n");
  EXPECT_EQ(with_members("A=1, indx0: 2, 3;\nA=1: 4;", {{Guid(2), kLimited, false}}),
            "A=1, indx0: 3;\nA=1: 4,\n    0x0000000000000002=limited;");
  EXPECT_EQ(with_members("A=1,indx0: 2=full;\nA=1: 4;", {{Guid(5), kFull, true}}),
            "A=1,indx0: 2=full,\n    0x0000000000000005=full;\nA=1: 4;");
}

TEST(PartitionIndex0, ChangesNothingIfAlreadyAsRequested) {
  for (const char* text :
       {"A=1,indx0: 2=full;", "A=1: 2; A=1,indx0: 2=full;", "A=1,indx0: ALL=full;"})
    EXPECT_EQ(with_members(text, {{Guid(2), kFull, true}}), text);
  EXPECT_EQ(with_members("A=1,indx0: 2=full;", {{Guid(2), kFull}}), "A=1,indx0: 2=full;");
}

TEST(PartitionIndex0, AddsADefinitionAfterKeywordsThatWouldOverrideTheMember) {
  EXPECT_EQ(with_members("A=1,indx0: 3;\nA=1: ALL;\n", {{Guid(2), kFull, true}}),
            "A=1,indx0: 3;\nA=1: ALL;\nA=0x0001, indx0 :\n    0x0000000000000002=full ;\n");
  EXPECT_EQ(with_members("A=1: 2=full;", {{Guid(2), kFull, true}, {Guid(3), kFull, false}}),
            "A=1:\n    0x0000000000000003=full;\n"
            "A=0x0001, indx0 :\n    0x0000000000000002=full ;\n");
  EXPECT_THAT(with_members("A=1: 2", {{Guid(3), kFull, true}}), HasSubstr("has no ';'"));
}

TEST(PartitionFlags, AreSetInPlace) {
  EXPECT_EQ(with_flags("A=1 : 2; # a\n", {.ipoib = true}), "A=1, ipoib : 2; # a\n");
  EXPECT_EQ(with_flags("A=1, ipoib, mtu=4 : 2;", {.mtu = 5, .sl = 3}),
            "A=1, ipoib, mtu=5, sl=3 : 2;");
  EXPECT_EQ(with_flags("A=1: 2;\nA=1, rate=3 ,ipoib,indx0 : 3;", {.rate = 7}),
            "A=1: 2;\nA=1 ,ipoib,indx0, rate=7 : 3;");
  EXPECT_EQ(with_flags("A=1,ipoib: 2;\nA=1,indx0,ipoib: 3;", {.ipoib = false}),
            "A=1: 2;\nA=1,indx0: 3;");
  EXPECT_EQ(with_flags("A=1,ipoib,sl=3: 2;", {.ipoib = true, .sl = 3}), "A=1,ipoib,sl=3: 2;");
  EXPECT_EQ(with_flags("A=1:;", {.ipoib = true, .mtu = 5}, 0x7FFF),
            "A=1:;\nDefault=0x7fff, ipoib, mtu=5 : ;\n");
}

TEST(PartitionFlags, AreRefusedIfAnIpGroupContradictsTheFlags) {
  EXPECT_THAT(with_flags("A=1,ipoib: mgid=ff12:401b::16,mtu=4\n;", {.mtu = 5}),
              HasSubstr("would make the file invalid"));
  EXPECT_THAT(with_flags("A=1:;", {.ipoib = true}, 2), HasSubstr("no partition 0x0002"));
}

class PartitionUpdates : public testing::Test {
 protected:
  std::string update(const std::string& text) {
    const auto edited = update_partitions(text, "p", change, update_, &keyword_includes);
    if (!edited) return "error: " + edited.error().message;
    EXPECT_EQ(edited->changed, edited->text != text);
    return edited->text;
  }
  PartitionChange change{.base = 1, .name = "new"};
  PartitionUpdate update_;
};

TEST_F(PartitionUpdates, CreateAMissingPartition) {
  change.set = {{Guid(2), kFull, true}, {Guid(3), kLimited, false}};
  EXPECT_THAT(update("B=2:;\n"), HasSubstr("no partition 0x0001"));
  update_.creates = true;
  change.ipoib = true;
  EXPECT_EQ(update("B=2:;\n"),
            "B=2:;\nnew=0x0001, ipoib :\n    0x0000000000000003=limited ;\n"
            "new=0x0001, indx0 :\n    0x0000000000000002=full ;\n");
  change.ipoib = false;
  EXPECT_EQ(update("A=1: 3, 2=f;\n"),
            "A=1: 3;\nA=0x0001, indx0 :\n    0x0000000000000002=full ;\n");
  update_.must_be_new = true;
  EXPECT_THAT(update("A=1:;"), HasSubstr("exists: 'A'"));
}

TEST_F(PartitionUpdates, RemoveMembersThatMayBeAbsent) {
  change.remove = {Guid(2), Guid(7)};
  EXPECT_EQ(update("A=1: 2, 3;"), "A=1: 3;");
  EXPECT_EQ(update("A=1: 3;"), "A=1: 3;");
  EXPECT_EQ(update("B=2: 3;"), "B=2: 3;");
  EXPECT_EQ(update("A=1: 2;"), "A=1:;");
  EXPECT_THAT(update("A=1: ALL;"), HasSubstr("a member by a keyword or a port group"));
  change.base = 0x7FFF;
  EXPECT_THAT(update("B=2: 3;"), HasSubstr("can only become a limited member"));
}

TEST_F(PartitionUpdates, DeleteAPartitionWithItsLastMember) {
  update_.deletes_empty = true;
  change.remove = {Guid(2)};
  EXPECT_EQ(update("# top\nA=1, ipoib : ;\nA=1, indx0: 2;\nB=2:;\n"), "# top\nB=2:;\n");
  EXPECT_EQ(update("A=1: 2; A=1: 3;"), "A=1:; A=1: 3;");
  EXPECT_EQ(update("A=1: 2, mgid=ff12::5\n;"), "A=1: mgid=ff12::5\n;");
  EXPECT_EQ(update("A=1: ;"), "A=1: ;") << "the partition must stay, because no member was removed";
}

TEST_F(PartitionUpdates, ReplaceAllMembers) {
  update_.replaces = true;
  change.set = {{Guid(2), kFull}, {Guid(5), kFull}};
  EXPECT_EQ(update("A=1: 2=full, 3; A=1: 4;"), "A=1: 2=full; A=1:\n    0x0000000000000005=full;");
  EXPECT_THAT(update("A=1: ALL_CAS;"), HasSubstr("by keyword or port group"));
}

/// Random files and updates: an accepted update results in the requested members, and in no others
/// if it replaces all members.
TEST_F(PartitionUpdates, AcceptedUpdatesResultInTheRequestedMembers) {
  Rng rng(11);
  unsigned accepted = 0;
  const auto draw = [&](std::initializer_list<const char*> words) {
    return std::string(words.begin()[rng.below(words.size())]);
  };
  for (unsigned round = 0; round < 3000; ++round) {
    std::string text;
    for (std::uint64_t definitions = rng.below(4); definitions-- > 0;) {
      text += draw({"A=1:", "B=2,ipoib :", "A=1,indx0 :", "A=1, mtu=4,ipoib # d\n:", "B=2,sl=1:"});
      for (std::uint64_t words = rng.below(4); words-- > 0;)
        text += draw({" 2", "3=full", "0x4 = limited", " 5 # e\n", "ALL_SWITCHES"}) + ",";
      text += draw({";", " ;\n", "; # g\n"});
    }
    change = {.base = static_cast<std::uint16_t>(1 + rng.below(2)), .name = "new"};
    update_ = {.creates = rng.below(2) == 0, .replaces = rng.below(4) == 0};
    if (rng.below(3) == 0) update_.flags = {.ipoib = rng.below(2) == 0, .mtu = 5};
    for (std::uint64_t guid = 2; guid < 6; ++guid) {
      if (rng.below(3) == 0)
        change.remove.push_back(Guid(guid));
      else if (rng.below(2) == 0)
        change.set.push_back({Guid(guid), rng.below(2) == 0 ? kFull : kLimited, rng.below(2) == 0});
    }
    if (update_.replaces) change.remove.clear();
    const auto result = update_partitions(text, "p", change, update_, &keyword_includes);
    if (!result) continue;
    ++accepted;
    std::vector<std::string> warnings;
    const auto read = parse_partitions(result->text, "p", warnings);
    ASSERT_TRUE(read) << text << "\n->\n" << result->text;
    EXPECT_EQ(*read, result->file);
    std::map<Guid, Wanted> last;
    for (const FiledPartition& partition : read->partitions)
      for (const FiledMember& member : partition.members)
        if (partition.base == change.base && member.kind == MemberKind::kGuid)
          last[member.guid] = {member.guid, member.membership, partition.index0};
    for (const Wanted& wanted : change.set)
      EXPECT_EQ(last[wanted.port], wanted) << text << "\n->\n" << result->text;
    for (const Guid port : change.remove) EXPECT_FALSE(last.contains(port)) << result->text;
    if (update_.replaces) {
      EXPECT_EQ(last.size(), change.set.size()) << result->text;
    }
  }
  EXPECT_GT(accepted, 500u);
}

//   H0 H1         H2
//     \|          |
//      S0 === S1--+
class AliasMembers : public testing::Test {
 protected:
  static constexpr Guid kPort1{0x10011}, kAlias{0x02AA}, kOtherAlias{0x02AB};

  AliasMembers() : managed_(Tiny(2).link(0, 1, 2).hosts(0, 2).hosts(1).build()) {}
  void bring_up(const std::string& text) {
    std::vector<std::string> warnings;
    managed_.options.partitions = *parse_partitions(text, "p", warnings);
    managed_.start();
    ASSERT_TRUE(managed_.settle());
  }
  void set_aliases(std::vector<Guid> aliases) {
    aliases.insert(aliases.begin(), Guid(0));
    aliases.resize(GuidInfo::kEntries);
    managed_.sm().set_alias_guids({{kPort1, aliases}});
    ASSERT_TRUE(managed_.settle());
    EXPECT_TRUE(managed_.report().up) << managed_.report().error;
  }
  std::vector<std::uint16_t> table(std::uint64_t node, std::uint8_t port) {
    std::vector<std::uint16_t> entries;
    const PortId id =
        managed_.fabric().port_id(*managed_.fabric().find_node(Guid(node)), PortNum(port));
    for (const Pkey pkey : managed_.emulated().pkeys(id, 0).pkeys) entries.push_back(pkey.value());
    while (!entries.empty() && entries.back() == 0) entries.pop_back();
    return entries;
  }
  ManagedSubnet managed_;
};

TEST_F(AliasMembers, AddThePkeyToTheirPortWhenTheAliasAppears) {
  bring_up("A=0x10, indx0: 0x2aa=full;");
  EXPECT_THAT(table(0x10010, 1), ElementsAre(0x7FFF));
  set_aliases({kAlias});
  EXPECT_THAT(table(0x10010, 1), ElementsAre(0x7FFF, 0x8010))
      << "index 0 must keep the P_Key of the port itself";
  EXPECT_THAT(table(0x100, 4), ElementsAre(0x7FFF, 0x8010))
      << "the switch port must accept the P_Key";
  EXPECT_EQ(managed_.sm().heavy_sweeps(), 1u);
  set_aliases({});
  EXPECT_THAT(table(0x10010, 1), ElementsAre(0x7FFF));
}

TEST_F(AliasMembers, OneFullMemberMakesThePortAFullMember) {
  bring_up("A=0x10: 0x2aa=full, 0x2ab=limited; B=0x11,indx0: 0x10011=limited; B=0x11: 0x2ab=full;");
  set_aliases({kAlias, kOtherAlias});
  EXPECT_THAT(table(0x10010, 1), ElementsAre(0x8011, 0x7FFF, 0x8010));
}

TEST_F(AliasMembers, CountInForecasts) {
  bring_up("A=0x10: 0x10001=full;");
  set_aliases({kAlias});
  std::vector<std::string> warnings;
  const auto forecast = managed_.sm().forecast_partitions(
      *parse_partitions("A=0x10: 0x10001=full, 0x2aa=full;", "p", warnings));
  EXPECT_EQ(forecast.ports, 1u);
}

TEST_F(AliasMembers, FirstThreeWithoutAPortAreNamedAndTheOthersCounted) {
  const Fabric fabric = Tiny(1).hosts(0, 2).build();
  std::vector<std::string> warnings;
  std::string text = "A=1:";
  for (unsigned i = 0; i < 50; ++i) text += fmt::format("\n 0x{:x},", 0xA00 + i);
  const auto file = parse_partitions(text + ";\nDefault: ALL=full;", "p", warnings);
  ASSERT_TRUE(file);
  (void)resolve_partitions(*file, fabric, EndportId(0), warnings);
  EXPECT_EQ(warnings.size(), 4u);
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("p:4: port GUID 0x0000000000000a02")));
  EXPECT_THAT(warnings, testing::Contains(
                            "p:1: 47 more port GUIDs of the partition 'A' are not in this fabric"));
}

}  // namespace
}  // namespace weft
