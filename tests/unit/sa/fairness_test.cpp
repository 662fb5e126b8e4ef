// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests of other ports are served in time while one port floods the SA.
#include "ib/fair_queue.h"

#include "sa/paths/paths.h"
#include "support/sa_subnet.h"

namespace weft {
namespace {

Gmp from(unsigned lid, std::uint64_t transaction = 0) {
  Gmp gmp;
  gmp.peer.lid = Lid(static_cast<std::uint16_t>(lid));
  gmp.transaction_id = transaction;
  return gmp;
}

TEST(FairQueue, ServesPortsInTurnAndRequestsOfAPortInOrder) {
  FairQueue<Gmp> queue;
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_TRUE(queue.push(from(7, i), Lid(7)));
  EXPECT_TRUE(queue.push(from(8, 10), Lid(8)));
  EXPECT_TRUE(queue.push(from(9, 20), Lid(9)));
  EXPECT_TRUE(queue.push(from(9, 21), Lid(9)));
  std::vector<std::uint64_t> order;
  while (const auto gmp = queue.pop()) order.push_back(gmp->transaction_id);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{10, 0, 20, 1, 21, 2, 3}));
  EXPECT_TRUE(queue.empty());
}

TEST(FairQueue, ServesRequestsOfIdlePortsFirst) {
  FairQueue<Gmp> queue;
  for (unsigned lid = 1; lid <= 10; ++lid)
    for (unsigned i = 0; i < 3; ++i) queue.push(from(lid), Lid(static_cast<std::uint16_t>(lid)));
  for (unsigned lid = 1; lid <= 10; ++lid) EXPECT_EQ(queue.pop()->peer.lid.value(), lid);
  queue.push(from(77), Lid(77));
  EXPECT_EQ(queue.pop()->peer.lid, Lid(77))
      << "LID 77 is served before the second requests of the other LIDs";
  queue.push(from(77), Lid(77));
  for (unsigned lid = 1; lid <= 10; ++lid)
    EXPECT_EQ(queue.pop()->peer.lid.value(), lid)
        << "the next request of LID 77 waits for one request of each other LID";
  EXPECT_EQ(queue.pop()->peer.lid, Lid(77));
}

TEST(FairQueue, ServesPortsWithOneRequestBeforeThoseWithSeveral) {
  FairQueue<Gmp> queue;
  for (unsigned lid = 1; lid <= 10; ++lid)
    for (unsigned i = 0; i < 2; ++i) queue.push(from(lid), Lid(static_cast<std::uint16_t>(lid)));
  queue.push(from(77), Lid(77));
  EXPECT_EQ(queue.pop()->peer.lid, Lid(77))
      << "LID 77 is served first, although all other requests arrived earlier";
  for (unsigned lid = 1; lid <= 10; ++lid) EXPECT_EQ(queue.pop()->peer.lid.value(), lid);
}

TEST(FairQueue, HasRoomForOtherPortsWhileOnePortFloods) {
  FairQueue<Gmp> queue;
  std::size_t accepted = 0;
  for (unsigned i = 0; i < 100'000; ++i)
    if (queue.push(from(1), Lid(1))) ++accepted;
  EXPECT_LE(accepted, QueueLimits{}.shared / 2 + QueueLimits{}.own);
  for (unsigned lid = 2; lid < 2000; ++lid)
    EXPECT_TRUE(queue.push(from(lid), Lid(static_cast<std::uint16_t>(lid))));
  for (unsigned round = 0; round < 200; ++round)
    for (unsigned lid = 1; lid < 0xC000; ++lid)
      queue.push(from(lid), Lid(static_cast<std::uint16_t>(lid)));
  EXPECT_LE(queue.size(), QueueLimits{}.all);
}

// Host 1 of 32 sends 1000 requests in each step of the test, about four times as many as the SA
// serves in a step; the last host requests one path at a time.
TEST(Fairness, AFloodFromOnePortDoesNotDelayRequestsOfOtherPorts) {
  constexpr unsigned kFlood = 1000, kRequests = 50, kStepsMax = 3;
  SaSubnet subnet{fabric_of("fattree2:k=8")};
  subnet.start();
  ManagedSubnet& managed = subnet.managed;
  GmpTransport& flooder = managed.emulated().attach_gmps(
      EndportId(managed.fabric().switch_count() + 1), MgmtClass::kSubnAdm);
  GmpTransport& own_endport = subnet.queries();
  const auto make_request = [&] {
    PathRecord path;
    path.slid = subnet.snapshot().fabric.endport(subnet.client_endport()).lid;
    path.dlid = subnet.snapshot().sm_lid();
    return subnet.client->request(Method::kGet, SaAttribute::kPathRecord,
                                  1u << sa::path_bit::kDlid | 1u << sa::path_bit::kSlid, path);
  };
  unsigned answered = 0, longest = 0;
  std::uint64_t flooder_answered = 0;
  for (unsigned request_index = 0; request_index < kRequests; ++request_index) {
    const Gmp own_request = make_request();
    ASSERT_TRUE(subnet.client->transport().send(own_request));
    bool done = false;
    for (unsigned step = 1; step <= kStepsMax && !done; ++step) {
      for (unsigned i = 0; i < kFlood; ++i) ASSERT_TRUE(flooder.send(make_request()));
      managed.emulated().run_for(std::chrono::microseconds(100));
      serve(*subnet.server, own_endport, managed.emulated().clock());
      managed.emulated().run_for(std::chrono::microseconds(100));
      while (const auto gmp = subnet.client->transport().receive())
        done = done || gmp->transaction_id == own_request.transaction_id;
      while (flooder.receive()) ++flooder_answered;
      if (done) longest = std::max(longest, step);
    }
    if (done) ++answered;
  }
  RecordProperty("steps_at_most", static_cast<int>(longest));
  EXPECT_EQ(answered, kRequests);
  EXPECT_LE(longest, 2u);
  EXPECT_GT(flooder_answered, 100u * kRequests)
      << "requests of the flooding port are answered in the remaining time";
  for (unsigned i = 0; i < 1000 && subnet.server->waiting() > 0; ++i)
    serve(*subnet.server, own_endport, managed.emulated().clock());
  EXPECT_EQ(subnet.server->waiting(), 0u);
}

}  // namespace
}  // namespace weft
