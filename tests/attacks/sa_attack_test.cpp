// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Attacks on subnet administration. Vulnerabilities: sa_key 0 made every request trusted; a proxy
// join crossed partitions and disclosed Q_Key and MLID; a port deleted and set the alias GUIDs of
// another port of its partition; all ports shared one limit of services, groups, RMPP receivers and
// subscriptions; the SA shared its time among LIDs instead of ports, and a port has 2^LMC LIDs.
#include "attacked_subnet.h"
#include "sa/paths/paths.h"
#include "sa/state.h"
#include "support/fabric_of.h"

namespace weft::attacks {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(SaAttack, SaKeyZeroMakesNoRequestTrusted) {
  SmOptions sm;
  sm.m_key = Mkey(0x1122334455667788);
  SaOptions sa;
  sa.sa_key = SmKey(0);
  AttackedSubnet subnet(fabric_of("fattree2:k=4"), sm, sa);
  ASSERT_TRUE(subnet.start());
  Host attacker(subnet, 5);
  const auto ports = attacker.sa().query(
      attacker.sa().request(sa_method::kGetTable, SaAttribute::kPortInfoRecord));
  ASSERT_TRUE(ports && ports->status == mad_status::kGood);
  ASSERT_GT(ports->count(), 8u);
  for (std::size_t i = 0; i < ports->count(); ++i)
    EXPECT_EQ(decode_port_info_record(ports->at<PortInfoRecord>(i))->info.mkey, Mkey(0));
  const auto pkeys = attacker.sa().query(
      attacker.sa().request(sa_method::kGetTable, SaAttribute::kPkeyTableRecord));
  ASSERT_TRUE(pkeys);
  EXPECT_NE(pkeys->status, mad_status::kGood)
      << "the answer to an untrusted request contains P_Key tables";
  Gmp about_security =
      attacker.subscription(static_cast<std::uint16_t>(TrapNumber::kBadMkey), Lid(0xFFFF));
  EXPECT_NE(attacker.status_of(about_security), mad_status::kGood);
}

/// Hosts 1 and 2 are in partition A, hosts 3 and 4 in B; all are limited members of the default
/// partition.
class Partitioned : public ::testing::Test {
 protected:
  Partitioned() : subnet(fabric_of("fattree2:k=4"), options()) {}
  void SetUp() override {
    ASSERT_TRUE(subnet.start());
    for (unsigned i = 0; i < 5; ++i)
      hosts.push_back(i == 0 ? nullptr : std::make_unique<Host>(subnet, i));
    ASSERT_EQ(hosts[3]->status_of(hosts[3]->member(
                  Method::kSet, kToCreate, membership(group_of_b, subnet.gid(3), Pkey(0x8002)))),
              mad_status::kGood);
    ASSERT_EQ(hosts[1]->status_of(hosts[1]->member(
                  Method::kSet, kToCreate, membership(group_of_a, subnet.gid(1), Pkey(0x8001)))),
              mad_status::kGood);
  }
  static SmOptions options() {
    const Fabric fabric = fabric_of("fattree2:k=4");
    const auto guid = [&](unsigned host) {
      return fabric.port(fabric.endport(EndportId(fabric.switch_count() + host)).port).guid.value();
    };
    SmOptions options;
    options.partitions = partitions_of(fmt::format(
        "Default=0x7fff : ALL=limited, SELF=full ;\nA=0x1 : 0x{:x}=full, 0x{:x}=full ;\n"
        "B=0x2 : 0x{:x}=full, 0x{:x}=full ;\n",
        guid(1), guid(2), guid(3), guid(4)));
    return options;
  }
  std::vector<Guid> members(const Gid& group) {
    std::vector<Guid> guids;
    if (const auto* held = subnet.sa().state().groups.find(group))
      for (const auto& [guid, member] : held->members) guids.push_back(guid);
    return guids;
  }
  /// Sends a request that must be refused with an answer that discloses nothing about the group.
  void expect_refused(unsigned host, Method method, std::uint64_t mask, McMemberRecord record) {
    record.qkey = 0;
    const auto reply = hosts[host]->sa().query(hosts[host]->member(method, mask, record));
    ASSERT_TRUE(reply);
    EXPECT_NE(reply->status, mad_status::kGood);
    const McMemberRecord shown =
        decode_mc_member_record(std::span(reply->payload).first<McMemberRecord::kSize>());
    EXPECT_EQ(shown.qkey, 0u);
    EXPECT_EQ(shown.mlid, Lid(0));
  }

