// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replication without sockets: numbered records, messages, the copy of a standby when answers are
// lost, late or repeated, and a master with waiting standbys.
#include "service/replication/replication.h"

#include <gtest/gtest.h>

#include <future>

#include "base/rng.h"
#include "service/replication/peers.h"
#include "service/replication/takeover.h"

namespace weft::replication {
namespace {

constexpr const char* kEpoch = "0123456789abcdef";
constexpr const char* kNextEpoch = "fedcba9876543210";
constexpr Guid kMaster(0x11);
constexpr std::size_t kAll = SIZE_MAX;

bool have_same_state(const RecordStore& a, const RecordStore& b) {
  for (std::size_t part = 0; part < kParts; ++part)
    if (a.records(static_cast<Part>(part)) != b.records(static_cast<Part>(part)) ||
        a.checksum(static_cast<Part>(part)) != b.checksum(static_cast<Part>(part)))
      return false;
  return a.last() == b.last();
}

std::string answer_to(const Follower& follower, const RecordStore& store, std::size_t bytes = kAll,
                      const std::string& epoch = kEpoch) {
  const auto at = follower.position();
  return encode(message_after(store, epoch, kMaster, at.epoch, at.after, bytes));
}

TEST(RecordStoreTest, NumbersOnlyChangedRecords) {
  RecordStore store;
  store.replace(Part::kLids, {{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(store.last(), 2u);
  const std::string sum = store.checksum(Part::kLids);
  store.replace(Part::kLids, {{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(store.last(), 2u);
  store.replace(Part::kLids, {{"a", "1"}, {"b", "3"}, {"c", "4"}});
  EXPECT_EQ(store.last(), 4u);
  EXPECT_NE(store.checksum(Part::kLids), sum);
  store.replace(Part::kLids, {{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(store.checksum(Part::kLids), sum);
  EXPECT_EQ(store.after(4, kAll).size(), 2u);  // c was deleted, b changed
  EXPECT_EQ(store.after(0, kAll).size(), 3u);  // each record once
  EXPECT_EQ(store.text(Part::kLids, ";"), "1;2;");
}

TEST(RecordStoreTest, DropsTheOldestDeletionsBeyondTheLimit) {
  RecordStore store;
  Records many;
  for (std::size_t i = 0; i <= RecordStore::kDeletedMax; ++i) many.emplace(std::to_string(i), "");
  store.replace(Part::kSettings, many);
  const std::uint64_t before = store.last();
  store.replace(Part::kSettings, {});
  EXPECT_EQ(store.count(Part::kSettings), 0u);
  EXPECT_FALSE(store.has_all_after(before));
  EXPECT_TRUE(store.has_all_after(before + 1));
  EXPECT_TRUE(store.has_all_after(0));
}

TEST(CopyMessageTest, KeepsTextsWithAllByteValues) {
  std::string bytes;
  for (int c = 0; c < 256; ++c) bytes += static_cast<char>(c);
  RecordStore store;
  store.replace(Part::kPartitions, {{"file", bytes}});
  Follower follower;
  ASSERT_TRUE(follower.take(answer_to(follower, store)));
  EXPECT_EQ(follower.copy().records(Part::kPartitions).at("file"), bytes);
}

TEST(CopyMessageTest, RefusesMalformedMessages) {
  RecordStore store;
  store.replace(Part::kLids, {{"a", "1"}, {"b", "2"}});
  const std::string good = encode(message_after(store, kEpoch, kMaster, "", 0, kAll));
  ASSERT_TRUE(decode_copy(good));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::string bad[] = {
      "",
      "[]",
      "{",
      std::string(100'000, '['),
      with("\"format\":1", "\"format\":2"),
      with("\"format\":1", "\"format\":-1"),
      with(kEpoch, "0123"),
      with(kEpoch, "0123456789ABCDEF"),
      with("\"last\":2", "\"last\":3"),
      with("\"newest\":2", "\"newest\":1"),
      with("\"after\":0", "\"after\":1.5"),
      with("[1,\"lids\"", "[2,\"lids\""),
      with("[1,\"lids\"", "[0,\"lids\""),
      with("[2,\"lids\"", "[3,\"lids\""),
      with("\"a\",\"1\"", "\"\",\"1\""),
      with("\"a\",\"1\"", "\"a\",1"),
      with("\"a\",\"1\"", "\"a\""),
      with("\"a\",\"1\"", "\"a\",\"\\u0100\""),
      with("\"checksums\"", "\"sums\""),
      with("\"m_keys\":\"0", "\"m_keys\":\"x"),
      with("\"changes\"", "\"more\""),
      with("\"a\",\"1\"", "\"" + std::string(kKeyMax + 1, 'a') + "\",\"1\"")};
  for (const std::string& text : bad) EXPECT_FALSE(decode_copy(text)) << text.substr(0, 300);
}

/// During an upgrade the master runs another version.
TEST(CopyMessageTest, IgnoresPartsOfOtherVersions) {
  RecordStore store;
  store.replace(Part::kLids, {{"a", "1"}});
  store.replace(Part::kJobs, {{"b", "2"}});
  const std::string newer = [&] {
    std::string text = encode(message_after(store, kEpoch, kMaster, "", 0, kAll));
    for (std::size_t at = 0; (at = text.find("\"jobs\"", at)) != std::string::npos;)
      text.replace(at, 6, "\"sojb\"");
    return text;
  }();
  Follower follower;
  ASSERT_TRUE(follower.take(newer));
  EXPECT_TRUE(follower.is_complete());
  EXPECT_EQ(follower.copy().last(), 2u);
  EXPECT_EQ(follower.copy().count(Part::kLids), 1u);
  EXPECT_EQ(follower.copy().count(Part::kJobs), 0u);
}

TEST(CopyMessageTest, DoesNotQuoteTheTextOfRecords) {
  RecordStore store;
  store.replace(Part::kMkeys, {{"a", "secret"}});
  std::string text = encode(message_after(store, kEpoch, kMaster, "", 0, kAll));
  text.replace(text.find("\"secret\""), 8, "[\"secret\"]");
  const auto decoded = decode_copy(text);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message.find("secret"), std::string::npos);
}

TEST(FollowerTest, KeepsTheOldCopyUntilTheNewCopyIsComplete) {
  RecordStore old, next;
  old.replace(Part::kLids, {{"a", "1"}});
  next.replace(Part::kLids, {{"b", "2"}, {"c", "3"}});
  Follower follower;
  ASSERT_TRUE(follower.take(answer_to(follower, old)));
  EXPECT_TRUE(follower.is_complete());
  ASSERT_TRUE(follower.take(answer_to(follower, next, 1, kNextEpoch)));
  EXPECT_EQ(follower.epoch(), kEpoch);
  EXPECT_TRUE(have_same_state(follower.copy(), old));
  EXPECT_EQ(follower.missing(), 1u);
  ASSERT_TRUE(follower.take(answer_to(follower, next, 1, kNextEpoch)));
  EXPECT_EQ(follower.epoch(), kNextEpoch);
  EXPECT_TRUE(have_same_state(follower.copy(), next));
}

/// The first answer of a term arrives again after the copy has confirmed later changes.
TEST(FollowerTest, DoesNotReturnToAnOlderState) {
  RecordStore store, next;
  store.replace(Part::kLids, {{"a", "1"}});
  Follower follower;
  const std::string first = answer_to(follower, store);
  ASSERT_TRUE(follower.take(first));
  store.replace(Part::kLids, {{"a", "1"}, {"b", "2"}});
  ASSERT_TRUE(follower.take(answer_to(follower, store)));
  EXPECT_FALSE(follower.take(first));
  EXPECT_TRUE(have_same_state(follower.copy(), store));
  next.replace(Part::kLids, {{"c", "3"}, {"d", "4"}, {"e", "5"}});
  ASSERT_TRUE(follower.take(answer_to(follower, next, 1, kNextEpoch)));
  EXPECT_FALSE(follower.take(first))
      << "an old answer is refused also during the copy of the next term";
  EXPECT_TRUE(have_same_state(follower.copy(), store));
  EXPECT_EQ(follower.position().epoch, kNextEpoch);
}

TEST(FollowerTest, IsNotCompleteInTheMiddleOfChanges) {
  RecordStore store;
  store.replace(Part::kLids, {{"a", "1"}});
  Follower follower;
  ASSERT_TRUE(follower.take(answer_to(follower, store)));
  store.replace(Part::kLids, {{"a", "2"}, {"b", "2"}});
  ASSERT_TRUE(follower.take(answer_to(follower, store, 1)));
  EXPECT_FALSE(follower.is_complete());
  EXPECT_EQ(follower.save(), "");
  ASSERT_TRUE(follower.take(answer_to(follower, store, 1)));
  EXPECT_TRUE(follower.is_complete());
}

TEST(FollowerTest, CopiesAgainAfterAnotherChecksum) {
  RecordStore store, other;
  store.replace(Part::kLids, {{"a", "1"}});
  other.replace(Part::kLids, {{"a", "2"}});
  Follower follower;
  CopyMessage message = message_after(store, kEpoch, kMaster, "", 0, kAll);
  (*message.checksums)[0] = other.checksum(Part::kLids);
  EXPECT_FALSE(follower.take(encode(message)));
  EXPECT_FALSE(follower.is_complete());
  EXPECT_EQ(follower.mismatches(), 1u);
  ASSERT_TRUE(follower.take(answer_to(follower, store)));
  EXPECT_TRUE(have_same_state(follower.copy(), store));
}

TEST(FollowerTest, CountsAChangedRecordOnceForTheSizeLimit) {
  RecordStore store;
  Records records{{"a", std::string(60, 'x')}, {"b", std::string(10, 'x')}};
  store.replace(Part::kLids, records);
  Follower follower(100);
  ASSERT_TRUE(follower.take(answer_to(follower, store)));
  records["a"] = std::string(80, 'y');
  store.replace(Part::kLids, records);
  EXPECT_TRUE(follower.take(answer_to(follower, store)));
  EXPECT_TRUE(have_same_state(follower.copy(), store));
  records["b"] = std::string(20, 'y');
  store.replace(Part::kLids, records);
  EXPECT_FALSE(follower.take(answer_to(follower, store)));
}

TEST(FollowerTest, LoadsASavedCopy) {
  RecordStore store;
  store.replace(Part::kLids, {{"a", "1"}, {"b", "2"}});
  store.replace(Part::kLids, {{"b", "2"}});
  Follower follower, restored;
  ASSERT_TRUE(follower.take(answer_to(follower, store)));
  ASSERT_TRUE(restored.load(follower.save()));
  EXPECT_TRUE(have_same_state(restored.copy(), store));
  store.replace(Part::kLids, {{"c", "3"}});
  ASSERT_TRUE(restored.take(answer_to(restored, store)));  // the answer has only the new records
  EXPECT_TRUE(have_same_state(restored.copy(), store));
}

/// Changes some records of a random part of the store.
void change(Rng& rng, RecordStore& store) {
  const auto part = static_cast<Part>(rng.below(kParts));
  Records records = store.records(part);
  for (std::uint64_t i = rng.below(4) + 1; i > 0; --i) {
    const std::string key = std::to_string(rng.below(12));
    if (rng.below(3) == 0)
      records.erase(key);
    else
      records[key] = std::to_string(rng.below(1000));
  }
  store.replace(part, records);
}

/// Answers are lost, late, repeated, truncated or altered, and masters change. Afterwards the copy
/// equals the state of the last master. At any time a complete copy equals a state that a master
/// had.
TEST(FollowerTest, ConvergesUnderLostLateAndRepeatedAnswers) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Rng rng(seed);
    RecordStore store;
    std::string epoch = kEpoch;
    Follower follower;
    std::vector<std::string> sent;
    std::set<std::string> states;  // checksums of the states of masters
    const auto sums = [](const RecordStore& of) {
      std::string all;
      for (std::size_t part = 0; part < kParts; ++part) all += of.checksum(static_cast<Part>(part));
      return all;
    };
    for (int step = 0; step < 200; ++step) {
      change(rng, store);
      states.insert(sums(store));
      if (rng.below(40) == 0) {  // another master
        store = {};
        epoch = fmt::format("{:016x}", rng.next());
        change(rng, store);
        states.insert(sums(store));
      }
      sent.push_back(answer_to(follower, store, rng.below(300), epoch));
      std::string arrived = sent[rng.below(4) == 0 ? rng.below(sent.size()) : sent.size() - 1];
      const auto fault = rng.below(10);
      if (fault == 0) continue;  // lost
      if (fault == 1) arrived.resize(rng.below(arrived.size()));
      if (fault == 2) arrived[rng.below(arrived.size())] = static_cast<char>('0' + rng.below(10));
      (void)follower.take(arrived);
      if (fault == 3) (void)follower.take(arrived);
      if (!follower.is_complete()) continue;
      ASSERT_TRUE(states.contains(sums(follower.copy()))) << "seed " << seed;
    }
    for (int step = 0;
         step < 100 && !(follower.is_complete() && follower.epoch() == epoch &&
                         follower.missing() == 0 && have_same_state(follower.copy(), store));
         ++step)
      (void)follower.take(answer_to(follower, store, 200, epoch));
    ASSERT_TRUE(have_same_state(follower.copy(), store)) << "seed " << seed;
  }
}

// ---- The master

class ReplicationTest : public ::testing::Test {
 protected:
  using Reply = std::pair<int, std::string>;
  ReplicationTest() {
    source.on_confirmed = [this](std::uint64_t version) { confirmed = version; };
    source.on_hold = [this](std::chrono::milliseconds most) { hold = most.count(); };
    source.start();
  }
  void post_all() {
    for (std::size_t part = 0; part < kParts; ++part)
      source.post(static_cast<Part>(part), {{"a", "1"}}, 1);
  }
  std::future<Reply> poll(const Follower::Position& at, std::chrono::milliseconds wait,
                          Guid standby = Guid(0x22)) {
    auto promise = std::make_shared<std::promise<Reply>>();
    auto future = promise->get_future();
    source.poll({standby, "192.0.2.1", at.epoch, at.after, wait},
                [promise](int status, std::string body) {
                  promise->set_value({status, std::move(body)});
                });
    return future;
  }
  /// Requests changes until the copy is complete.
  void follow(Follower& follower) {
    do {
      auto [status, body] = poll(follower.position(), std::chrono::minutes(1)).get();
      ASSERT_EQ(status, 200) << body;
      ASSERT_TRUE(follower.take(body));
    } while (!follower.is_complete());
  }
  /// Waits until the other thread makes the condition true. Returns false if the condition is still
  /// false after 4 minutes.
  template <class Condition>
  bool reaches(Condition condition) {
    for (int i = 0; i < 24'000 && !condition(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return condition();
  }

  Replication source{{.confirm = std::chrono::milliseconds(700), .silence = std::chrono::hours(1)}};
  std::atomic<std::uint64_t> confirmed = 0;
  std::atomic<std::int64_t> hold = 0;
};

TEST_F(ReplicationTest, RefusesStandbysUnlessMaster) {
  EXPECT_EQ(poll({}, std::chrono::minutes(1)).get().first, 409);
  source.begin_term(kMaster, kEpoch);
  EXPECT_EQ(poll({}, std::chrono::milliseconds(0)).get().first, 503);  // no records posted yet
  auto waiting = poll({}, std::chrono::minutes(1));
  source.end_term();
  EXPECT_EQ(waiting.get().first, 409);
}

TEST_F(ReplicationTest, AnswersAWaitingStandbyAfterAChange) {
  source.begin_term(kMaster, kEpoch);
  post_all();
  Follower follower;
  follow(follower);
  EXPECT_EQ(follower.copy().count(Part::kSettings), 1u);
  auto waiting = poll(follower.position(), std::chrono::minutes(1));
  source.post(Part::kSettings, {{"a", "1"}, {"b", "2"}});
  ASSERT_TRUE(follower.take(waiting.get().second));
  EXPECT_EQ(follower.copy().records(Part::kSettings).at("b"), "2");
}

TEST_F(ReplicationTest, ConfirmsTheChangesOnTheStandby) {
  source.begin_term(kMaster, kEpoch);
  post_all();
  Follower follower;
  follow(follower);
  EXPECT_EQ(hold, 0);  // the standby is not in step before it confirms
  auto waiting = poll(follower.position(), std::chrono::minutes(1));
  EXPECT_TRUE(reaches([&] { return confirmed == 1 && hold == 700; }));
  source.post(Part::kRegistrations, {{"a", "2"}}, 2);
  ASSERT_TRUE(follower.take(waiting.get().second));
  EXPECT_EQ(confirmed, 1u);
  waiting = poll(follower.position(), std::chrono::minutes(1));
  EXPECT_TRUE(reaches([&] { return confirmed == 2; }));
  EXPECT_EQ(source.status().standbys.at(0).missing, 0u);
  source.end_term();
  EXPECT_TRUE(reaches([&] { return hold == 0; }));
}

/// After a restart a standby counts as having all changes once one of its requests confirms all
/// changes.
TEST_F(ReplicationTest, HandoverRequiresRequestsAfterARestartOfTheStandby) {
  Replication::Time now{};
  Replication master{{.silence = std::chrono::hours(1), .now = [&] { return now; }}};
  const auto request = [&](std::uint64_t after) {
    now += std::chrono::milliseconds(1);
    master.poll({Guid(0x22), "192.0.2.1", kEpoch, after, std::chrono::minutes(1)},
                [](int, const std::string&) {});
    master.step();
  };
  const auto had_all_after = [&](Replication::Time since) {
    return master.had_all_after(Guid(0x22), since);
  };
  master.begin_term(kMaster, kEpoch);
  for (std::size_t part = 0; part < kParts; ++part)
    master.post(static_cast<Part>(part), {{"a", "1"}}, 1);
  const Replication::Time begin = now;
  EXPECT_EQ(had_all_after(begin), std::nullopt);  // the standby has requested no changes
  request(0);
  EXPECT_EQ(had_all_after(begin), false);
  request(kParts);
  EXPECT_EQ(had_all_after(begin), true);
  const Replication::Time restarted = now;
  EXPECT_EQ(had_all_after(restarted), false);
  master.post(Part::kLids, {{"a", "2"}});
  request(kParts);  // requests the changes after its old copy; the answer has one change
  EXPECT_EQ(had_all_after(restarted), false);
  request(kParts);  // shows that the previous answer arrived
  EXPECT_EQ(had_all_after(restarted), true);
  request(0);  // restarted without a copy
  EXPECT_EQ(had_all_after(restarted), false);
  request(kParts);
  EXPECT_EQ(had_all_after(restarted), false);
  request(kParts + 1);
  EXPECT_EQ(had_all_after(restarted), true);
}

/// The request of a failed standby is open until the connection breaks; until then the standby
/// counts as in step.
TEST_F(ReplicationTest, ProbeSucceedsWithTheNextRequestOfTheStandby) {
  constexpr auto kShort = std::chrono::milliseconds(20), kLong = std::chrono::milliseconds(120'000);
  const Guid standby(0x22);
  EXPECT_FALSE(source.probe(standby, kShort));  // this manager is not master
  source.begin_term(kMaster, kEpoch);
  post_all();
  Follower follower;
  follow(follower);
  auto open = poll(follower.position(), std::chrono::hours(1));
  ASSERT_TRUE(reaches([&] {
    const auto standbys = source.status().standbys;
    return standbys.size() == 1 && standbys[0].in_step && standbys[0].missing == 0;
  }));
  const Status dead = source.probe(standby, kShort);
  ASSERT_FALSE(dead);
  EXPECT_NE(dead.error().message.find("does not respond"), std::string::npos);
  EXPECT_EQ(open.get().first, 200) << "the open request is answered at once";

  open = poll(follower.position(), std::chrono::hours(1));
  auto probed = std::async(std::launch::async, [&] { return source.probe(standby, kLong); });
  EXPECT_EQ(open.get().first, 200);
  open = poll(follower.position(), std::chrono::hours(1));
  EXPECT_TRUE(probed.get());

  probed = std::async(std::launch::async, [&] { return source.probe(standby, kShort); });
  EXPECT_EQ(open.get().first, 200);
  open = poll({kEpoch, 0}, std::chrono::hours(1));  // restarted without a copy
  EXPECT_FALSE(probed.get());
  EXPECT_EQ(source.standbys(), std::vector{standby});
}

TEST_F(ReplicationTest, ConfirmsTheChangesOnAllStandbysInStep) {
  source.begin_term(kMaster, kEpoch);
  post_all();
  Follower follower;
  follow(follower);
  const auto at = follower.position();
  auto first = poll(at, std::chrono::minutes(1), Guid(0x22));
  auto second = poll(at, std::chrono::minutes(1), Guid(0x33));
  ASSERT_TRUE(reaches([&] { return confirmed == 1; }));
  source.post(Part::kRegistrations, {{"a", "2"}}, 2);
  ASSERT_TRUE(follower.take(first.get().second));
  second.wait();
  first = poll(follower.position(), std::chrono::milliseconds(1), Guid(0x22));
  first.wait();  // the thread has handled the confirmation
  EXPECT_EQ(confirmed, 1u);
  second = poll(follower.position(), std::chrono::minutes(1), Guid(0x33));
  EXPECT_TRUE(reaches([&] { return confirmed == 2; }));
}

TEST_F(ReplicationTest, LimitsTheNumberOfStandbys) {
  source.begin_term(kMaster, kEpoch);
  post_all();
  for (std::uint64_t i = 1; i <= Replication::kStandbysMax; ++i)
    EXPECT_EQ(poll({}, std::chrono::minutes(1), Guid(i)).get().first, 200) << i;
  const auto [status, body] = poll({}, std::chrono::minutes(1), Guid(99)).get();
  EXPECT_EQ(status, 503);
  EXPECT_NE(body.find("too many standbys"), std::string::npos) << body;
}

TEST_F(ReplicationTest, ReportsRegistrationsThatTheOtherMasterLacks) {
  source.begin_term(kMaster, kEpoch);
  post_all();
  Follower unused;
  follow(unused);
  source.post(Part::kRegistrations, {{"2", "MC Group ours"}, {"3", "MC Group both"}}, 2);
  auto waiting = poll(unused.position(), std::chrono::minutes(1));
  ASSERT_EQ(waiting.get().first, 200);
  source.end_term();
  source.follow();
  RecordStore other_master;
  other_master.replace(Part::kRegistrations, {{"2", "MC Group both"}, {"9", "MC Group theirs"}});
  const std::string answer =
      encode(message_after(other_master, kNextEpoch, Guid(0x99), "", 0, kAll));
  ASSERT_TRUE(source.take("https://sm2:9115", answer));
  const ReplicationStatus status = source.status();
  EXPECT_EQ(status.dropped, std::vector<std::string>{"MC Group ours"});
  EXPECT_EQ(status.dropped_count, 1u);
  EXPECT_TRUE(status.in_step);
  EXPECT_EQ(status.manager, Guid(0x99));
  source.lose("https://sm2:9115", "closed");
  EXPECT_FALSE(source.status().in_step);
  EXPECT_TRUE(source.copy(0).lost.has_value());
}

TEST(TakeoverTest, AcceptsACopyThatWasCompleteUntilTheMasterFailed) {
  const Replication::Time failure_time{std::chrono::hours(1)};
  Replication::Copy copy;
  copy.is_complete = true;
  EXPECT_EQ(reason_incomplete(copy, failure_time + std::chrono::hours(1)),
            "");  // the connection is open
  copy.lost = failure_time;
  EXPECT_EQ(reason_incomplete(copy, failure_time - std::chrono::seconds(10)), "");
  EXPECT_EQ(reason_incomplete(copy, failure_time), "");
  EXPECT_NE(reason_incomplete(copy, failure_time + std::chrono::milliseconds(1)), "");
  copy.lost.reset();
  copy.is_complete = false;
  EXPECT_NE(reason_incomplete(copy, failure_time), "");
}

TEST(ReplicationPeersTest, RequireHttpsForOtherMachines) {
  for (const char* good : {"", "https://sm2:9115", "https://[2001:db8::1]:9115,https://sm3",
                           "http://127.0.0.1:9115", "http://[::1]:1 , http://localhost"})
    EXPECT_TRUE(parse_replication_peers(good)) << good;
  EXPECT_EQ(parse_replication_peers("https://a, https://b:1")->size(), 2u);
  for (const char* bad : {"sm2", "http://sm2:9115", "https://", "https://a/b", "https://u@a",
                          "https://a:0", "https://a:99999", "ftp://a", "https://a,,b"})
    EXPECT_FALSE(parse_replication_peers(bad)) << bad;
  for (const char* name : {"http://127.example.com", "http://127.0.0.1.example.com:9115",
                           "http://[::1].example.com:9115", "http://128.0.0.1"})
    EXPECT_FALSE(parse_replication_peers(name)) << name;
}

}  // namespace
}  // namespace weft::replication
