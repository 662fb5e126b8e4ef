// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Edits of partitions.conf, and changes of partitions at run time: only the requested change
// appears in the file and in the tables of ports.
#include "sm/partitions/partition_edit.h"

#include <gmock/gmock.h>

#include <numeric>

#include "base/rng.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using enum Membership;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = PartitionChange::Kind;

//   H0 H1         H2
//     \|          |
//      S0 === S1--+
Fabric two_switches() { return Tiny(2).link(0, 1, 2).hosts(0, 2).hosts(1).build(); }
constexpr Guid kNodeS0(0x100), kNodeH1(0x10010), kP0(0x10001), kP1(0x10011), kP2(0x10021);

/// Whether a keyword includes a port. All ports except 0x999 are ports of hosts; the kind of 0x999
/// is unknown.
std::optional<bool> includes_port(MemberKind kind, Guid port) {
  if (kind == MemberKind::kAll) return true;
  if (port == Guid(0x999)) return std::nullopt;
  return kind == MemberKind::kAllCas;
}

PartitionChange members(std::uint16_t base, std::vector<PartitionChange::Wanted> set,
                        std::vector<Guid> remove = {}) {
  PartitionChange change;
  change.base = base;
  change.set = std::move(set);
  change.remove = std::move(remove);
  return change;
}

std::string edited_text(const std::string& text, const PartitionChange& change) {
  const auto result = edit_partitions(text, "p", change, &includes_port);
  if (!result) return "error: " + result.error().message;
  EXPECT_EQ(result->changed, result->text != text);
  return result->text;
}

TEST(PartitionEdit, AddsAMemberAfterTheLastMember) {
  EXPECT_EQ(edited_text("# top\nA=0x10 : 0x1 ; # tail\nB=2:;\n", members(0x10, {{Guid(2), kFull}})),
            "# top\nA=0x10 : 0x1,\n    0x0000000000000002=full ; # tail\nB=2:;\n");
  EXPECT_EQ(edited_text("A=0x10:;", members(0x10, {{Guid(2), kLimited}, {Guid(3), kBoth}})),
            "A=0x10:\n    0x0000000000000002=limited,\n    0x0000000000000003=both;");
  EXPECT_EQ(edited_text("A=1: mgid=ff12:401b::16 # x\n;", members(1, {{Guid(2), kFull}})),
            "A=1:\n    0x0000000000000002=full, mgid=ff12:401b::16 # x\n;");
  EXPECT_EQ(edited_text("A=1: 5, # five\n 6 # six\n;\nA=1: 7;", members(1, {{Guid(2), kFull}})),
            "A=1: 5, # five\n 6 # six\n;\nA=1: 7,\n    0x0000000000000002=full;");
}

TEST(PartitionEdit, ChangesAMembershipInPlace) {
  EXPECT_EQ(edited_text("A=1: 0x2, 3 = limited , 4;", members(1, {{Guid(3), kFull}})),
            "A=1: 0x2, 3=full , 4;");
  EXPECT_EQ(edited_text("A=1,defmember=full: 2;", members(1, {{Guid(2), kLimited}})),
            "A=1,defmember=full: 2=limited;");
}

TEST(PartitionEdit, ChangesNothingIfAlreadyAsRequested) {
  for (const char* text :
       {"A=1,defmember=full: 2;", "A=1: ALL=full;", "A=1: 2=limited, ALL_CAS=f;"})
    EXPECT_EQ(edited_text(text, members(1, {{Guid(2), kFull}})), text);
  EXPECT_EQ(edited_text("A=1:2;", members(0x7FFF, {{Guid(2), kLimited}})), "A=1:2;");
}

TEST(PartitionEdit, AddsAMemberAfterKeywordsThatWouldOverrideTheMember) {
  EXPECT_EQ(edited_text("A=1: 2=full, ALL;", members(1, {{Guid(2), kFull}})),
            "A=1: 2=full, ALL,\n    0x0000000000000002=full;");
  EXPECT_EQ(edited_text("A=1: ALL_CAS=full;", members(1, {{Guid(0x999), kFull}})),
            "A=1: ALL_CAS=full,\n    0x0000000000000999=full;");
  EXPECT_EQ(edited_text("", members(0x7FFF, {{Guid(2), kFull}})),
            "Default=0x7fff :\n    0x0000000000000002=full ;\n");
}