  AttackedSubnet subnet;
  std::vector<std::unique_ptr<Host>> hosts;
  const Gid group_of_a = multicast_gid(0xA), group_of_b = multicast_gid(0xB);
};

TEST_F(Partitioned, NoPortJoinsAGroupOfAnotherPartition) {
  for (const std::uint64_t mask : {kToJoin, kToCreate}) {
    expect_refused(1, Method::kSet, mask, membership(group_of_b, subnet.gid(1), Pkey(0x8002)));
    expect_refused(1, Method::kSet, mask, membership(group_of_b, subnet.gid(1), Pkey(0x8001)));
    expect_refused(1, Method::kSet, mask, membership(group_of_b, subnet.gid(1)));
  }
  EXPECT_EQ(members(group_of_b), std::vector{subnet.guid(3)});
}

TEST_F(Partitioned, NoProxyJoinCrossesPartitions) {
  // The target is in the partition of the group, the requester is not.
  expect_refused(1, Method::kSet, kToJoin, membership(group_of_b, subnet.gid(4), Pkey(0x8002)));
  expect_refused(1, Method::kSet, kToCreate, membership(group_of_b, subnet.gid(4), Pkey(0x8002)));
  // The requester is in the partition of the group, the target is not.
  expect_refused(1, Method::kSet, kToJoin, membership(group_of_a, subnet.gid(4), Pkey(0x8001)));
  // The requester creates a group of another partition for a port in that partition.
  const Gid group = multicast_gid(0xC);
  expect_refused(1, Method::kSet, kToCreate, membership(group, subnet.gid(4), Pkey(0x8002)));
  EXPECT_EQ(subnet.sa().state().groups.find(group), nullptr);
  EXPECT_EQ(members(group_of_b), std::vector{subnet.guid(3)});
  EXPECT_EQ(members(group_of_a), std::vector{subnet.guid(1)});
}

TEST_F(Partitioned, PortsCannotDeleteMembershipsOfOtherPorts) {
  const auto join = [&](unsigned requester, unsigned target, const Gid& group, Pkey pkey) {
    return hosts[requester]->status_of(hosts[requester]->member(
        Method::kSet, kToJoin, membership(group, subnet.gid(target), pkey)));
  };
  ASSERT_EQ(join(2, 2, group_of_a, Pkey(0x8001)), mad_status::kGood);
  ASSERT_EQ(join(3, 4, group_of_b, Pkey(0x8002)), mad_status::kGood)
      << "proxy join of host 3 for host 4";
  ASSERT_EQ(members(group_of_b).size(), 2u);
  // The requester is in the partition of the group, and the port joined the group itself.
  expect_refused(2, sa_method::kDelete, kToJoin,
                 membership(group_of_a, subnet.gid(1), Pkey(0x8001)));
  // The requester is in another partition; the second membership was joined by proxy.
  expect_refused(1, sa_method::kDelete, kToJoin,
                 membership(group_of_b, subnet.gid(3), Pkey(0x8002)));
  expect_refused(1, sa_method::kDelete, kToJoin,
                 membership(group_of_b, subnet.gid(4), Pkey(0x8002)));
  EXPECT_EQ(members(group_of_a).size(), 2u);
  EXPECT_EQ(members(group_of_b).size(), 2u);
}

TEST_F(Partitioned, QueriesReturnNothingAboutOtherPartitions) {
  expect_refused(1, Method::kGet, 1, membership(group_of_b, subnet.gid(1)));
  unsigned answered = 0;
  for (const SaAttribute attribute :
       {SaAttribute::kNodeRecord, SaAttribute::kPortInfoRecord, SaAttribute::kPathRecord,
        SaAttribute::kGuidInfoRecord, SaAttribute::kMcMemberRecord, SaAttribute::kServiceRecord}) {
    PathRecord from_own;
    from_own.sgid = subnet.gid(1);
    const bool paths = attribute == SaAttribute::kPathRecord;
    const auto reply = hosts[1]->sa().query(hosts[1]->sa().request(
        sa_method::kGetTable, attribute, paths ? 1u << sa::path_bit::kSgid : 0, from_own));
    if (!reply || reply->status != mad_status::kGood) continue;
    ++answered;
    for (const unsigned foreign : {3u, 4u, 5u}) {
      const auto gid = subnet.gid(foreign);
      const std::span guid = std::span(gid).last<8>();
      EXPECT_TRUE(std::ranges::search(reply->payload, guid).empty())
          << "attribute " << static_cast<unsigned>(attribute) << " discloses host " << foreign;
    }
  }
  EXPECT_GT(answered, 0u);
}

TEST_F(Partitioned, NoServiceIsRegisteredForAnotherPartition) {
  ServiceRecord record;
  record.id = 0x77;
  record.lease = 1000;
  record.name[0] = std::byte{'x'};
  record.gid = subnet.gid(4);
  record.pkey = Pkey(0x8002);
  EXPECT_NE(hosts[1]->status_of(hosts[1]->service(Method::kSet, record)), mad_status::kGood);
  record.gid = subnet.gid(1);
  EXPECT_NE(hosts[1]->status_of(hosts[1]->service(Method::kSet, record)), mad_status::kGood)
      << "service for the port of the requester in a partition without this port";
  EXPECT_EQ(subnet.sa().state().services.size(), 0u);
}

TEST(SaAttack, PortsCannotChangeAliasesOfOtherPorts) {
  AttackedSubnet subnet(fabric_of("fattree2:k=4"));
  ASSERT_TRUE(subnet.start());
  Host attacker(subnet, 5), victim(subnet, 2);
  const auto held = [&](unsigned index) {
    return subnet.sa().state().aliases.at(subnet.guid(2), index);
  };
  const Guid alias(0x0002'C903'0000'0077);
  ASSERT_EQ(victim.status_of(victim.aliases(Method::kSet, victim.lid(), 3, alias)),
            mad_status::kGood);
  ASSERT_EQ(held(3), alias);
  attacker.status_of(attacker.aliases(sa_method::kDelete, victim.lid(), 3, alias));
  EXPECT_EQ(held(3), alias) << "another port deleted the alias";
  attacker.status_of(attacker.aliases(Method::kSet, victim.lid(), 3, Guid(0x78)));
  EXPECT_EQ(held(3), alias) << "another port replaced the alias";
  attacker.status_of(attacker.aliases(Method::kSet, victim.lid(), 4, Guid(0x79)));
  EXPECT_EQ(held(4), Guid(0)) << "another port added an alias";
  attacker.status_of(attacker.aliases(Method::kSet, victim.lid(), 5, Guid(0)));
  EXPECT_EQ(held(5), Guid(0)) << "the SA generated an alias for another port";
  for (const Guid taken : {alias, subnet.guid(2), subnet.guid(0)}) {
    attacker.status_of(attacker.aliases(Method::kSet, attacker.lid(), 3, taken));
    EXPECT_NE(subnet.sa().state().aliases.at(subnet.guid(5), 3), taken);
  }
  EXPECT_EQ(held(3), alias);
}

// ---- Floods

class SaFlood : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(subnet.start()); }
  /// Sends `count` requests, 200 in each millisecond.
  void flood(Host& attacker, unsigned count, const std::function<Gmp(unsigned)>& make) {
    for (unsigned i = 0; i < count;) {
      for (unsigned burst = 0; burst < 200 && i < count; ++burst, ++i) attacker.send(make(i));
      subnet.run_for(milliseconds(1));
      attacker.drain();
    }
    subnet.run_until([&] { return subnet.sa().waiting() == 0; });
    attacker.drain();
  }
  AttackedSubnet subnet{fabric_of("fattree2:k=4")};
};

