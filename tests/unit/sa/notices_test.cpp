// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Subscriptions and reports: receivers, repetitions, and end of subscriptions.
#include <set>

#include "support/sa_subnet.h"

namespace weft {
namespace {

constexpr std::uint16_t kEvery16 = 0xFFFF;
constexpr std::uint32_t kEvery24 = 0xFFFFFF;

InformInfo subscription_to_all() {
  InformInfo info;
  info.lid_begin = Lid(kEvery16);
  info.generic = true;
  info.subscribe = true;
  info.type = info.trap = kEvery16;
  info.producer = kEvery24;
  info.qpn = kGsiQpn;
  return info;
}

Notice trap_from(Lid lid, TrapNumber number, NoticeType type = NoticeType::kUrgent) {
  Notice notice;
  notice.type = type;
  notice.trap = static_cast<std::uint16_t>(number);
  notice.producer = static_cast<std::uint32_t>(Producer::kSwitch);
  notice.issuer_lid = lid;
  return notice;
}

class Notices : public ::testing::Test {
 protected:
  void SetUp() override { subnet.start(); }
  std::uint16_t send_inform_info(InformInfo info, std::uint64_t sm_key = 0) {
    const auto reply = subnet.client->query(
        subnet.client->request(Method::kSet, SaAttribute::kInformInfo, 0, info, sm_key));
    return reply ? reply->status : std::uint16_t{0xFFFF};
  }
  /// Returns the reports that arrive within `span`, and acknowledges them if `acknowledge`.
  /// `issuer` is set to the issuer GID of the last report.
  std::vector<Notice> reports(bool acknowledge, TimeNs span = std::chrono::milliseconds(20)) {
    std::vector<Notice> received;
    const TimeNs end = subnet.managed.emulated().clock().now() + span;
    while (subnet.managed.emulated().clock().now() < end) {
      subnet.step_network();
      while (const auto gmp = subnet.client->transport().receive()) {
        if (gmp->method != Method::kReport) continue;
        EXPECT_EQ(gmp->attribute, static_cast<std::uint16_t>(SaAttribute::kNotice));
        received.push_back(*decode_notice(sa_data(*gmp).first<kSmpDataSize>()));
        std::ranges::copy(sa_data(*gmp).subspan(kSmpDataSize, sizeof(Gid)), issuer.begin());
        if (!acknowledge) continue;
        Gmp answer = *gmp;
        answer.method = Method::kReportResp;
        EXPECT_TRUE(subnet.client->transport().send(answer));
      }
    }
    return received;
  }
  Lid other_lid() { return subnet.snapshot().sm_lid(); }
  SaSubnet subnet{fabric_of("fattree2:k=4")};
  Gid issuer{};
};

TEST_F(Notices, ReachSubscribersOnly) {
  subnet.server->on_trap(trap_from(other_lid(), TrapNumber::kLinkStateChange));
  EXPECT_TRUE(reports(true).empty());
  EXPECT_EQ(send_inform_info(subscription_to_all()), mad_status::kGood);
  subnet.server->on_trap(trap_from(other_lid(), TrapNumber::kLinkStateChange));
  const auto received = reports(true);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0], trap_from(other_lid(), TrapNumber::kLinkStateChange));
  EXPECT_EQ(guid_of(issuer),
            subnet.snapshot()
                .fabric.port(subnet.snapshot().fabric.endport(subnet.snapshot().sm).port)
                .guid);
  InformInfo end = subscription_to_all();
  end.subscribe = false;
  EXPECT_EQ(send_inform_info(end), mad_status::kGood);
  subnet.server->on_trap(trap_from(other_lid(), TrapNumber::kLinkStateChange));
  EXPECT_TRUE(reports(true).empty());
}

TEST_F(Notices, AreSentUpToFourTimesUntilAcknowledged) {
  EXPECT_EQ(send_inform_info(subscription_to_all()), mad_status::kGood);
  subnet.server->on_trap(trap_from(other_lid(), TrapNumber::kLinkStateChange));
  EXPECT_EQ(reports(false, std::chrono::seconds(10)).size(), 4u);
  EXPECT_EQ(subnet.server->report_counts().given_up, 1u);
  subnet.server->on_trap(trap_from(other_lid(), TrapNumber::kLinkStateChange));
  EXPECT_EQ(reports(true, std::chrono::seconds(10)).size(), 1u);
  EXPECT_EQ(subnet.server->report_counts().acknowledged, 1u);
}

