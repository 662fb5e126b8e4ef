// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Large numbers of malformed requests: the server answers with a status or not at all, and ends all
// transfers. Also requests across partitions, packets of other ports in a transfer, floods from one
// port, and long Gets.
#include <algorithm>
#include <chrono>

#include "base/rng.h"
#include "sa/paths/paths.h"
#include "support/sa_subnet.h"

namespace weft {
namespace {

constexpr std::array kAttributes{
    SaAttribute::kClassPortInfo,    SaAttribute::kNotice,         SaAttribute::kInformInfo,
    SaAttribute::kNodeRecord,       SaAttribute::kPortInfoRecord, SaAttribute::kSlToVlRecord,
    SaAttribute::kSwitchInfoRecord, SaAttribute::kLftRecord,      SaAttribute::kRftRecord,
    SaAttribute::kMftRecord,        SaAttribute::kSmInfoRecord,   SaAttribute::kInformInfoRecord,
    SaAttribute::kLinkRecord,       SaAttribute::kGuidInfoRecord, SaAttribute::kServiceRecord,
    SaAttribute::kPkeyTableRecord,  SaAttribute::kPathRecord,     SaAttribute::kVlArbRecord,
    SaAttribute::kMcMemberRecord,   SaAttribute::kTraceRecord,    SaAttribute::kMultiPathRecord};
constexpr std::array kMethods{Method::kGet,         Method::kSet,       sa_method::kGetTable,
                              sa_method::kGetMulti, sa_method::kDelete, sa_method::kGetTraceTable};

TEST(MalformedRequests, RandomRequestsCauseOnlyResponses) {
  SaSubnet subnet{fabric_of("fattree2:k=4")};
  subnet.start();
  std::uint64_t sent = 0;
  SaServer server({}, [&](const Gmp& gmp) {
    ++sent;
    EXPECT_TRUE(is_response(gmp.method) || rmpp_header(gmp).active);
  });
  server.publish(subnet.managed.sm().snapshot());
  Rng rng(7);
  TimeNs now{0};
  const auto attributes = {0x01, 0x03, 0x11, 0x12, 0x13, 0x14, 0x15, 0x17, 0x18, 0x20,
                           0x30, 0x31, 0x33, 0x35, 0x36, 0x38, 0x3A, 0xF3, 0x99};
  for (unsigned i = 0; i < 20'000; ++i) {
    Gmp gmp = subnet.client->request(static_cast<Method>(rng.below(256)), SaAttribute::kNodeRecord);
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

TEST(MalformedRequests, AnotherClassVersionIsAnsweredWithBadVersion) {
  SaSubnet subnet{fabric_of("fattree2:k=4")};
  subnet.start();
  Gmp gmp = subnet.client->request(Method::kGet, SaAttribute::kClassPortInfo);
  gmp.class_version = 3;
  const auto reply = subnet.client->query(gmp);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, mad_status::kBadVersion);
}

/// The last host, which sends the requests, and host 1 are in a separate partition. In the default
/// partition all ports but the manager's are limited members. The requester must therefore get no
/// records of the other hosts.
class SeparatePartitions : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<std::string> warnings;
    auto file = parse_partitions(fmt::format("A=0x8001: 0x{:x}=full, 0x{:x}=full;\n",
                                             guid_of_host(7).value(), guid_of_host(1).value()),
                                 "test", warnings);
    ASSERT_TRUE(file) << file.error().message;
    subnet.managed.options.partitions = *file;
    subnet.start();
    for (const unsigned host : {2u, 3u, 4u, 5u, 6u}) {
      const EndportId endport = *subnet.snapshot().fabric.find_endport(guid_of_host(host));
      foreign_lids.push_back(subnet.snapshot().fabric.endport(endport).lid);
      foreign_guids.push_back(guid_of_host(host));
    }
  }
  Guid guid_of_host(unsigned host) {
    const Fabric& fabric = subnet.managed.fabric();
    return fabric.port(fabric.endport(EndportId(fabric.switch_count() + host)).port).guid;
  }
  bool contains_foreign_guid(const SaReply& reply) const {
    for (const Guid guid : foreign_guids) {
      std::array<std::byte, 8> bytes;
      for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(guid.value() >> (56 - 8 * i));
      if (!std::ranges::search(reply.payload, bytes).empty()) return true;
    }
    return false;
  }
  bool begins_with_foreign_lid(const SaReply& reply, std::size_t record) const {
    const auto at = reply.payload.begin() + static_cast<std::ptrdiff_t>(record * reply.offset);
    const auto lid = Lid(static_cast<std::uint16_t>(std::to_integer<unsigned>(at[0]) << 8 |
                                                    std::to_integer<unsigned>(at[1])));
    return std::ranges::find(foreign_lids, lid) != foreign_lids.end();
  }

