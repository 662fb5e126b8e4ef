// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes of partitions: parsing of requests, and their effect on a running manager of an emulated
// fabric, with a partition file in a temporary folder.
#include "service/partition_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <future>

#include "base/file.h"
#include "service/http/data/partition_orders.h"
#include "service/http/data/partitions.h"
#include "support/managed_subnet.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

using http_data::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

Json json_of(const std::string& text) { return Json::parse(text, nullptr, false); }

TEST(PartitionRequest, ParsesMembersToAddAndRemove) {
  const auto created = http_data::new_partition(
      json_of(R"({"pkey": "0x8010", "name": "blue", "ipoib": true, "absent_ports": true,
                 "members": ["0x11", {"guid": "12", "membership": "both"}]})"));
  ASSERT_TRUE(created) << created.error().message;
  EXPECT_EQ(created->change.kind, PartitionChange::Kind::kCreate);
  EXPECT_EQ(created->change.base, 0x10);
  EXPECT_EQ(created->change.name, "blue");
  EXPECT_TRUE(created->change.ipoib);
  EXPECT_TRUE(created->absent_ports);
  EXPECT_THAT(created->change.set,
              ElementsAre(PartitionChange::Wanted{Guid(0x11), Membership::kFull},
                          PartitionChange::Wanted{Guid(0x12), Membership::kBoth}));
  const auto members = http_data::member_change(
      0x10, json_of(R"({"add": [{"guid": "0x11", "membership": "limited"}], "remove": ["0x12"]})"));
  ASSERT_TRUE(members);
  EXPECT_EQ(members->change.kind, PartitionChange::Kind::kMembers);
  EXPECT_THAT(members->change.remove, ElementsAre(Guid(0x12)));
}

TEST(PartitionRequest, ReportsInvalidMembers) {
  const std::pair<const char*, const char*> kNew[] = {
      {"[]", "expected a JSON object"},
      {"nonsense", "expected a JSON object"},
      {R"({"pkey": 16, "name": "a"})", "pkey: expected text"},
      {R"({"pkey": "0x10"})", "name: expected text"},
      {R"({"pkey": "0x8000", "name": "a"})", "expected a P_Key"},
      {R"({"pkey": "0x10000", "name": "a"})", "expected a P_Key"},
      {R"({"pkey": "0x10", "name": "a b"})", "expected letters"},
      {R"({"pkey": "0x10", "name": ""})", "expected letters"},
      {R"({"pkey": "0x10", "name": "a", "ipoib": 1})", "ipoib: expected true or false"},
      {R"({"pkey": "0x10", "name": "a", "sl": 1})", "unknown member 'sl'"},
      {R"({"pkey": "0x10", "name": "a", "members": "0x11"})", "members: expected a list"},
      {R"({"pkey": "0x10", "name": "a", "members": ["host-1"]})", "expected the GUID of a port"},
      {R"({"pkey": "0x10", "name": "a", "members": ["0x0"]})", "expected the GUID of a port"},
      {R"({"pkey": "0x10", "name": "a", "members": [[[[]]]]})", "members: found array"},
      {R"({"pkey": "0x10", "name": "a", "members": ["0x11", "11"]})", "is repeated"},
      {R"({"pkey": "0x10", "name": "a", "members": [{"guid": "1", "membership": "half"}]})",
       "expected full, limited or both"},
      {R"({"pkey": "0x10", "name": "a", "members": [{"guid": "1", "member": "full"}]})",
       "unknown member"},
  };
  for (const auto& [text, message] : kNew) {
    const auto order = http_data::new_partition(json_of(text));
    ASSERT_FALSE(order) << text;
    EXPECT_THAT(order.error().message, HasSubstr(message)) << text;
  }
  for (const auto& [text, message] : std::initializer_list<std::pair<const char*, const char*>>{
           {"{}", "expected ports"},
           {R"({"add": []})", "expected ports"},
           {R"({"add": ["0x1"], "remove": ["0x1"]})", "is repeated"},
           {R"({"set": ["0x1"]})", "unknown member 'set'"}}) {
    const auto order = http_data::member_change(0x10, json_of(text));
    ASSERT_FALSE(order) << text;
    EXPECT_THAT(order.error().message, HasSubstr(message)) << text;
  }
}

