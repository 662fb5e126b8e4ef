// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// opensm-sa.dump: a file that is written and read gives the same records; errors name the file.
#include "sa/dump/dump.h"

#include <chrono>
#include "base/rng.h"
#include "sa/state.h"
#include "support/sa_subnet.h"

namespace weft::sa {
namespace {

constexpr std::uint64_t kTimeOfDump = 1'800'000'000;  // seconds since 1970

class Dump : public ::testing::Test {
 protected:
  void SetUp() override {
    subnet.start();
    view.emplace(std::make_shared<const Snapshot>(subnet.snapshot()), subnet.options,
                 &state.aliases);
    state.groups.follow(&*view);
    own = view->fabric().port(view->fabric().endport(view->endports().back()).port).guid;
    state.aliases.set(own, 9, Guid(0x99));
    McMemberRecord group;
    group.mgid = make_gid(std::uint64_t{0xFF15} << 48, Guid(7));
    group.qkey = 0x1234;
    group.pkey = Pkey(0xFFFF);
    group.sl = Sl(3);
    group.flow_label = 0xABCDE;
    group.hop_limit = 9;
    group.tclass = 4;
    group.mtu = 4;
    group.rate = 3;
    group.life = 18;
    group.mtu_selector = group.rate_selector = group.life_selector = Selector::kExactly;
    ASSERT_TRUE(state.groups.create(group, 5, *view));
    state.groups.join(group.mgid, own, {1, false, own});
    state.groups.join(group.mgid, Guid(0x99), {4, true, own});
    Subscription subscription;
    subscription.subscriber = make_gid(subnet.options.subnet_prefix, own);
    subscription.info = {.gid = {},
                         .lid_begin = Lid(0xFFFF),
                         .lid_end = Lid(0),
                         .generic = true,
                         .subscribe = true,
                         .type = 3,
                         .trap = 64,
                         .qpn = 0x1234,
                         .response_time_value = 18,
                         .producer = 4};
    subscription.address.lid = view->fabric().endport(view->endports().back()).lid;
    subscription.address.qpn = 0x1234;
    ASSERT_TRUE(state.subscriptions.add(subscription));
    for (const std::uint32_t lease : {Services::kForEver, 600u}) {
      Service service;
      service.record.id = lease;
      service.record.gid = subscription.subscriber;
      service.record.lease = lease;
      const std::string name = "it's = \\ \x01 \xff 'here'";
      std::transform(name.begin(), name.end(), service.record.name.begin(),
                     [](char c) { return static_cast<std::byte>(c); });
      for (std::size_t i = 0; i < 64; ++i) service.record.data[i] = static_cast<std::byte>(i);
      if (lease != Services::kForEver) service.expires = now + std::chrono::seconds(lease);
      ASSERT_TRUE(state.services.put(service));
    }
  }
  std::string text(const State& of) const {
    return dump_text(of, *view, now, std::chrono::seconds(kTimeOfDump));
  }

