// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replication of the SA: copies of all registrations, answers that wait for the standbys, and
// registrations inherited from the previous master.
#include "sa/dump/dump.h"
#include "sa/state.h"
#include "support/sa_subnet.h"

namespace weft::sa {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kRid = 0x7;

class ReplicatedServer : public ::testing::Test {
 protected:
  void SetUp() override {
    subnet.start();
    snapshot = std::make_shared<const Snapshot>(subnet.snapshot());
    server.emplace(subnet.options, [this](const Gmp& gmp) { answers.push_back(gmp); });
    server->publish(snapshot);
    server->set_replicated(true);
    lid = snapshot->fabric.endport(snapshot->sm).lid;
    own = snapshot->fabric.port(snapshot->fabric.endport(snapshot->sm).port).guid;
  }
  Gmp service(Method method, std::uint64_t id) {
    ServiceRecord record;
    record.id = id;
    record.gid = make_gid(subnet.options.subnet_prefix, own);
    record.pkey = Pkey(0xFFFF);
    Gmp gmp = subnet.client->request(method, SaAttribute::kServiceRecord, kRid, record);
    gmp.peer.lid = lid;
    return gmp;
  }
  std::size_t answer_count() const { return answers.size(); }
  std::vector<DumpRecord> records() {
    server->step(now += seconds(1));
    auto all = server->take_registrations(now);
    return all ? all->records : std::vector<DumpRecord>{};
  }
  static Saved saved_from(const std::vector<DumpRecord>& records) {
    std::string text;
    for (const DumpRecord& record : records) text += record.text;
    return read_dump(LineReader::over(text, "copy")).value();
  }

  SaSubnet subnet{fabric_of("fattree2:k=4")};
  std::shared_ptr<const Snapshot> snapshot;
  std::optional<SaServer> server;
  std::vector<Gmp> answers;
  Lid lid;
  Guid own;
  TimeNs now{seconds(100)};
};

TEST_F(ReplicatedServer, CopiesRegistrationsOnlyAfterChanges) {
  EXPECT_FALSE(records().empty());  // groups of the partitions
  EXPECT_TRUE(records().empty());
  server->on_gmp(service(Method::kSet, 1), now);
  const auto one = records();
  ASSERT_FALSE(one.empty());
  EXPECT_NE(one.back().text.find("Service Record: id=0x0000000000000001"), std::string::npos);
  server->on_gmp(service(Method::kGet, 1), now);
  EXPECT_TRUE(records().empty());
  server->on_gmp(service(sa_method::kDelete, 1), now);
  EXPECT_EQ(records().size(), one.size() - 1);
}

TEST_F(ReplicatedServer, DelaysAnswersToChangesUntilConfirmedOrTimedOut) {
  server->hold_answers(seconds(10));
  server->on_gmp(service(Method::kSet, 1), now);
  server->step(now);
  EXPECT_EQ(answer_count(), 0u);
  server->on_gmp(service(Method::kGet, 1), now);
  EXPECT_EQ(answer_count(), 1u);  // queries are not delayed
  const auto copy = server->take_registrations(now);
  ASSERT_TRUE(copy);
  server->on_gmp(service(Method::kSet, 2), now);
  server->confirm(copy->version);
  server->step(now);
  EXPECT_EQ(answer_count(), 2u);  // the answer to the second request is still delayed
  server->step(now + seconds(10));
  EXPECT_EQ(answer_count(), 3u);
}

TEST_F(ReplicatedServer, SendsDelayedAnswersOnceNoStandbyIsLeft) {
  server->hold_answers(seconds(10));
  server->on_gmp(service(Method::kSet, 1), now);
  server->hold_answers(TimeNs{0});
  server->step(now);
  EXPECT_EQ(answer_count(), 1u);
}

/// The requester repeats its request to the new master, which may not have the change.
TEST_F(ReplicatedServer, DropsDelayedAnswersWhenAnotherManagerIsMaster) {
  server->hold_answers(seconds(10));
  server->on_gmp(service(Method::kSet, 1), now);
  server->publish(nullptr);
  server->step(now + seconds(11));
  EXPECT_EQ(answer_count(), 0u);
}

TEST_F(ReplicatedServer, TakesOverTheRegistrationsOfThePreviousMaster) {
  for (const std::uint64_t id : {1, 2, 3}) server->on_gmp(service(Method::kSet, id), now);
  const auto before = records();
  std::vector<Gmp> sent;
  SaServer next(subnet.options, [&](const Gmp& gmp) { sent.push_back(gmp); });
  next.set_replicated(true);
  next.publish(snapshot);
  next.on_gmp(service(Method::kSet, 77), now);  // a registration of an earlier term
  next.publish(nullptr);
  next.inherit(std::make_shared<const Saved>(saved_from(before)), now);
  next.publish(snapshot);
  sent.clear();
  next.on_gmp(service(Method::kGet, 2), now);  // before the first step of the server
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].status, mad_status::kGood);
  next.on_gmp(service(Method::kGet, 77), now);
  EXPECT_EQ(sent[1].status, sa_status::kNoRecords);
  std::string original_text, copied_text;
  for (const DumpRecord& record : before) original_text += record.text;
  const auto copy = next.take_registrations(now);
  ASSERT_TRUE(copy);
  for (const DumpRecord& record : copy->records) copied_text += record.text;
  EXPECT_EQ(copied_text, original_text);
}