/// A manager of "fattree2:k=4" with a partition file.
class PartitionChangesTest : public testing::Test {
 protected:
  PartitionChangesTest() : managed_(fabric_of("fattree2:k=4")) {
    settings_.partition_config_file = folder_ / "partitions.conf";
    managed_.options.sweep_interval = {};
  }

  Guid host(unsigned n) const {
    const Fabric& fabric = managed_.fabric();
    return fabric.port(fabric.endport(EndportId(fabric.switch_count() + n)).port).guid;
  }
  std::string hex(unsigned n) const { return fmt::format("0x{:016x}", host(n).value()); }

  void bring_up(const std::optional<std::string>& text) {
    if (text) {
      ASSERT_TRUE(write_file(settings_.partition_config_file, *text));
      std::vector<std::string> warnings;
      auto file = parse_partitions(*text, settings_.partition_config_file, warnings);
      ASSERT_TRUE(file);
      managed_.options.partitions = std::move(*file);
    }
    managed_.start();
    ASSERT_TRUE(managed_.settle());
  }
  std::string text() { return *read_file(settings_.partition_config_file); }
  SmBoard::Posted posted() {
    SmBoard board(settings_);
    board.post(status_of(managed_.sm()), managed_.sm().snapshot());
    return board.read();
  }
  /// Runs the change on another thread while the manager steps, as in the service.
  Result<PartitionOutcome> carry_out(const PartitionOrder& order) {
    auto answer = std::async(std::launch::async, [this, order, posted = posted()] {
      return changes_.carry_out(order, posted);
    });
    while (answer.wait_for(0ms) != std::future_status::ready) step();
    return answer.get();
  }
  void step() {
    managed_.sm().step(managed_.emulated().clock().now() + 1ms);
    changes_.step(managed_.sm());
  }
  PartitionOrder members(std::vector<PartitionChange::Wanted> set, std::vector<Guid> remove = {},
                         std::uint16_t base = 0x10) {
    PartitionOrder order;
    order.change.base = base;
    order.change.set = std::move(set);
    order.change.remove = std::move(remove);
    return order;
  }
  /// The hosts that have the P_Key in the first block of the P_Key table of their port on the
  /// emulated fabric.
  std::vector<unsigned> hosts_with_pkey(std::uint16_t pkey) {
    std::vector<unsigned> found;
    const Fabric& fabric = managed_.fabric();
    for (unsigned n = 0; n < fabric.ca_count(); ++n) {
      const PortId port = fabric.endport(EndportId(fabric.switch_count() + n)).port;
      const auto table = managed_.emulated().pkeys(port, 0).pkeys;
      if (std::ranges::find(table, Pkey(pkey)) != table.end()) found.push_back(n);
    }
    return found;
  }

  TempDir folder_;
  Settings settings_;
  ManagedSubnet managed_;
  PartitionChanges changes_{{.rest = 300ms, .applied = 5s}};
};

TEST_F(PartitionChangesTest, AChangeIsWrittenAndAppliedWithoutASweep) {
  bring_up("# ours\nA=0x10: " + hex(1) + "=full; # one\nB=0x20: ALL;\n");
  ASSERT_EQ(::chmod(settings_.partition_config_file.c_str(), 0640), 0);
  const auto outcome = carry_out(members({{host(2), Membership::kLimited}}));
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->changed && outcome->applied) << outcome->error;
  EXPECT_FALSE(outcome->file_created);
  EXPECT_EQ(outcome->name, "A");
  EXPECT_EQ(outcome->ports, 1u);
  EXPECT_EQ(outcome->nodes, 2u);
  EXPECT_THAT(hosts_with_pkey(0x8010), ElementsAre(1));
  EXPECT_THAT(hosts_with_pkey(0x0010), ElementsAre(2));
  EXPECT_EQ(managed_.sm().heavy_sweeps(), 1u);
  EXPECT_EQ(managed_.sm().light_sweeps(), 0u);
  EXPECT_EQ(text(), "# ours\nA=0x10: " + hex(1) + "=full,\n    " + hex(2) +
                        "=limited; # one\nB=0x20: ALL;\n");
  struct stat about {};
  ASSERT_EQ(::stat(settings_.partition_config_file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0640u);
  const auto again = carry_out(members({{host(2), Membership::kLimited}}));
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->changed);
  EXPECT_TRUE(again->applied);
}