TEST(PartitionEdit, RemovesMembersWithTheirCommas) {
  const std::string text = "A=1: 0x2=full, 3, # three\n     4,\n     5 ; B=2: 3;\n";
  EXPECT_EQ(edited_text(text, members(1, {}, {Guid(2)})),
            "A=1: 3, # three\n     4,\n     5 ; B=2: 3;\n");
  EXPECT_EQ(edited_text(text, members(1, {}, {Guid(4)})),
            "A=1: 0x2=full, 3, # three\n     5 ; B=2: 3;\n");
  EXPECT_EQ(edited_text(text, members(1, {}, {Guid(5), Guid(4)})),
            "A=1: 0x2=full, 3 # three\n ; B=2: 3;\n");
  EXPECT_EQ(edited_text(text, members(1, {}, {Guid(5), Guid(4), Guid(3), Guid(2)})),
            "A=1: # three\n ; B=2: 3;\n");
  EXPECT_EQ(edited_text("A=1: 2, 3 mgid=ff12::5\n 5;", members(1, {}, {Guid(5)})),
            "A=1: 2, 3 mgid=ff12::5\n;");
  EXPECT_EQ(edited_text("A=1: 2; A=1: 3, 2=full;", members(1, {{Guid(4), kFull}}, {Guid(2)})),
            "A=1:; A=1: 3,\n    0x0000000000000004=full;");
}

TEST(PartitionEdit, CreatesAndDeletesWholePartitions) {
  PartitionChange change = members(0x22, {{Guid(2), kFull}, {Guid(3), kLimited}});
  change.kind = Kind::kCreate;
  change.name = "blue";
  change.ipoib = true;
  const std::string with =
      "A=1:2; # one\nblue=0x0022, ipoib :\n    0x0000000000000002=full,\n"
      "    0x0000000000000003=limited ;\n";
  EXPECT_EQ(edited_text("A=1:2; # one", change), with);
  change.kind = Kind::kDelete;
  EXPECT_EQ(edited_text(with, change), "A=1:2; # one\n");
  EXPECT_EQ(edited_text("A=0x22: 2,\n # inside\n 3;\nB=0x23:\n2; C=0x8022:;\n", change),
            "B=0x23:\n2; \n");
}

TEST(PartitionEdit, BeginsWithTheDefaultRulesIfThereIsNoFile) {
  PartitionChange change;
  change.kind = Kind::kCreate;
  change.base = 5;
  change.name = "five";
  const auto result = edit_partitions(std::nullopt, "p", change, &includes_port);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->text, "Default=0x7fff, ipoib : ALL=full ;\nfive=0x0005 : ;\n");
  EXPECT_EQ(result->name, "five");
  EXPECT_TRUE(result->changed);
}

TEST(PartitionEdit, RefusesChangesThatTheFileDoesNotAllow) {
  const auto refused = [&](const std::string& text, const PartitionChange& change) {
    const auto result = edit_partitions(text, "p", change, &includes_port);
    if (result) return "accepted: " + result->text;
    EXPECT_EQ(result.error().code, Code::kBadInput);
    return result.error().message;
  };
  EXPECT_THAT(refused("A=1: 2,\nALL;", members(1, {}, {Guid(2)})), HasSubstr("p: line 2 makes"));
  EXPECT_THAT(refused("A=1: 0x999, ALL_CAS;", members(1, {}, {Guid(0x999)})), HasSubstr("line 1"));
  EXPECT_THAT(refused("A=1:2;", members(0x7FFF, {}, {Guid(2)})), HasSubstr("every port"));
  EXPECT_THAT(refused("A=1:2;", members(0, {}, {Guid(2)})), HasSubstr("expected 0x0001"));
  EXPECT_THAT(refused("A=1:2;", members(0x8001, {}, {Guid(2)})), HasSubstr("expected 0x0001"));
  EXPECT_THAT(refused("A=1:2;", members(1, {{Guid(2), kFull}}, {Guid(2)})),
              HasSubstr("0x0000000000000002 twice"));
  EXPECT_THAT(refused("A=1:2;", members(1, {{Guid(0), kFull}})), HasSubstr("found port GUID 0, "));
  PartitionChange change = members(2, {});
  change.kind = Kind::kCreate;
  for (const char* name : {"", "a b", "a=b", "a;b", "a#b", "a\nb", "a:b", "\xff"}) {
    change.name = name;
    EXPECT_THAT(refused("A=1:2;", change), HasSubstr("found name")) << name;
  }
  change.name = "A";
  EXPECT_THAT(refused("A=1:2;", change), HasSubstr("exists, 0x0001"));
  change.name = "B";
  EXPECT_THAT(refused("A=2:2;", change), HasSubstr("is the partition 'A', line 1"));
  EXPECT_THAT(refused("A=1:2", change), HasSubstr("no ';'"));
  change.base = 0x7FFF;
  EXPECT_THAT(refused("A=1:2;", change), HasSubstr("default"));
  change.kind = Kind::kDelete;
  EXPECT_THAT(refused("A=1:2;", change), HasSubstr("cannot be deleted"));
  change.base = 1;
  EXPECT_THAT(refused("A: 2;\nB: 3;", change), HasSubstr("would alter other rules"));
  EXPECT_THAT(refused("A=1: 2", members(1, {{Guid(3), kFull}, {Guid(4), kFull}})),
              HasSubstr("accepted"));
}