/// ib_umad refuses a request with the transaction id of a pending request.
TEST_F(Notices, UseADifferentTransactionIdForEveryTry) {
  EXPECT_EQ(send_inform_info(subscription_to_all()), mad_status::kGood);
  for (int i = 0; i < 2; ++i)
    subnet.server->on_trap(trap_from(other_lid(), TrapNumber::kLinkStateChange));
  std::vector<Gmp> sent;
  const auto& clock = subnet.managed.emulated().clock();
  for (const TimeNs end = clock.now() + std::chrono::milliseconds(2500); clock.now() < end;) {
    subnet.step_network();
    while (const auto gmp = subnet.client->transport().receive())
      if (gmp->method == Method::kReport) sent.push_back(*gmp);
  }
  ASSERT_EQ(sent.size(), 6u);
  std::set<std::uint32_t> ids;
  for (const Gmp& gmp : sent) ids.insert(static_cast<std::uint32_t>(gmp.transaction_id));
  EXPECT_EQ(ids.size(), sent.size());
  // The first answer to any try acknowledges a report; later answers are ignored.
  for (const std::size_t answered : {0u, 3u, 1u, 2u}) {
    Gmp answer = sent[answered];
    answer.method = Method::kReportResp;
    EXPECT_TRUE(subnet.client->transport().send(answer));
  }
  reports(false);
  EXPECT_EQ(subnet.server->report_counts().acknowledged, 2u);
  EXPECT_TRUE(reports(false, std::chrono::seconds(10)).empty());
  EXPECT_EQ(subnet.server->report_counts().given_up, 0u);
}

TEST_F(Notices, SubscriptionsWithoutAcknowledgementsAreDeleted) {
  EXPECT_EQ(send_inform_info(subscription_to_all()), mad_status::kGood);
  for (int i = 0; i < 100; ++i)
    subnet.server->on_trap(trap_from(other_lid(), TrapNumber::kLinkStateChange));
  EXPECT_EQ(reports(false, std::chrono::milliseconds(500)).size(),
            16u);  // limit of concurrent reports
  reports(false, std::chrono::seconds(5));
  EXPECT_EQ(subnet.server->state().subscriptions.size(), 0u);
  EXPECT_TRUE(reports(false, std::chrono::seconds(3)).empty());
}

TEST_F(Notices, MatchTheFilter) {
  const Notice notice = trap_from(Lid(7), TrapNumber::kLinkStateChange);
  const Gid of = make_gid(1, Guid(2));
  const auto passes = [&](auto change) {
    InformInfo info = subscription_to_all();
    change(info);
    return sa::matches_filter(info, notice, of);
  };
  EXPECT_TRUE(passes([](InformInfo&) {}));
  EXPECT_TRUE(passes([](InformInfo& info) { info.trap = 128; }));
  EXPECT_FALSE(passes([](InformInfo& info) { info.trap = 64; }));
  EXPECT_FALSE(passes([](InformInfo& info) { info.type = 2; }));
  EXPECT_TRUE(passes([](InformInfo& info) { info.type = 1; }));
  EXPECT_FALSE(passes([](InformInfo& info) { info.generic = false; }));
  EXPECT_TRUE(passes([](InformInfo& info) { info.producer = 2; }));
  EXPECT_FALSE(passes([](InformInfo& info) { info.producer = 4; }));
  EXPECT_TRUE(passes([&](InformInfo& info) { info.gid = of; }));
  EXPECT_FALSE(passes([](InformInfo& info) { info.gid = make_gid(1, Guid(3)); }));
  const auto range = [&](std::uint16_t first, std::uint16_t last) {
    return passes([&](InformInfo& info) {
      info.lid_begin = Lid(first);
      info.lid_end = Lid(last);
    });
  };
  EXPECT_TRUE(range(7, 0));
  EXPECT_TRUE(range(3, 9));
  EXPECT_FALSE(range(8, 9));
  EXPECT_FALSE(range(3, 6));
  EXPECT_FALSE(range(9, 3));
}

TEST_F(Notices, OfKeyViolationsReachTrustedSubscribersOnly) {
  InformInfo keys = subscription_to_all();
  keys.trap = static_cast<std::uint16_t>(TrapNumber::kBadPkey);
  EXPECT_EQ(send_inform_info(keys), sa_status::kRequestInvalid);
  EXPECT_EQ(send_inform_info(subscription_to_all()), mad_status::kGood);
  subnet.server->on_trap(trap_from(other_lid(), TrapNumber::kBadPkey, NoticeType::kSecurity));
  EXPECT_TRUE(reports(true).empty());
  EXPECT_EQ(send_inform_info(keys, 1), mad_status::kGood);
  subnet.server->on_trap(trap_from(other_lid(), TrapNumber::kBadPkey, NoticeType::kSecurity));
  EXPECT_EQ(reports(true).size(), 1u);
}

