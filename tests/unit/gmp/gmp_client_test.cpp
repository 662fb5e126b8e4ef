// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests to agents: retries, transaction ids of retries, and the answers that are accepted.
#include "gmp/gmp_client.h"

#include <gtest/gtest.h>

#include <set>

namespace weft {
namespace {

/// Stores sent MADs. The client receives only the answers that the test adds by answer().
class Wire final : public GmpTransport {
 public:
  Status send(const Gmp& gmp) override {
    sent.push_back(gmp);
    return {};
  }
  std::optional<Gmp> receive() override {
    if (arrived.empty()) return std::nullopt;
    const Gmp gmp = arrived.front();
    arrived.pop_front();
    return gmp;
  }
  void wait_until(TimeNs deadline) override { clock.advance_to(deadline); }
  void wake() override {}
  void answer(Gmp gmp) {
    gmp.method = Method::kGetResp;
    arrived.push_back(gmp);
  }

  VirtualClock clock;
  std::vector<Gmp> sent;
  std::deque<Gmp> arrived;
};

Gmp request_of_counters() {
  Gmp gmp;
  gmp.mgmt_class = MgmtClass::kPerf;
  gmp.method = Method::kGet;
  gmp.attribute = 0x12;
  return gmp;
}

/// Advances the clock until all tries of all requests are sent.
void send_all_tries(Wire& wire, GmpClient& client, unsigned tries) {
  for (unsigned i = 1; i < tries; ++i) {
    wire.clock.advance_to(client.next_event());
    client.step();
  }
}

TEST(GmpClient, UsesADifferentTransactionIdForEveryTry) {
  Wire wire;
  GmpClient client(wire, wire.clock, {});
  for (unsigned i = 0; i < 3; ++i) client.send_request(i, request_of_counters());
  send_all_tries(wire, client, 4);
  ASSERT_EQ(wire.sent.size(), 12u);
  std::set<std::uint32_t> ids;
  for (const Gmp& gmp : wire.sent) ids.insert(static_cast<std::uint32_t>(gmp.transaction_id));
  EXPECT_EQ(ids.size(), 12u);
  EXPECT_FALSE(ids.contains(0));
  EXPECT_FALSE(client.next());
  wire.clock.advance_to(client.next_event());
  client.step();
  for (unsigned i = 0; i < 3; ++i) {
    const auto outcome = client.next();
    ASSERT_TRUE(outcome);
    EXPECT_FALSE(outcome->answer);
  }
  EXPECT_EQ(client.outstanding(), 0u);
  EXPECT_EQ(client.next_event(), TimeNs::max());
}

TEST(GmpClient, AcceptsTheAnswerToAnyTryOnce) {
  for (unsigned answered = 0; answered < 4; ++answered) {
    SCOPED_TRACE(answered);
    Wire wire;
    GmpClient client(wire, wire.clock, {});
    client.send_request(7, request_of_counters());
    send_all_tries(wire, client, 4);
    ASSERT_EQ(wire.sent.size(), 4u);
    wire.answer(wire.sent[answered]);
    for (const Gmp& gmp : wire.sent) wire.answer(gmp);
    client.step();
    const auto outcome = client.next();
    ASSERT_TRUE(outcome && outcome->answer);
    EXPECT_EQ(outcome->ticket, 7u);
    EXPECT_EQ(outcome->answer->transaction_id, wire.sent[answered].transaction_id);
    EXPECT_FALSE(client.next());
    EXPECT_EQ(client.outstanding(), 0u);
    EXPECT_EQ(client.next_event(), TimeNs::max());
  }
}

}  // namespace
}  // namespace weft