  SaSubnet subnet{fabric_of("fattree2:k=4")};
  std::vector<Lid> foreign_lids;
  std::vector<Guid> foreign_guids;
};

TEST_F(SeparatePartitions, TablesHideOtherPartitions) {
  std::size_t records = 0;
  for (const SaAttribute attribute : kAttributes) {
    const auto reply =
        subnet.client->query(subnet.client->request(sa_method::kGetTable, attribute));
    if (!reply || reply->status != mad_status::kGood) continue;
    EXPECT_FALSE(contains_foreign_guid(*reply)) << static_cast<unsigned>(attribute);
    const bool lids =
        attribute != SaAttribute::kPathRecord && attribute != SaAttribute::kServiceRecord &&
        attribute != SaAttribute::kInformInfoRecord && attribute != SaAttribute::kMcMemberRecord;
    for (std::size_t i = 0; lids && i < reply->count(); ++i)
      EXPECT_FALSE(begins_with_foreign_lid(*reply, i)) << static_cast<unsigned>(attribute);
    records += reply->count();
  }
  EXPECT_GT(records, 20u);  // records of the requester, the manager and the switches
}

TEST_F(SeparatePartitions, QueriesByLidHideOtherPartitions) {
  const auto own = subnet.client_endport();
  for (const Lid lid : foreign_lids) {
    for (const SaAttribute attribute :
         {SaAttribute::kNodeRecord, SaAttribute::kPortInfoRecord, SaAttribute::kSlToVlRecord,
          SaAttribute::kLinkRecord, SaAttribute::kVlArbRecord, SaAttribute::kGuidInfoRecord}) {
      Gmp gmp = subnet.client->request(sa_method::kGetTable, attribute, 1);
      sa_data(gmp)[0] = static_cast<std::byte>(lid.value() >> 8);
      sa_data(gmp)[1] = static_cast<std::byte>(lid.value() & 0xFF);
      const auto reply = subnet.client->query(gmp);
      ASSERT_TRUE(reply);
      EXPECT_TRUE(reply->status != mad_status::kGood || reply->payload.empty())
          << static_cast<unsigned>(attribute);
    }
    PathRecord path;
    path.dlid = lid;
    path.slid = subnet.snapshot().fabric.endport(own).lid;
    const auto reply = subnet.client->query(
        subnet.client->request(Method::kGet, SaAttribute::kPathRecord, 1 << 4 | 1 << 5, path));
    ASSERT_TRUE(reply);
    EXPECT_NE(reply->status, mad_status::kGood);
    EXPECT_FALSE(contains_foreign_guid(*reply));
  }
}

class Attacked : public ::testing::Test {
 protected:
  void SetUp() override {
    subnet.start();
    server.publish(subnet.managed.sm().snapshot());
    requester_lid = subnet.snapshot().fabric.endport(subnet.client_endport()).lid;
    for (const EndportId endport :
         {Fabric::endport_of(SwitchId(0)), Fabric::endport_of(SwitchId(1))})
      others.push_back(subnet.snapshot().fabric.endport(endport).lid);
  }
  Gmp from(Lid lid, Gmp gmp) const {
    gmp.peer.lid = lid;
    return gmp;
  }
  Gmp table(Lid lid) {
    return from(lid, subnet.client->request(sa_method::kGetTable, SaAttribute::kPortInfoRecord));
  }
  Gmp rmpp(Gmp like, RmppType type, std::uint32_t segment, std::uint32_t window) const {
    RmppHeader header = rmpp_header(like);
    header.version = 1;
    header.active = true;
    header.type = type;
    header.segment = segment;
    header.length = window;
    set_rmpp_header(like, header);
    return like;
  }