TEST_F(Notices, ReportPortsThatLeaveAndReturn) {
  EXPECT_EQ(send_inform_info(subscription_to_all()), mad_status::kGood);
  const Endport& removed_endport =
      subnet.managed.fabric().endport(EndportId(subnet.managed.fabric().endport_count() - 2));
  const NodeId removed_node = removed_endport.node;
  const Guid guid = subnet.managed.fabric().port(removed_endport.port).guid;
  const auto sweep = [&] {
    subnet.managed.run_for(std::chrono::seconds(1));
    subnet.managed.sm().request_heavy_sweep("test");
    EXPECT_TRUE(subnet.managed.settle());
    subnet.server->publish(subnet.managed.sm().snapshot());
    return reports(true);
  };
  subnet.managed.emulated().switch_off_node(removed_node);
  auto received = sweep();
  ASSERT_EQ(received.size(), 1u);
  EXPECT_TRUE(received[0].is(TrapNumber::kGidOutOfService));
  EXPECT_EQ(guid_of(decode_trap_gid(received[0].details).gid), guid);
  subnet.managed.emulated().switch_on_node(removed_node);
  received = sweep();
  ASSERT_EQ(received.size(), 1u);
  EXPECT_TRUE(received[0].is(TrapNumber::kGidInService));
  EXPECT_EQ(guid_of(decode_trap_gid(received[0].details).gid), guid);
  EXPECT_TRUE(sweep().empty());
}

TEST_F(Notices, ForwardTrapsOfTheManager) {
  EXPECT_EQ(send_inform_info(subscription_to_all()), mad_status::kGood);
  subnet.managed.sm().take_traps();
  subnet.managed.emulated().cut_cable(subnet.managed.cable_between(SwitchId(0), SwitchId(4)));
  subnet.managed.run_for(std::chrono::seconds(1));
  const auto traps = subnet.managed.sm().take_traps();
  ASSERT_FALSE(traps.empty());
  for (const Notice& trap : traps) subnet.server->on_trap(trap);
  EXPECT_EQ(reports(true), traps);
}

TEST_F(Notices, ReportCreatedAndDeletedGroups) {
  EXPECT_EQ(send_inform_info(subscription_to_all()), mad_status::kGood);
  EXPECT_TRUE(reports(true).empty());  // the groups of partitions existed before the subscription
  McMemberRecord record;
  record.mgid = make_gid(0xFF15000000000000, Guid(7));
  record.port_gid =
      make_gid(subnet.options.subnet_prefix,
               subnet.managed.fabric()
                   .port(subnet.managed.fabric().endport(subnet.emulated_client_endport()).port)
                   .guid);
  record.pkey = Pkey(0xFFFF);
  record.join_state = sa::join_state::kFull;
  constexpr std::uint64_t kJoin = 1u << 0 | 1u << 1 | 1u << 16;
  constexpr std::uint64_t kCreate = kJoin | 1u << 2 | 1u << 6 | 1u << 7 | 1u << 12 | 1u << 13;
  const auto request = [&](Method method, std::uint64_t mask) {
    const auto reply = subnet.client->query(
        subnet.client->request(method, SaAttribute::kMcMemberRecord, mask, record));
    EXPECT_TRUE(reply && reply->status == mad_status::kGood);
    return reports(true);
  };
  const auto is_about_group = [&](const std::vector<Notice>& received, TrapNumber number) {
    return received.size() == 1 && received[0].is(number) &&
           received[0].type == NoticeType::kSubnetManagement && received[0].producer == 4 &&
           received[0].issuer_lid == subnet.snapshot().sm_lid() &&
           decode_trap_gid(received[0].details).gid == record.mgid;
  };
  EXPECT_TRUE(is_about_group(request(Method::kSet, kCreate), TrapNumber::kGroupCreated));
  EXPECT_TRUE(request(Method::kSet, kJoin).empty());
  EXPECT_TRUE(is_about_group(request(sa_method::kDelete, kJoin), TrapNumber::kGroupDeleted));
}