/// The copied fields include those that opensm-sa.dump does not have.
TEST_F(ReplicatedServer, CopiesRequestersAndTrust) {
  State state, restored;
  const SaView view(snapshot, subnet.options, &state.aliases);
  const SaView restored_view(snapshot, subnet.options, &restored.aliases);
  state.groups.follow(&view);
  McMemberRecord group;
  group.mgid = make_gid(std::uint64_t{0xFF15} << 48, Guid(7));
  group.pkey = Pkey(0xFFFF);
  group.mlid = Lid(0xC123);
  ASSERT_TRUE(state.groups.create(group, 5, view, own));
  state.groups.join(group.mgid, own, {1, true, Guid(0x77)});
  Subscription subscription;
  subscription.subscriber = make_gid(subnet.options.subnet_prefix, own);
  subscription.address.lid = lid;
  subscription.trusted = true;
  ASSERT_TRUE(state.subscriptions.add(subscription));
  const auto records = dump_records(state, view, now, seconds(1'800'000'000));
  inherit(saved_from(records), restored, restored_view, now, 1'800'000'000);
  restored.groups.follow(&restored_view);
  EXPECT_EQ(dump_records(restored, restored_view, now, seconds(1'800'000'000)), records);
  EXPECT_EQ(restored.groups.find(group.mgid)->creator, own);
  EXPECT_EQ(restored.groups.memberships_of(Guid(0x77)), 1u);
  EXPECT_TRUE(restored.subscriptions.all().begin()->second.trusted);
}

/// Groups that partitions define get MLIDs in order; the master may have assigned other MLIDs.
TEST_F(ReplicatedServer, KeepsTheMlidsOfGroupsOfPartitions) {
  State state, restored;
  const SaView view(snapshot, subnet.options, &state.aliases);
  const SaView restored_view(snapshot, subnet.options, &restored.aliases);
  McMemberRecord existing;
  existing.mgid = make_gid(std::uint64_t{0xFF15} << 48, Guid(7));
  existing.mlid = kLidMulticastFirst;
  ASSERT_TRUE(state.groups.create(existing, 5, view));
  state.groups.join(existing.mgid, own, {1, false, own});
  state.groups.follow(&view);
  const auto records = dump_records(state, view, now, seconds(0));
  ASSERT_GT(records.size(), 1u);
  inherit(saved_from(records), restored, restored_view, now, 0);
  restored.groups.follow(&restored_view);
  EXPECT_EQ(dump_records(restored, restored_view, now, seconds(0)), records);
}

TEST_F(ReplicatedServer, ComputesRemainingLeasesAtTheTimeOfTheTakeover) {
  State state, restored;
  const SaView view(snapshot, subnet.options, &state.aliases);
  Service service;
  service.record.gid = make_gid(subnet.options.subnet_prefix, own);
  service.record.lease = 600;
  service.expires = now + seconds(600);
  ASSERT_TRUE(state.services.put(service));
  const auto at = [&](TimeNs later) {
    return dump_records(state, view, now + later, seconds(1'800'000'000) + later);
  };
  EXPECT_EQ(at(milliseconds(0)), at(milliseconds(1300)));  // no change while time passes
  inherit(saved_from(at(seconds(0))), restored, view, now, 1'800'000'000 + 200);
  EXPECT_EQ(restored.services.next_expiry(), now + seconds(400));
}

/// The state has 1,000 groups, 5,000 subscriptions and 500 services.
TEST_F(ReplicatedServer, CopiesManyRegistrationsUnchanged) {
  State state, restored;
  const SaView view(snapshot, subnet.options, &state.aliases);
  const SaView restored_view(snapshot, subnet.options, &restored.aliases);
  state.groups.follow(&view);
  const auto gid_of = [&](std::size_t i) {
    return view.gid(view.endports()[i % view.endports().size()]);
  };
  for (std::uint64_t i = 0; i < 1000; ++i) {
    McMemberRecord group;
    group.mgid = make_gid(std::uint64_t{0xFF15} << 48, Guid(i + 1));
    group.pkey = Pkey(0xFFFF);
    group.qkey = static_cast<std::uint32_t>(i);
    ASSERT_TRUE(state.groups.create(group, 5, view, own));
    for (std::size_t k = 0; k < 4; ++k)
      state.groups.join(group.mgid, guid_of(gid_of(i + k)), {1, k == 3, guid_of(gid_of(i))});
  }
  for (std::uint32_t i = 0; i < 5000; ++i) {
    Subscription subscription;
    subscription.subscriber = gid_of(i);
    subscription.info.trap = static_cast<std::uint16_t>(i);
    subscription.info.subscribe = true;
    subscription.address.lid = view.fabric().endport(*view.find(gid_of(i))).lid;
    ASSERT_TRUE(state.subscriptions.add(subscription));
  }
  for (std::uint64_t i = 0; i < 500; ++i) {
    Service service;
    service.record.id = i;
    service.record.gid = service.registrant = gid_of(i);
    service.record.lease = 1000 + static_cast<std::uint32_t>(i);
    service.expires = now + seconds(service.record.lease);
    ASSERT_TRUE(state.services.put(service));
  }
  const Stopwatch watch;
  const auto records = dump_records(state, view, now, seconds(1'800'000'000));
  RecordProperty("copy_microseconds", static_cast<int>(watch.seconds() * 1e6));
  EXPECT_GE(records.size(), 6500u);
  EXPECT_TRUE(std::ranges::is_sorted(records, {}, &DumpRecord::key));
  inherit(saved_from(records), restored, restored_view, now, 1'800'000'000);
  restored.groups.follow(&restored_view);
  const auto copied = dump_records(restored, restored_view, now, seconds(1'800'000'000));
  ASSERT_EQ(copied.size(), records.size());
  for (std::size_t i = 0; i < records.size(); ++i) ASSERT_EQ(copied[i].text, records[i].text);
}

TEST(CopiedGroups, HaveMembersBeforeThePortsAreKnown) {
  Saved saved;
  McMemberRecord record;
  record.mlid = Lid(0xC005);
  saved.groups.push_back({record, {{Guid(1), {1, false, {}}}, {Guid(2), {4, false, {}}}}});
  saved.guids.push_back({Guid(1), 1, {}});
  saved.guids.back().table.guids[2] = Guid(0x99);
  const auto groups = filed_groups_of(saved);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].mlid, Lid(0xC005));
  EXPECT_EQ(groups[0].members, std::vector<Guid>{Guid(1)});
  EXPECT_EQ(groups[0].senders, std::vector<Guid>{Guid(2)});
  EXPECT_EQ(alias_guids_of(saved).at(Guid(1)).at(10), Guid(0x99));
}

}  // namespace
}  // namespace weft::sa