TEST_F(SaFlood, OfServicesDoesNotPreventServicesOfOtherPorts) {
  Host attacker(subnet, 5), ordinary(subnet, 2);
  ServiceRecord record;
  record.pkey = Pkey(0xFFFF);
  record.lease = 100'000;
  record.name[0] = std::byte{'x'};
  record.gid = attacker.gid();
  flood(attacker, 70'000, [&](unsigned i) {
    record.id = i + 1;
    return attacker.service(Method::kSet, record);
  });
  record.gid = ordinary.gid();
  record.id = 0x10'0000;
  EXPECT_EQ(ordinary.status_of(ordinary.service(Method::kSet, record)), mad_status::kGood);
  EXPECT_TRUE(ordinary.gets_path(3));
}

TEST_F(SaFlood, OfGroupsDoesNotPreventGroupsOfOtherPorts) {
  Host attacker(subnet, 5), ordinary(subnet, 2);
  flood(attacker, 17'000, [&](unsigned i) {
    return attacker.member(Method::kSet, kToCreate,
                           membership(multicast_gid(0x1'0000 + i), attacker.gid()));
  });
  EXPECT_EQ(ordinary.status_of(ordinary.member(Method::kSet, kToCreate,
                                               membership(multicast_gid(1), ordinary.gid()))),
            mad_status::kGood);
  EXPECT_TRUE(ordinary.gets_path(3));
}

TEST_F(SaFlood, OfSubscriptionsDoesNotPreventSubscriptionsOfOtherPorts) {
  Host attacker(subnet, 5), ordinary(subnet, 2);
  flood(attacker, 70'000, [&](unsigned i) {
    return attacker.subscription(static_cast<std::uint16_t>(64 + i % 4),
                                 Lid(static_cast<std::uint16_t>(1 + i / 4)));
  });
  EXPECT_LE(subnet.sa().state().subscriptions.size(), 2048u);
  EXPECT_EQ(ordinary.status_of(ordinary.subscription(64, Lid(0xFFFF))), mad_status::kGood);
  EXPECT_TRUE(ordinary.gets_path(3));
}

TEST_F(SaFlood, OfUnfinishedRequestsDoesNotPreventLongRequestsOfOtherPorts) {
  Host attacker(subnet, 5), ordinary(subnet, 2);
  const auto is_answered = [&] {
    const auto request = ordinary.long_request();
    for (const Gmp& segment : request) {
      ordinary.send(segment);
      subnet.run_for(milliseconds(5));
    }
    bool answered = false;
    while (const auto received = ordinary.sa().transport().receive())
      answered =
          answered || (received->transaction_id == request[0].transaction_id &&
                       received->status == mad_status::kGood && is_response(received->method) &&
                       rmpp_header(*received).type != RmppType::kAck &&
                       sa_header(*received).attribute_offset > 0);
    return answered;
  };
  ASSERT_TRUE(is_answered());
  for (int i = 0; i < 2000; ++i) attacker.send(attacker.long_request()[0]);
  subnet.run_for(milliseconds(50));
  attacker.drain();
  EXPECT_LE(subnet.sa().transfers_under_way(), 1024u);
  EXPECT_TRUE(is_answered());
  EXPECT_TRUE(ordinary.gets_path(3));
  subnet.run_for(std::chrono::minutes(2));
  EXPECT_EQ(subnet.sa().transfers_under_way(), 0u)
      << "unfinished requests remain after two minutes";
}

TEST_F(SaFlood, OfUnacknowledgedTablesEndsWithLimitedMemory) {
  Host attacker(subnet, 5), ordinary(subnet, 2);
  flood(attacker, 20'000, [&](unsigned i) {
    return attacker.sa().request(
        sa_method::kGetTable, i % 2 == 0 ? SaAttribute::kNodeRecord : SaAttribute::kPortInfoRecord);
  });
  const auto table =
      ordinary.sa().query(ordinary.sa().request(sa_method::kGetTable, SaAttribute::kNodeRecord));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->status, mad_status::kGood);
  EXPECT_LE(subnet.sa().bytes_under_way(), std::size_t{128} << 20);
  subnet.run_for(std::chrono::minutes(5));
  EXPECT_EQ(subnet.sa().transfers_under_way(), 0u);
}