TEST_F(Notices, OfAGroupReachOnlyMembersOfThePartition) {
  EXPECT_EQ(send_inform_info(subscription_to_all()), mad_status::kGood);
  const SaView view(subnet.managed.sm().snapshot(), subnet.options);
  sa::Reporter reporter;
  const auto reports_for = [&](Pkey pkey) {
    unsigned sent = 0;
    sa::Subscriptions subscriptions = subnet.server->state().subscriptions;
    reporter.queue_notice({trap_from(other_lid(), TrapNumber::kGroupDeleted), Gid{}, pkey}, view,
                          subscriptions);
    reporter.step(TimeNs{0}, view, subscriptions, [&](const Gmp&) { ++sent; });
    return sent;
  };
  EXPECT_EQ(reports_for(Pkey(0xFFFF)), 1u);
  EXPECT_EQ(reports_for(Pkey(0x7FFF)), 1u);
  EXPECT_EQ(reports_for(Pkey(0x8001)), 0u);
}

TEST_F(Notices, SubscriptionsEndWithThePortIfConfigured) {
  for (const bool drops : {false, true}) {
    subnet.options.drop_event_subscriptions = drops;
    subnet.server->set_options(subnet.options);
    EXPECT_EQ(send_inform_info(subscription_to_all()), mad_status::kGood);
    const NodeId node = subnet.managed.fabric().endport(subnet.emulated_client_endport()).node;
    const auto sweep = [&] {
      subnet.managed.run_for(std::chrono::seconds(1));
      subnet.managed.sm().request_heavy_sweep("test");
      EXPECT_TRUE(subnet.managed.settle());
      subnet.server->publish(subnet.managed.sm().snapshot());
    };
    subnet.managed.emulated().switch_off_node(node);
    sweep();
    EXPECT_EQ(subnet.server->state().subscriptions.size(), drops ? 0u : 1u);
    subnet.managed.emulated().switch_on_node(node);
    sweep();
    EXPECT_EQ(subnet.server->state().subscriptions.size(), drops ? 0u : 1u);
  }
}

TEST_F(Notices, SubscriptionsEndWithMastershipIfConfigured) {
  for (const bool drops : {false, true}) {
    subnet.options.drop_event_subscriptions = drops;
    subnet.server->set_options(subnet.options);
    EXPECT_EQ(send_inform_info(subscription_to_all()), mad_status::kGood);
    subnet.server->publish(nullptr);
    EXPECT_EQ(subnet.server->state().subscriptions.size(), 1u);
    subnet.server->publish(subnet.managed.sm().snapshot());
    EXPECT_EQ(subnet.server->state().subscriptions.size(), drops ? 0u : 1u);
    subnet.server->publish(subnet.managed.sm().snapshot());
    EXPECT_EQ(send_inform_info(subscription_to_all()), mad_status::kGood);
    EXPECT_EQ(subnet.server->state().subscriptions.size(), 1u);
  }
}

TEST_F(Notices, SubscriptionsBelongToTheRequestingQueuePair) {
  InformInfo info = subscription_to_all();
  info.qpn = 5;  // the QPN counts only for unsubscribing
  EXPECT_EQ(send_inform_info(info), mad_status::kGood);
  EXPECT_EQ(send_inform_info(info), mad_status::kGood);  // repeated
  const auto record = [&](std::uint64_t sm_key) {
    const auto reply = subnet.client->query(
        subnet.client->request(sa_method::kGetTable, SaAttribute::kInformInfoRecord, 0, sm_key));
    EXPECT_TRUE(reply && reply->count() == 1);
    return decode_inform_info_record(reply->at<InformInfoRecord>(0));
  };
  InformInfo held = info;
  held.qpn = kGsiQpn;
  EXPECT_EQ(record(1).info, held);
  EXPECT_EQ(record(0).info.qpn, 0u);
  info.subscribe = false;
  EXPECT_EQ(send_inform_info(info), sa_status::kRequestInvalid);
  info.qpn = 0;
  EXPECT_EQ(send_inform_info(info), sa_status::kRequestInvalid);
  info.qpn = kGsiQpn;
  EXPECT_EQ(send_inform_info(info), mad_status::kGood);
  EXPECT_EQ(send_inform_info(info), sa_status::kRequestInvalid);
}