TEST(PartitionEdit, ChecksTheMembershipOfTheResult) {
  unsigned calls = 0;  // from the second call, a port counts as a host port
  const auto changing = [&](MemberKind, Guid) { return std::optional(++calls > 1); };
  const auto result =
      edit_partitions("A=1: 2=full, ALL_CAS;", "p", members(1, {{Guid(2), kFull}}), changing);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("would alter other rules"));
}

TEST(PartitionEdit, NamesHaveUpTo64LettersDigitsAndPunctuation) {
  for (const std::string& name : {std::string("az_AZ.09-+"), std::string(64, 'n')})
    EXPECT_TRUE(is_partition_name(name)) << name;
  for (const std::string& name : {std::string(65, 'n'), std::string("`"), std::string("{"),
                                  std::string("@"), std::string("["), std::string("/")})
    EXPECT_FALSE(is_partition_name(name)) << name;
}

TEST(PartitionEdit, RefusesUnknownPartitionsAndMembers) {
  for (const PartitionChange& change : {members(2, {{Guid(2), kFull}}), members(1, {}, {Guid(3)})})
    EXPECT_EQ(edit_partitions("A=1:2;", "p", change, &includes_port).error().code, Code::kUsage);
}

/// Random files and changes. Each accepted result must have the same rules when it is read again,
/// and enough changes must be accepted.
TEST(PartitionEdit, ResultHasTheSameRulesForRandomFilesAndChanges) {
  Rng rng(7);
  unsigned accepted = 0;
  const auto draw = [&](std::initializer_list<const char*> words) {
    return std::string(words.begin()[rng.below(words.size())]);
  };
  for (unsigned round = 0; round < 3000; ++round) {
    std::string text;
    for (std::uint64_t definitions = rng.below(4); definitions-- > 0;) {
      text += draw({"A=1:", "B=2,ipoib :", "# c\nA=1, defmember=full:", " B=2 # d\n:"});
      for (std::uint64_t words = rng.below(5); words-- > 0;)
        text +=
            draw({" 2", "3=full", "0x4 = limited", " 5 # e\n", "ALL_SWITCHES", "ALL_CAS=full"}) +
            draw({",", ", ", " ,\n", ",# f\n", ",,"});
      text += draw({"5", "", " mgid=ff12::5\n"}) + draw({";", " ;\n", "; # g\n"});
    }
    PartitionChange change = members(static_cast<std::uint16_t>(1 + rng.below(2)), {});
    for (std::uint64_t guid = 2; guid < 6; ++guid) {
      if (rng.below(3) == 0)
        change.remove.push_back(Guid(guid));
      else if (rng.below(2) == 0)
        change.set.push_back({Guid(guid), kFull});
    }
    const auto result = edit_partitions(text, "p", change, &includes_port);
    if (!result) continue;
    ++accepted;
    std::vector<std::string> warnings;
    const auto read = parse_partitions(result->text, "p", warnings);
    ASSERT_TRUE(read) << text << "\n->\n" << result->text;
    EXPECT_EQ(*read, result->file);
  }
  EXPECT_GT(accepted, 100u);
}