// The requests of both hosts arrive before the SA answers any. With LMC 3 the attacker sends from 8
// LIDs.
TEST(SaShares, AreEqualForPortsWithAnyNumberOfLids) {
  SmOptions options;
  options.lmc = 3;
  AttackedSubnet subnet(fabric_of("fattree2:k=4"), options);
  ASSERT_TRUE(subnet.start());
  Host attacker(subnet, 5), ordinary(subnet, 2);
  constexpr unsigned kWanted = 1500;
  for (unsigned i = 0; i < kWanted; ++i) {
    for (std::uint8_t bits = 0; bits < 8; ++bits) {
      Gmp gmp = attacker.path_to(3);
      gmp.peer.path_bits = bits;
      attacker.send(gmp);
    }
    ordinary.send(ordinary.path_to(3));
  }
  std::size_t of_attacker = 0, of_ordinary = 0;
  subnet.emulated().run_for(milliseconds(1));  // all requests arrive before the SA processes any
  for (int round = 0; round < 2000 && of_ordinary < kWanted; ++round) {
    subnet.run_for(std::chrono::nanoseconds(1));
    subnet.emulated().run_for(milliseconds(1));  // all answers arrive, over any number of hops
    of_attacker += attacker.drain();
    of_ordinary += ordinary.drain();
  }
  EXPECT_EQ(of_ordinary, kWanted);
  EXPECT_LE(of_attacker, 2 * kWanted) << "answers to a host that sends 8 times as many requests";
}

}  // namespace
}  // namespace weft::attacks