  SaSubnet subnet{fabric_of("fattree2:k=4")};
  std::vector<Gmp> sent;
  SaServer server{{}, [this](const Gmp& gmp) { sent.push_back(gmp); }};
  Lid requester_lid;
  std::vector<Lid> others;
  TimeNs now{0};
};

TEST_F(Attacked, IgnoresAllRequestsWithAWrongSmKey) {
  const std::string before = server.dump(now);
  Rng rng(3);
  for (const SaAttribute attribute : kAttributes)
    for (const Method method : kMethods)
      for (int i = 0; i < 8; ++i) {
        const std::uint64_t key = 2 + rng.below(~std::uint64_t{0} - 2);  // neither 0 nor the SA key
        Gmp gmp = subnet.client->request(method, attribute, rng.below(1 << 20), key);
        for (std::byte& byte : sa_data(gmp)) byte = static_cast<std::byte>(rng.below(256));
        server.on_gmp(from(requester_lid, gmp), now);
      }
  EXPECT_TRUE(sent.empty());
  EXPECT_EQ(server.counts().ignored, kAttributes.size() * kMethods.size() * 8);
  EXPECT_EQ(server.dump(now), before);
  EXPECT_EQ(server.transfers_under_way(), 0u);
}

TEST_F(Attacked, IgnoresRequestersOutsideTheSubnet) {
  for (const std::uint16_t lid : std::array<std::uint16_t, 5>{0, 0x999, 0xBFFF, 0xC000, 0xFFFF})
    for (const std::uint64_t key : {0, 1})
      server.on_gmp(
          from(Lid(lid), subnet.client->request(Method::kGet, SaAttribute::kClassPortInfo, 0, key)),
          now);
  EXPECT_TRUE(sent.empty());
  EXPECT_EQ(server.counts().ignored, 10u);
}

TEST_F(Attacked, TransfersIgnoreRmppPacketsOfOtherPorts) {
  const Gmp request = table(requester_lid);
  server.on_gmp(request, now);
  ASSERT_EQ(sent.size(), 1u);  // only the first segment is sent before an acknowledgement
  for (const RmppType type : {RmppType::kAbort, RmppType::kStop, RmppType::kAck}) {
    server.on_gmp(from(others[0], rmpp(request, type, 1, 60)), now);
    server.step(now);
    EXPECT_EQ(server.transfers_under_way(), 1u);
  }
  const auto to_requester = [&] {
    return std::ranges::count_if(sent,
                                 [&](const Gmp& gmp) { return gmp.peer.lid == requester_lid; });
  };
  EXPECT_EQ(to_requester(), 1);
  server.on_gmp(rmpp(request, RmppType::kAck, 1, 5), now);
  server.step(now);
  EXPECT_EQ(to_requester(), 5);
  server.on_gmp(rmpp(request, RmppType::kAbort, 0, 0), now);
  EXPECT_EQ(server.transfers_under_way(), 0u);
}

TEST_F(Attacked, StopAndAbortEndAnUnfinishedRequest) {
  for (const RmppType type : {RmppType::kAck, RmppType::kStop, RmppType::kAbort}) {
    Gmp begin = rmpp(from(requester_lid, subnet.client->request(sa_method::kGetMulti,
                                                                SaAttribute::kMultiPathRecord)),
                     RmppType::kData, 1, 0);
    RmppHeader header = rmpp_header(begin);
    header.first = true;
    set_rmpp_header(begin, header);
    server.on_gmp(begin, now);
    EXPECT_EQ(server.transfers_under_way(), 1u);
    server.on_gmp(rmpp(begin, type, 1, 5), now);
    EXPECT_EQ(server.transfers_under_way(), type == RmppType::kAck ? 1u : 0u);
    server.on_gmp(rmpp(begin, RmppType::kAbort, 0, 0), now);
  }
}

TEST_F(Attacked, EndsTransfersAfterRandomRmppPackets) {
  Rng rng(5);
  for (unsigned round = 0; round < 400; ++round) {
    const Gmp request = table(requester_lid);
    server.on_gmp(request, now);
    const std::size_t begun = sent.size();
    for (int i = 0; i < 20; ++i) {
      const auto any = [&] {
        return static_cast<std::uint32_t>(rng.chance(0.5) ? rng.below(12) : rng.below(1ull << 32));
      };
      server.on_gmp(rmpp(request, static_cast<RmppType>(rng.below(7)), any(), any()), now);
      server.step(now += TimeNs{1'000});
    }
    EXPECT_LT(sent.size() - begun, 2000u);  // answers do not cause further answers
    sent.clear();
  }
  for (int i = 0; i < 100; ++i) server.step(now += std::chrono::seconds(1));
  EXPECT_EQ(server.transfers_under_way(), 0u);
  EXPECT_EQ(server.bytes_under_way(), 0u);
}

TEST_F(Attacked, AnswersOtherPortsWhileOnePortFloods) {
  for (int i = 0; i < 20'000; ++i) server.on_gmp(table(requester_lid), now);
  EXPECT_EQ(server.transfers_under_way(), RmppOptions{}.transfers_of_port);
  EXPECT_EQ(server.counts().overrun, 20'000 - RmppOptions{}.transfers_of_port);
  EXPECT_LT(server.bytes_under_way(), std::size_t{1} << 20);
  for (const Lid other : others) {
    sent.clear();
    server.on_gmp(table(other), now);
    server.on_gmp(from(other, subnet.client->request(Method::kGet, SaAttribute::kClassPortInfo)),
                  now);
    ASSERT_EQ(sent.size(), 2u);
    EXPECT_EQ(sent[0].status, mad_status::kGood);
    EXPECT_EQ(sent[1].status, mad_status::kGood);
  }
  for (int i = 0; i < 100; ++i) server.step(now += std::chrono::seconds(1));
  EXPECT_EQ(server.bytes_under_way(), 0u);
}

/// With LMC 2 the last host has four LIDs.
class AttackedByFourLids : public Attacked {
 protected:
  void SetUp() override {
    subnet.managed.options.lmc = 2;
    Attacked::SetUp();
    ASSERT_EQ(subnet.snapshot().fabric.endport(subnet.client_endport()).lmc, 2);
  }
  Lid source(unsigned index) const {
    return Lid(static_cast<std::uint16_t>(requester_lid.value() + index % 4));
  }
};

TEST_F(AttackedByFourLids, LimitsTheQueueOfAPortForAllLidsTogether) {
  for (unsigned i = 0; i < 100'000; ++i) server.enqueue(table(source(i)));
  EXPECT_EQ(server.waiting(), QueueLimits{}.shared / 2 + QueueLimits{}.own)
      << "the limit is the same as for one LID";
  for (const Lid other : others) server.enqueue(table(other));
  server.serve_waiting(3, now);
  for (const Lid other : others)
    EXPECT_EQ(std::ranges::count(sent, other, [](const Gmp& gmp) { return gmp.peer.lid; }), 1);
}

TEST_F(AttackedByFourLids, LimitsTheTransfersOfAPortForAllLidsTogether) {
  for (unsigned i = 0; i < 2'000; ++i) server.on_gmp(table(source(i)), now);
  EXPECT_EQ(server.transfers_under_way(), RmppOptions{}.transfers_of_port);
  for (unsigned i = 0; i < 100; ++i)
    server.on_gmp(rmpp(from(source(i), subnet.client->request(sa_method::kGetMulti,
                                                              SaAttribute::kMultiPathRecord)),
                       RmppType::kData, 2, 0),
                  now);
  EXPECT_EQ(server.transfers_under_way(), RmppOptions{}.transfers_of_port);
  const auto begin = [&](Lid lid) {
    Gmp gmp =
        rmpp(from(lid, subnet.client->request(sa_method::kGetMulti, SaAttribute::kMultiPathRecord)),
             RmppType::kData, 1, 0);
    RmppHeader header = rmpp_header(gmp);
    header.first = true;
    set_rmpp_header(gmp, header);
    server.on_gmp(gmp, now);
  };
  const std::size_t most = SaOptions{}.rmpp.receiving_of_port;
  for (unsigned i = 0; i < 1'000; ++i) begin(source(i));
  EXPECT_EQ(server.transfers_under_way(), RmppOptions{}.transfers_of_port + most);
  EXPECT_EQ(server.state().refusals.of(sa::Refusal::kRmppRequests), 1'000 - most);
  begin(others[0]);
  EXPECT_EQ(server.transfers_under_way(), RmppOptions{}.transfers_of_port + most + 1);
}

TEST_F(AttackedByFourLids, CountsTheRequestsOfAllLidsOfAPort) {
  SaOptions options;
  options.rate_threshold = 4;
  server.set_options(options);
  for (unsigned i = 0; i < 20; ++i)
    server.on_gmp(
        from(source(i), subnet.client->request(Method::kGet, SaAttribute::kClassPortInfo)), now);
  EXPECT_EQ(sent.size(), 4u);
}

// The fabric has 44 endports, so a request for all paths has 1,936 pairs.
TEST(LongGets, DoNotDelayOtherRequests) {
  SaSubnet subnet{fabric_of("fattree2:k=8")};
  subnet.start();
  std::vector<Gmp> sent;
  SaServer server({}, [&](const Gmp& gmp) { sent.push_back(gmp); });
  server.publish(subnet.managed.sm().snapshot());
  const Fabric& fabric = subnet.snapshot().fabric;
  const auto lid = [&](unsigned host) {
    return fabric.endport(EndportId(fabric.switch_count() + host)).lid;
  };
  const auto path = [&](unsigned host, std::uint64_t mask, Pkey pkey) {
    PathRecord record;
    record.slid = record.dlid = lid(host);
    record.pkey = pkey;
    record.numb_path = 1;
    Gmp gmp = subnet.client->request(Method::kGet, SaAttribute::kPathRecord, mask, record);
    gmp.peer.lid = lid(host);
    return gmp;
  };
  using namespace sa::path_bit;
  const Gmp none = path(1, 1u << kPkeyBit, Pkey(0x8123));
  const auto at = std::ranges::find(sa::attributes(), SaAttribute::kPathRecord, &sa::Attribute::id);
  const auto& meter = server.meter()->of(static_cast<std::size_t>(at - sa::attributes().begin()));
  const auto counted_requests = [&] {
    std::uint64_t requests = 0;
    for (const sa::Gauge& outcome : meter.outcomes) requests += outcome.value();
    return requests;
  };
  server.on_gmp(none, TimeNs{0});
  const auto received = std::chrono::steady_clock::now();
  EXPECT_TRUE(sent.empty()) << "the request takes more than one step";
  EXPECT_EQ(counted_requests(), 0u) << "requests are counted once they are answered";
  for (std::size_t i = 1; i <= sa::LongGets::kOfPort; ++i)
    server.on_gmp(path(1, 1u << kPkeyBit, Pkey(0x8123)), TimeNs{0});
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].status, mad_status::kBusy) << "one request above the limit of a port";
  server.on_gmp(path(2, 1u << kSlid | 1u << kDlid, Pkey(0)), TimeNs{0});
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[1].status, mad_status::kGood)
      << "a short request is answered before the long requests";
  EXPECT_EQ(counted_requests(), 2u);
  const Gmp any = path(3, 1u << kNumbPath, Pkey(0));
  server.on_gmp(any, TimeNs{0});
  server.on_gmp(path(4, 1u << kServiceIdHigh, Pkey(0)), TimeNs{0});
  EXPECT_EQ(sent.back().status, sa_status::kInsufficientComponents)
      << "errors are answered at once";
  const std::uint64_t before = meter.nanoseconds.value();
  const auto waited = std::chrono::steady_clock::now() - received;
  std::size_t steps = 0;
  for (; server.next_event() == TimeNs{0} && steps < 2000; ++steps) server.step(TimeNs{0});
  EXPECT_EQ(steps, sa::LongGets::kOfPort * 31 + 1)
      << "steps of 64 pairs; the request for any path ends in the first step";
  EXPECT_EQ(counted_requests(), sent.size());
  EXPECT_GE(TimeNs(static_cast<std::int64_t>(meter.nanoseconds.value() - before)), waited)
      << "the time of a request includes the time before its first step";
  const auto status_of = [&](const Gmp& request) {
    const auto answer = std::ranges::find(sent, request.transaction_id, &Gmp::transaction_id);
    return answer == sent.end() ? 0xFFFF : answer->status;
  };
  EXPECT_EQ(status_of(none), sa_status::kNoRecords);
  EXPECT_EQ(status_of(any), mad_status::kGood);
  server.on_gmp(none, TimeNs{0});
  server.publish(nullptr);
  EXPECT_EQ(sent.back().status, mad_status::kBusy)
      << "the status is BUSY once the manager is no longer master";
  EXPECT_TRUE(server.long_gets().empty());
  EXPECT_EQ(counted_requests(), sent.size()) << "a request with status BUSY is counted too";
}

TEST_F(Attacked, LimitsUnassignedLidsToTheQueueOfOnePort) {
  for (unsigned i = 0; i < 100'000; ++i)
    server.enqueue(table(Lid(static_cast<std::uint16_t>(0x1000 + i % 0x1000))));
  EXPECT_LE(server.waiting(), QueueLimits{}.shared / 2 + QueueLimits{}.own);
}

}  // namespace
}  // namespace weft
