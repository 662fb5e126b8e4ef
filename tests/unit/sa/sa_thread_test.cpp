// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests answered on the receiving thread, and requests answered on the SA thread.
#include "sa/sa_thread.h"

#include <condition_variable>
#include <deque>

#include "sa/paths/paths.h"
#include "support/sa_subnet.h"

namespace weft {
namespace {

/// Transport of the SA thread: the test injects received MADs and reads sent MADs.
class Wire final : public GmpTransport {
 public:
  Status send(const Gmp& gmp) override {
    const std::lock_guard lock(mutex_);
    sent_.push_back(gmp);
    changed_.notify_all();
    return {};
  }
  std::optional<Gmp> receive() override {
    const std::lock_guard lock(mutex_);
    if (inbox_.empty()) return std::nullopt;
    Gmp gmp = inbox_.front();
    inbox_.pop_front();
    return gmp;
  }
  void wait_until(TimeNs) override {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(100),
                      [&] { return woken_ || !inbox_.empty(); });
    woken_ = false;
  }
  void wake() override {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    ++wakes_;
    changed_.notify_all();
  }
  unsigned wakes() {
    const std::lock_guard lock(mutex_);
    return wakes_;
  }
  void inject(const Gmp& gmp) {
    const std::lock_guard lock(mutex_);
    inbox_.push_back(gmp);
    changed_.notify_all();
  }
  bool wait_for_sent(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(240),
                             [&] { return sent_.size() >= count; });
  }
  std::vector<Gmp> sent() {
    const std::lock_guard lock(mutex_);
    return sent_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Gmp> inbox_;
  std::vector<Gmp> sent_;
  bool woken_ = false;
  unsigned wakes_ = 0;
};

class AtOnce : public ::testing::Test {
 protected:
  void SetUp() override {
    subnet.start();
    const Endport& own = subnet.snapshot().fabric.endport(subnet.client_endport());
    lid = own.lid;
    gid = make_gid(SaOptions{}.subnet_prefix, subnet.snapshot().fabric.port(own.port).guid);
  }
  Gmp path(Method method, bool to_all = false) {
    PathRecord record;
    record.sgid = record.dgid = gid;
    using namespace sa::path_bit;
    return from_client(subnet.client->request(method, SaAttribute::kPathRecord,
                                              1u << kSgid | (to_all ? 0 : 1u << kDgid), record));
  }
  Gmp from_client(Gmp gmp) const {
    gmp.peer.lid = lid;
    return gmp;
  }

  /// Repeats a request until it is answered: the SA thread ignores requests until it uses the
  /// published snapshot.
  void wait_until_answered(SaThread& thread) {
    while (wire.sent().empty()) thread.answer_at_once(path(Method::kGet));
  }

  SaSubnet subnet{fabric_of("fattree2:k=4")};
  Lid lid;
  Gid gid{};
  RealClock clock;
  Wire wire;
};

TEST_F(AtOnce, AnswersOnlyPathsBetweenTwoPorts) {
  SaThread thread({}, wire, clock);
  thread.publish(subnet.managed.sm().snapshot());
  wait_until_answered(thread);
  const Gmp ports = from_client(subnet.client->request(Method::kGet, SaAttribute::kClassPortInfo));
  for (const Gmp& gmp :
       {path(sa_method::kGetTable), path(Method::kGet, true),
        from_client(subnet.client->request(Method::kGet, SaAttribute::kNodeRecord)), ports})
    EXPECT_FALSE(thread.answer_at_once(gmp));
  EXPECT_EQ(wire.sent().size(), 1u);
  // answer_at_once() refuses requests while the SA thread is busy.
  while (!thread.answer_at_once(path(Method::kGet))) std::this_thread::yield();
  ASSERT_EQ(wire.sent().size(), 2u);
  EXPECT_EQ(wire.sent()[1].status, mad_status::kGood);
  EXPECT_EQ(decode_path_record(sa_data(wire.sent()[1]).first<PathRecord::kSize>()).dlid, lid);
}

TEST_F(AtOnce, NothingIsAnsweredAfterTheSnapshotIsWithdrawn) {
  SaThread thread({}, wire, clock);
  thread.publish(subnet.managed.sm().snapshot());
  wait_until_answered(thread);
  thread.publish(nullptr);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(thread.answer_at_once(path(Method::kGet)));
}

TEST_F(AtOnce, TheThreadIsWokenForEachTask) {
  SaThread thread({}, wire, clock);
  unsigned wakes = 0;
  thread.request_dump();
  EXPECT_EQ(wire.wakes(), ++wakes);
  thread.post([](const SaServer&) {});
  EXPECT_EQ(wire.wakes(), ++wakes);
  thread.on_trap({});
  EXPECT_EQ(wire.wakes(), ++wakes);
  thread.set_options({});
  EXPECT_EQ(wire.wakes(), ++wakes);
  thread.publish(subnet.managed.sm().snapshot());
  EXPECT_EQ(wire.wakes(), ++wakes);
}

TEST_F(AtOnce, EveryAcceptedRequestIsAnswered) {
  SaThread thread({}, wire, clock);
  thread.publish(subnet.managed.sm().snapshot());
  wait_until_answered(thread);
  constexpr std::size_t kRequests = 3000;
  for (std::size_t i = 0; i < kRequests; ++i) {
    thread.accept(
        i % 3 == 0 ? from_client(subnet.client->request(Method::kGet, SaAttribute::kClassPortInfo))
                   : path(Method::kGet));
    if (i % 100 == 0) thread.publish(subnet.managed.sm().snapshot());
  }
  ASSERT_TRUE(wire.wait_for_sent(1 + kRequests));
  for (const Gmp& answer : wire.sent()) EXPECT_EQ(answer.status, mad_status::kGood);
}

TEST_F(AtOnce, BothThreadsAnswerWhileSnapshotsArePublished) {
  SaThread thread({}, wire, clock);
  thread.publish(subnet.managed.sm().snapshot());
  wait_until_answered(thread);
  constexpr std::size_t kRequests = 4000;
  for (std::size_t i = 0; i < kRequests; ++i) {
    const Gmp gmp = path(Method::kGet);
    if (i % 3 == 0 || !thread.answer_at_once(gmp)) wire.inject(gmp);
    if (i % 100 == 0) thread.publish(subnet.managed.sm().snapshot());
  }
  ASSERT_TRUE(wire.wait_for_sent(1 + kRequests));
  for (const Gmp& answer : wire.sent()) EXPECT_EQ(answer.status, mad_status::kGood);
}

}  // namespace
}  // namespace weft