TEST_F(PartitionChangesTest, RejectedChangesHaveNoEffect) {
  const std::string before = "A=0x10: " + hex(1) + "=full;\n";
  bring_up(before);
  managed_.emulated().reset_counters();
  const Guid node = managed_.fabric().node(managed_.fabric().endport(EndportId(8)).node).node_guid;
  PartitionOrder deletion;
  deletion.change.kind = PartitionChange::Kind::kDelete;
  deletion.change.base = kDefaultPkeyBase;
  PartitionOrder duplicate;
  duplicate.change.kind = PartitionChange::Kind::kCreate;
  duplicate.change.base = 0x10;
  duplicate.change.name = "duplicate";
  const std::tuple<PartitionOrder, Code, std::string> kWrong[] = {
      {members({{Guid(0xdead), Membership::kFull}}), Code::kUsage, "is no port of this fabric"},
      {members({{Guid(0xdead), Membership::kFull}}), Code::kUsage, "absent_ports"},
      {members({{host(2), Membership::kFull}}, {}, 0x99), Code::kUsage, "no partition 0x0099"},
      {members({}, {host(3)}), Code::kUsage, "is no member of 0x0010"},
      {members({{host(0), Membership::kLimited}}, {}, 0x7fff), Code::kBadInput, "own port"},
      {members({}, {host(1)}, 0x7fff), Code::kBadInput, "every port is a member"},
      {deletion, Code::kBadInput, "cannot be deleted"},
      {duplicate, Code::kBadInput, "is the partition 'A'"},
  };
  for (const auto& [order, code, message] : kWrong) {
    const auto outcome = carry_out(order);
    ASSERT_FALSE(outcome) << message;
    EXPECT_EQ(outcome.error().code, code) << outcome.error().message;
    EXPECT_THAT(outcome.error().message, HasSubstr(message));
  }
  ASSERT_FALSE(managed_.fabric().find_endport(node)) << "the GUID of a node is no GUID of a port";
  const auto outcome = carry_out(members({{node, Membership::kFull}}));
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("but the node"));
  EXPECT_EQ(text(), before);
  EXPECT_EQ(managed_.sets(AttributeId::kPkeyTable), 0u);
}

TEST_F(PartitionChangesTest, AcceptsAbsentPortsOnRequest) {
  bring_up("A=0x10: " + hex(1) + "=full;\n");
  PartitionOrder order = members({{Guid(0xdead), Membership::kFull}});
  order.absent_ports = true;
  const auto outcome = carry_out(order);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->applied);
  EXPECT_EQ(outcome->ports, 0u);
  const Json shown = *http_data::partition(*managed_.sm().snapshot(), 0x10);
  ASSERT_EQ(shown["absent_members"].size(), 1u);
  EXPECT_EQ(shown["absent_members"][0]["guid"], "0x000000000000dead");
}

TEST_F(PartitionChangesTest, CreatesAFileWithTheDefaultRules) {
  bring_up(std::nullopt);
  PartitionOrder order;
  order.change.kind = PartitionChange::Kind::kCreate;
  order.change.base = 0x10;
  order.change.name = "blue";
  order.change.set = {{host(3), Membership::kFull}};
  const auto outcome = carry_out(order);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->file_created && outcome->applied);
  EXPECT_THAT(hosts_with_pkey(0x8010), ElementsAre(3));
  EXPECT_EQ(hosts_with_pkey(0xFFFF).size(), managed_.fabric().ca_count());
  settings_.partition_config_file.clear();
  const auto without_file = carry_out(order);
  ASSERT_FALSE(without_file);
  EXPECT_EQ(without_file.error().code, Code::kRejected);
}