TEST_F(Notices, SubscriptionsAreLimitedPerPort) {
  subnet.options.quotas.subscriptions = 2;
  subnet.server->set_options(subnet.options);
  InformInfo info = subscription_to_all();
  const auto subscribe = [&](std::uint16_t trap) {
    info.trap = trap;
    return send_inform_info(info);
  };
  EXPECT_EQ(subscribe(64), mad_status::kGood);
  EXPECT_EQ(subscribe(65), mad_status::kGood);
  EXPECT_EQ(subscribe(66), sa_status::kNoResources);
  EXPECT_EQ(subnet.server->state().refusals.of(sa::Refusal::kSubscriptions), 1u);
  EXPECT_EQ(subscribe(65), mad_status::kGood) << "a repeated subscription does not count again";
  info.subscribe = false;
  EXPECT_EQ(subscribe(64), mad_status::kGood);
  info.subscribe = true;
  EXPECT_EQ(subscribe(66), mad_status::kGood);
}

TEST(Subscriptions, AreLimitedInTotalAndPerSubscriber) {
  sa::Subscriptions subscriptions;
  const auto add = [&](std::uint64_t subscriber, std::uint16_t trap, std::size_t most) {
    sa::Subscription subscription;
    subscription.subscriber = make_gid(1, Guid(subscriber));
    subscription.info.trap = trap;
    return subscriptions.add(subscription, most);
  };
  EXPECT_TRUE(add(1, 1, 2) && add(1, 2, 2));
  EXPECT_FALSE(add(1, 3, 2));
  EXPECT_TRUE(add(1, 3, 0)) << "a limit of 0 means no limit";
  EXPECT_EQ(subscriptions.size(), 3u);
  for (std::uint64_t i = 3; i < sa::Subscriptions::kMax; ++i) ASSERT_TRUE(add(i, 1, 2));
  EXPECT_EQ(subscriptions.size(), sa::Subscriptions::kMax);
  EXPECT_FALSE(add(sa::Subscriptions::kMax, 1, 2));
  EXPECT_TRUE(add(1, 1, 2)) << "a repeated subscription does not count again";
  subscriptions.remove_if([](const sa::Subscription& held) { return held.info.trap == 2; });
  EXPECT_EQ(subscriptions.size(), sa::Subscriptions::kMax - 1);
  EXPECT_TRUE(add(sa::Subscriptions::kMax, 1, 2));
}

TEST_F(Notices, BeyondTheQueueOfASubscriptionAreLost) {
  ASSERT_EQ(send_inform_info(subscription_to_all()), mad_status::kGood);
  const SaView view(subnet.managed.sm().snapshot(), subnet.options);
  sa::Subscriptions subscriptions = subnet.server->state().subscriptions;
  sa::Reporter reporter({.at_a_time = 2, .waiting_max = 3});
  std::vector<Gmp> sent;
  const auto report = [&](unsigned notices) {
    for (unsigned i = 0; i < notices; ++i)
      reporter.queue_notice(
          {trap_from(other_lid(), TrapNumber::kGroupDeleted), Gid{}, Pkey(0xFFFF)}, view,
          subscriptions);
    reporter.step(TimeNs{0}, view, subscriptions, [&](const Gmp& gmp) { sent.push_back(gmp); });
  };
  report(3);
  EXPECT_EQ(reporter.counts().lost, 0u);
  EXPECT_EQ(sent.size(), 2u);
  report(2);
  EXPECT_EQ(reporter.counts().lost, 0u);
  report(1);
  EXPECT_EQ(reporter.counts().lost, 1u);
  EXPECT_EQ(sent.size(), 2u);
  Gmp acknowledgement = sent[0];
  acknowledgement.method = Method::kReportResp;
  reporter.on_response(acknowledgement, subscriptions);
  report(0);
  EXPECT_EQ(sent.size(), 3u) << "the next queued notice is sent";
  report(1);
  EXPECT_EQ(reporter.counts().lost, 1u);
}

TEST_F(Notices, InvalidSubscriptionsAreRefused) {
  InformInfo info = subscription_to_all();
  info.gid = make_gid(subnet.options.subnet_prefix, Guid(0x999));
  EXPECT_EQ(send_inform_info(info), sa_status::kRequestInvalid);
  info = subscription_to_all();
  info.lid_begin = Lid(0xC000);
  EXPECT_EQ(send_inform_info(info), sa_status::kRequestInvalid);
  Gmp gmp =
      subnet.client->request(Method::kSet, SaAttribute::kInformInfo, 0, subscription_to_all());
  sa_data(gmp)[23] = std::byte{2};
  EXPECT_EQ(subnet.client->query(gmp)->status, sa_status::kRequestInvalid);
}

}  // namespace
}  // namespace weft
