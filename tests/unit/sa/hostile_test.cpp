// Requests that make no sense, as many as a minute allows: the server answers with a status or not
// at all, and holds nothing afterwards.
#include "asking.h"
#include "base/rng.h"

namespace weft {
namespace {

TEST(Hostile, AnyBytesAreSurvived) {
  Asking asking{generated("fattree2:k=4")};
  asking.start();
  std::uint64_t sent = 0;
  SaServer server({}, [&](const Gmp& gmp) {
    ++sent;
    EXPECT_TRUE(is_response(gmp.method) || rmpp_header(gmp).active);
  });
  server.publish(asking.managed.sm().snapshot());
  Rng rng(7);
  TimeNs now{0};
  const auto attributes = {0x01, 0x03, 0x11, 0x12, 0x13, 0x14, 0x15, 0x17, 0x18, 0x20,
                           0x30, 0x31, 0x33, 0x35, 0x36, 0x38, 0x3A, 0xF3, 0x99};
  for (unsigned i = 0; i < 20'000; ++i) {
    Gmp gmp = asking.request(static_cast<Method>(rng.below(256)), SaAttribute::kNodeRecord);
    if (rng.chance(0.9)) gmp.method = rng.chance(0.7) ? Method::kGet : sa_method::kGetTable;
    gmp.attribute =
        static_cast<std::uint16_t>(*(attributes.begin() + rng.below(attributes.size())));
    for (std::byte& byte : gmp.data)
      if (rng.chance(0.5)) byte = static_cast<std::byte>(rng.below(256));
    if (rng.chance(0.9)) gmp.data[2] = std::byte{0};                           // mostly not RMPP
    if (rng.chance(0.9)) std::fill_n(gmp.data.begin() + 12, 8, std::byte{0});  // SM_Key
    if (rng.chance(0.5)) std::fill_n(gmp.data.begin() + 24, 8, std::byte{0});  // mask
    gmp.peer.lid = Lid(static_cast<std::uint16_t>(1 + rng.below(20)));
    gmp.transaction_id = rng.below(4);
    server.on_gmp(gmp, now);
    now += TimeNs{100'000};
    server.step(now);
  }
  EXPECT_GT(sent, 1000u);
  now += std::chrono::minutes(1);
  for (int i = 0; i < 100; ++i) server.step(now += std::chrono::seconds(1));
  EXPECT_EQ(server.transfers_under_way(), 0u);
}

TEST(Hostile, AnotherVersionOfTheClassIsTold) {
  Asking asking{generated("fattree2:k=4")};
  asking.start();
  Gmp gmp = asking.request(Method::kGet, SaAttribute::kClassPortInfo);
  gmp.class_version = 3;
  const auto reply = asking.ask(gmp);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, mad_status::kBadVersion);
}

}  // namespace
}  // namespace weft