std::uint64_t sum_of(const std::array<std::uint64_t, EmulatorCounters::kAttributes>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

class Repartitioning : public testing::Test {
 protected:
  Repartitioning() : managed(two_switches()) {}

  void bring_up(const std::string& text) {
    managed.options.partitions = file_of(text);
    managed.start();
    ASSERT_TRUE(managed.settle());
    managed.emulated().reset_counters();
  }
  PartitionFile file_of(const std::string& text) {
    std::vector<std::string> warnings;
    auto file = parse_partitions(text, "p", warnings);
    CHECK(file.has_value());
    return std::move(*file);
  }
  std::vector<std::uint16_t> table(Guid node, std::uint8_t port) {
    std::vector<std::uint16_t> entries;
    const PortId id = managed.fabric().port_id(*managed.fabric().find_node(node), PortNum(port));
    for (const Pkey pkey : managed.emulated().pkeys(id, 0).pkeys) entries.push_back(pkey.value());
    while (!entries.empty() && entries.back() == 0) entries.pop_back();
    return entries;
  }
  void change(const std::string& text) {
    ASSERT_TRUE(managed.sm().at_rest());
    managed.sm().set_partitions(file_of(text), {0x10, "a test"});
    EXPECT_FALSE(managed.sm().at_rest());
    ASSERT_TRUE(managed.settle());
    EXPECT_TRUE(managed.sm().at_rest());
    EXPECT_TRUE(managed.report().up) << managed.report().error;
    expect_managed(managed);
  }
  ManagedSubnet managed;
};

TEST_F(Repartitioning, WritesTheBlocksThatDifferWithoutASweep) {
  bring_up("A=0x10: 0x10001=full;");
  const auto before = managed.sm().snapshot();
  change("A=0x10: 0x10001=full, 0x10011=full;");
  EXPECT_EQ(table(kNodeH1, 1), (std::vector<std::uint16_t>{0x7FFF, 0x8010}));
  EXPECT_EQ(table(kNodeS0, 4), (std::vector<std::uint16_t>{0x7FFF, 0x8010}));
  EXPECT_EQ(managed.sets(AttributeId::kPkeyTable), 2u);
  EXPECT_EQ(sum_of(managed.emulated().counters().sets), 2u);
  EXPECT_EQ(sum_of(managed.emulated().counters().gets), 0u);
  EXPECT_EQ(managed.sm().heavy_sweeps(), 1u);
  EXPECT_NE(managed.sm().snapshot(), before);
  EXPECT_EQ(managed.sm().snapshot()->routes.lfts, before->routes.lfts);
  EXPECT_TRUE(same_rules(managed.sm().snapshot()->partitions, managed.sm().partitions()));
  change("A=0x10: 0x10001=full;");
  EXPECT_EQ(table(kNodeH1, 1), (std::vector<std::uint16_t>{0x7FFF}));
}

TEST_F(Repartitioning, AddsAndRemovesGroupsOfPartitions) {
  bring_up("A=0x10: 0x10001=full;");
  EXPECT_THAT(managed.sm().snapshot()->groups, IsEmpty());
  change("A=0x10,ipoib: 0x10001=full;");
  ASSERT_EQ(managed.sm().snapshot()->groups.size(), 1u);
  EXPECT_EQ(managed.sm().snapshot()->groups[0].pkey, Pkey(0x8010));
  change("A=0x10: 0x10001=full;");
  EXPECT_THAT(managed.sm().snapshot()->groups, IsEmpty());
}

TEST_F(Repartitioning, ForecastsChangesAndShortages) {
  bring_up("A=0x10: 0x10001=full;");
  const auto none = managed.sm().forecast_partitions(file_of("B=0x10: 0x10001=full;"));
  EXPECT_THAT(none.nodes, IsEmpty());
  const auto some = managed.sm().forecast_partitions(file_of("A=0x10: 0x10001=full, 0x10011;"));
  EXPECT_THAT(some.nodes, ElementsAre(kNodeS0, kNodeH1));
  EXPECT_EQ(some.ports, 1u);
  EXPECT_THAT(some.shortages, IsEmpty());
  std::string many = "A=0x10: 0x10001=full;";
  for (unsigned base = 0x100; base < 0x200; ++base) many += fmt::format("={}: 0x10011;", base);
  EXPECT_THAT(managed.sm().forecast_partitions(file_of(many)).shortages,
              testing::Contains(HasSubstr("is full: no entry for")));
  EXPECT_EQ(sum_of(managed.emulated().counters().sets), 0u);
}

TEST_F(Repartitioning, ReportsAPortWithoutAnswerAndProgramsTheOthers) {
  bring_up("A=0x10: 0x10001=full;");
  managed.emulated().set_filter([&](const Smp&, NodeId, NodeId to) {
    return managed.fabric().node(to).node_guid == kNodeH1 ? EmulatedFabric::Delivery::kLose
                                                          : EmulatedFabric::Delivery::kPass;
  });
  managed.sm().set_partitions(file_of("A=0x10: 0x10001=full, 0x10011=full, 0x10021=full;"),
                              {0x10, "a test"});
  while (!managed.sm().at_rest()) managed.sm().step();
  EXPECT_FALSE(managed.report().up);
  ASSERT_EQ(managed.report().applied.failed_nodes.size(), 1u);
  EXPECT_EQ(managed.known().node(managed.report().applied.failed_nodes[0]).node_guid, kNodeH1);
  EXPECT_EQ(table(Guid(0x10020), 1), (std::vector<std::uint16_t>{0x7FFF, 0x8010}));
}

}  // namespace
}  // namespace weft