  SaSubnet subnet{fabric_of("fattree2:k=4")};
  State state;
  std::optional<SaView> view;
  Guid own;
  TimeNs now{std::chrono::seconds(1000)};
};

TEST_F(Dump, ReadingAWrittenDumpRestoresTheState) {
  const auto saved = read_dump(LineReader::over(text(state), "dump"));
  ASSERT_TRUE(saved.has_value()) << saved.error().message;
  State restored;
  const SaView restored_view(view->shared_snapshot(), subnet.options, &restored.aliases);
  restored.groups.follow(&restored_view);
  restore(*saved, restored, restored_view, now, kTimeOfDump);
  EXPECT_EQ(text(restored), text(state));
  EXPECT_EQ(restored.groups.all().size(), state.groups.all().size());
  EXPECT_EQ(restored.aliases.at(own, 9), Guid(0x99));
  EXPECT_EQ(restored.subscriptions.size(), 1u);
  EXPECT_EQ(restored.services.size(), 2u);
}

TEST_F(Dump, IsTheSameAtOtherMomentsOfTheLease) {
  const std::string before = text(state);
  for (const auto later : {300, 700, 1300})
    EXPECT_EQ(dump_text(state, *view, now + std::chrono::milliseconds(later),
                        std::chrono::seconds(kTimeOfDump) + std::chrono::milliseconds(later)),
              before);
}

TEST_F(Dump, LeasesExpireWhileNoManagerRuns) {
  const auto saved = read_dump(LineReader::over(text(state), "dump"));
  ASSERT_TRUE(saved.has_value());
  for (const auto& [later, left] : {std::pair{599u, 2u}, std::pair{600u, 1u}}) {
    State restored;
    const SaView restored_view(view->shared_snapshot(), subnet.options, &restored.aliases);
    restored.groups.follow(&restored_view);
    restore(*saved, restored, restored_view, now, kTimeOfDump + later);
    EXPECT_EQ(restored.services.size(), left) << later;
  }
}

TEST_F(Dump, KeepsServicesOfMulticastGidsAndOfEveryPrefix) {
  State registrations;
  const auto offer = [&](const Gid& gid) {
    Service service;
    service.record.id = registrations.services.size();
    service.record.gid = gid;
    service.record.lease = Services::kForEver;
    ASSERT_TRUE(registrations.services.put(service));
  };
  offer(make_gid(std::uint64_t{0xFF12} << 48, Guid(0x40)));
  offer(make_gid(0x80FE, own));  // registered by a client that swapped the bytes of the prefix
  offer(make_gid(subnet.options.subnet_prefix, Guid(0xDEAD)));
  const auto saved = read_dump(LineReader::over(text(registrations), "dump"));
  ASSERT_TRUE(saved.has_value()) << saved.error().message;
  State restored;
  restore(*saved, restored, *view, now, kTimeOfDump);
  std::vector<std::uint64_t> kept;
  restored.services.for_all([&](const Service& service) { kept.push_back(service.record.id); });
  EXPECT_EQ(kept, (std::vector<std::uint64_t>{1, 0}));
}

TEST_F(Dump, ErrorsOfDamagedDumpsNameTheFile) {
  const std::string whole = text(state);
  Rng rng(11);
  unsigned refused = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    std::string damaged = whole;
    for (unsigned n = 0; n <= rng.below(3); ++n)
      damaged[rng.below(damaged.size())] = static_cast<char>(rng.below(256));
    if (rng.below(4) == 0) damaged.resize(rng.below(damaged.size()));
    const auto saved = read_dump(LineReader::over(damaged, "dump"));
    if (saved) {
      State restored;
      const SaView restored_view(view->shared_snapshot(), subnet.options, &restored.aliases);
      restored.groups.follow(&restored_view);
      restore(*saved, restored, restored_view, now, kTimeOfDump);
      continue;
    }
    ++refused;
    EXPECT_TRUE(saved.error().message.starts_with("dump:")) << saved.error().message;
  }
  EXPECT_GT(refused, 500u);
}

TEST_F(Dump, DropsRecordsOfAbsentPorts) {
  const auto saved = read_dump(LineReader::over(
      "MC Group 0xc005 : mgid=0xff15000000000000:0x0000000000000001 port_gid=0x0:0x0 qkey=0x1 "
      "mlid=0xc005 mtu=0x84 tclass=0x00 pkey=0xffff rate=0x83 pkt_life=0x92 sl_flow_hop=0x0 "
      "scope_state=0x51 proxy_join=0x0\n"
      "mcm_port: port_gid=0xfe80000000000000:0x00000000deadbeef scope_state=0x51 proxy_join=0x0\n",
      "dump"));
  ASSERT_TRUE(saved.has_value()) << saved.error().message;
  State restored;
  restore(*saved, restored, *view, now, kTimeOfDump);
  EXPECT_EQ(restored.groups.all().size(), 0u);
}

}  // namespace
}  // namespace weft::sa