TEST_F(PartitionChangesTest, ChangesOfTheDefaultFileAreWrittenToTheStateFolder) {
  settings_ = Settings();
  const std::string original = settings_.partition_config_file;
  if (std::filesystem::exists(original)) GTEST_SKIP() << original << " exists on this machine";
  settings_.state_folder = folder_ / "state";
  bring_up(std::nullopt);
  PartitionOrder order;
  order.change.kind = PartitionChange::Kind::kCreate;
  order.change.base = 0x10;
  order.change.name = "blue";
  order.change.set = {{host(3), Membership::kFull}};
  const auto created = carry_out(order);
  ASSERT_TRUE(created) << created.error().message;
  EXPECT_TRUE(created->file_created && created->applied);
  EXPECT_FALSE(std::filesystem::exists(original));
  EXPECT_THAT(*read_file(folder_ / "state/partitions.conf"), HasSubstr(hex(3)));
  const auto added = carry_out(members({{host(2), Membership::kFull}}));
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_FALSE(added->file_created);
  EXPECT_THAT(hosts_with_pkey(0x8010), ElementsAre(2, 3));
  EXPECT_THAT(*read_file(folder_ / "state/partitions.conf"), HasSubstr(hex(2)));
}

TEST_F(PartitionChangesTest, AWriteErrorHasNoEffect) {
  bring_up("A=0x10: " + hex(1) + "=full;\n");
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit full_disk{10, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &full_disk);
  const auto outcome = carry_out(members({{host(2), Membership::kFull}}));
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::kEnvironment);
  EXPECT_THAT(hosts_with_pkey(0x8010), ElementsAre(1));
  EXPECT_EQ(text(), "A=0x10: " + hex(1) + "=full;\n");
}

TEST_F(PartitionChangesTest, RejectsAFileThatDiffersFromTheActivePartitions) {
  bring_up("A=0x10: " + hex(1) + "=full;\n");
  ASSERT_TRUE(write_file(settings_.partition_config_file, "A=0x10: ALL=full;\n"));
  PartitionOrder order;
  order.change.kind = PartitionChange::Kind::kCreate;
  order.change.base = 0x20;
  order.change.name = "blue";
  const auto outcome = carry_out(order);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("send SIGHUP"));
}

TEST_F(PartitionChangesTest, ConcurrentChangesAreAllApplied) {
  bring_up("A=0x10: " + hex(1) + "=full;\n");
  std::vector<std::future<Result<PartitionOutcome>>> answers;
  for (const unsigned n : {2u, 3u, 4u})
    answers.push_back(std::async(std::launch::async, [this, n, posted = posted()] {
      return changes_.carry_out(members({{host(n), Membership::kFull}}), posted);
    }));
  for (auto& answer : answers) {
    while (answer.wait_for(0ms) != std::future_status::ready) step();
    const auto outcome = answer.get();
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_TRUE(outcome->applied) << outcome->error;
  }
  EXPECT_THAT(hosts_with_pkey(0x8010), ElementsAre(1, 2, 3, 4));
  for (const unsigned n : {1u, 2u, 3u, 4u}) EXPECT_THAT(text(), HasSubstr(hex(n)));
}

TEST_F(PartitionChangesTest, TimesOutIfTheManagerIsBusy) {
  bring_up("A=0x10: " + hex(1) + "=full;\n");
  managed_.sm().request_heavy_sweep("a test");
  // The manager is not stepped, so that the sweep does not end.
  const auto outcome = changes_.carry_out(members({{host(2), Membership::kFull}}), posted());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::kTimeout);
  for (unsigned i = 0; i < 2000 || !managed_.sm().settled(); ++i) step();
  EXPECT_THAT(hosts_with_pkey(0x8010), ElementsAre(1));
  changes_.end();
  const auto ended = changes_.carry_out(members({{host(2), Membership::kFull}}), posted());
  ASSERT_FALSE(ended);
  EXPECT_EQ(text(), "A=0x10: " + hex(1) + "=full;\n");
}

}  // namespace
}  // namespace weft
