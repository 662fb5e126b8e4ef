// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers of the subnet administration about a managed fabric, queried through the fabric itself.
#include "support/sa_subnet.h"

namespace weft {
namespace {

class Answers : public ::testing::Test {
 protected:
  void SetUp() override { subnet.start(); }
  SaSubnet subnet{fabric_of("fattree2:k=4")};
};

TEST_F(Answers, EveryEndportHasANodeRecord) {
  const auto reply =
      subnet.client->query(subnet.client->request(sa_method::kGetTable, SaAttribute::kNodeRecord));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->first.method, sa_method::kGetTableResp);
  EXPECT_EQ(reply->offset, NodeRecord::kSize);
  ASSERT_EQ(reply->count(), subnet.snapshot().fabric.endport_count());
  Guid before;
  for (std::size_t i = 0; i < reply->count(); ++i) {
    const auto record = decode_node_record(reply->at<NodeRecord>(i));
    ASSERT_TRUE(record);
    EXPECT_GT(record->info.node_guid, before);
    before = record->info.node_guid;
    const EndportId holder = subnet.snapshot().fabric.endport_of(record->lid);
    ASSERT_NE(holder, kNoEndport);
    const Endport& endport = subnet.snapshot().fabric.endport(holder);
    EXPECT_EQ(record->info.port_guid, subnet.snapshot().fabric.port(endport.port).guid);
    EXPECT_EQ(record->description.text, subnet.snapshot().fabric.node(endport.node).description);
  }
}

TEST_F(Answers, TablesAreEqualForEveryWindowSize) {
  const auto whole = subnet.client->query(
      subnet.client->request(sa_method::kGetTable, SaAttribute::kPortInfoRecord), 64);
  ASSERT_TRUE(whole);
  EXPECT_GT(whole->payload.size(), 8 * kSaDataSize);
  for (const std::uint32_t window : {1u, 2u, 3u, 7u}) {
    const auto again = subnet.client->query(
        subnet.client->request(sa_method::kGetTable, SaAttribute::kPortInfoRecord), window);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->payload, whole->payload) << "window " << window;
  }
  EXPECT_EQ(subnet.server->transfers_under_way(), 0u);
}

TEST_F(Answers, PortInfoEqualsThatOfThePort) {
  const auto reply = subnet.client->query(
      subnet.client->request(sa_method::kGetTable, SaAttribute::kPortInfoRecord, 0, 1));
  ASSERT_TRUE(reply);
  const Fabric& known = subnet.snapshot().fabric;
  ASSERT_GT(reply->count(), known.endport_count());
  for (std::size_t i = 0; i < reply->count(); ++i) {
    const auto record = decode_port_info_record(reply->at<PortInfoRecord>(i));
    ASSERT_TRUE(record);
    const Endport& endport = known.endport(known.endport_of(record->lid));
    const auto real = subnet.managed.fabric().find_node(known.node(endport.node).node_guid);
    const PortId port = subnet.managed.fabric().port_id(*real, record->port);
    PortInfo actual = subnet.managed.emulated().port_info(port);
    PortInfo answered = record->info;
    answered.local_port = actual.local_port;
    answered.client_reregister = actual.client_reregister;
    EXPECT_EQ(answered, actual) << describe(subnet.managed.fabric(), port);
  }
}

TEST(AnswersOfPorts, AreEqualForAnyDiscoveryPath) {
  std::vector<std::byte> without_delays;
  for (const double late : {0.0, 0.2, 0.5}) {
    SaSubnet subnet{fabric_of("fattree3:k=4")};
    subnet.managed.emulated().set_faults(
        {.late = late, .late_by_max = std::chrono::milliseconds(50)});
    subnet.start();
    subnet.managed.emulated().set_faults({});
    const auto reply = subnet.client->query(
        subnet.client->request(sa_method::kGetTable, SaAttribute::kPortInfoRecord));
    ASSERT_TRUE(reply);
    if (late == 0.0) without_delays = reply->payload;
    EXPECT_EQ(reply->payload, without_delays) << late;
  }
}

TEST(AnswersOfPorts, ContainOnlyTheStateOfSwitchPortsThatAreDown) {
  SaSubnet subnet{fabric_of("fattree3:k=4,fail=2,seed=1")};
  subnet.start();
  const auto reply = subnet.client->query(
      subnet.client->request(sa_method::kGetTable, SaAttribute::kPortInfoRecord));
  ASSERT_TRUE(reply);
  std::size_t down = 0;
  for (std::size_t i = 0; i < reply->count(); ++i) {
    const auto record = decode_port_info_record(reply->at<PortInfoRecord>(i));
    ASSERT_TRUE(record);
    if (record->info.state != PortState::kDown) continue;
    ++down;
    PortInfo shown;
    shown.state = PortState::kDown;
    shown.phys_state = record->info.phys_state;
    EXPECT_EQ(record->info, shown);
  }
  EXPECT_EQ(down, 4u);  // both ends of two cables
}

TEST(AnswersOfPorts, ContainNoPkeyTablesOfPortsThatAreDown) {
  SaSubnet subnet{fabric_of("fattree3:k=4,fail=2,seed=1")};
  subnet.start();
  const auto reply = subnet.client->query(subnet.client->request(
      sa_method::kGetTable, SaAttribute::kPkeyTableRecord, 0, PkeyTableRecord{}, 1));
  ASSERT_TRUE(reply);
  const Fabric& known = subnet.snapshot().fabric;
  for (std::size_t i = 0; i < reply->count(); ++i) {
    const PkeyTableRecord record = decode_pkey_table_record(reply->at<PkeyTableRecord>(i));
    const NodeId node = known.endport(known.endport_of(record.lid)).node;
    if (!known.is_switch(node) || record.port == PortNum(0)) continue;
    EXPECT_NE(known.port(known.port_id(node, record.port)).peer, kNoPort);
  }
  EXPECT_GT(reply->count(), known.endport_count());
}

TEST_F(Answers, LinkRecordsFilteredByALidEndAtTheLid) {
  const Fabric& known = subnet.snapshot().fabric;
  const Lid to = known.endport(Fabric::endport_of(SwitchId(0))).lid;
  const auto reply = subnet.client->query(subnet.client->request(
      sa_method::kGetTable, SaAttribute::kLinkRecord, 1 << 3, LinkRecord{{}, {}, {}, to}));
  ASSERT_TRUE(reply);
  std::size_t cabled = 0;
  for (const Port& port : known.ports(NodeId(0))) cabled += port.peer != kNoPort;
  EXPECT_EQ(reply->count(), cabled);
  for (std::size_t i = 0; i < reply->count(); ++i)
    EXPECT_EQ(decode_link_record(reply->at<LinkRecord>(i)).to, to);
}

TEST_F(Answers, PkeysOfHostsIgnoreThePortNumber) {
  std::size_t of_hosts = 0;
  const auto reply = subnet.client->query(
      subnet.client->request(sa_method::kGetTable, SaAttribute::kPkeyTableRecord, 1 << 2,
                             PkeyTableRecord{{}, 0, PortNum(3), {}}, 1));
  ASSERT_TRUE(reply);
  const Fabric& known = subnet.snapshot().fabric;
  for (std::size_t i = 0; i < reply->count(); ++i) {
    const PkeyTableRecord record = decode_pkey_table_record(reply->at<PkeyTableRecord>(i));
    const bool host = !known.is_switch(known.endport(known.endport_of(record.lid)).node);
    EXPECT_EQ(record.port, PortNum(host ? 1 : 3));
    of_hosts += host && record.block == 0;
  }
  EXPECT_EQ(of_hosts, known.endport_count() - known.switch_count());
}

TEST_F(Answers, CapabilityMaskMatchesAsASubsetWithTheModifier) {
  PortInfoRecord wanted;
  wanted.info.capability_mask = cap_mask::kIsSm;
  Gmp gmp =
      subnet.client->request(sa_method::kGetTable, SaAttribute::kPortInfoRecord, 1u << 7, wanted);
  auto reply = subnet.client->query(gmp);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->count(), 0u);
  gmp.modifier = 0x80000000;
  gmp.transaction_id += 1000;
  reply = subnet.client->query(gmp);
  ASSERT_TRUE(reply);
  ASSERT_EQ(reply->count(), 1u);
  EXPECT_EQ(decode_port_info_record(reply->at<PortInfoRecord>(0))->lid, subnet.snapshot().sm_lid());
}

TEST_F(Answers, CapabilityMask2MatchesAsASubsetWithTheModifier) {
  auto snapshot = std::make_shared<Snapshot>(subnet.snapshot());
  const Endport& own = snapshot->fabric.endport(snapshot->sm);
  const PortNum port = snapshot->fabric.port(own.port).num;
  snapshot->nodes[own.node.value()].ports[port.value()].capability_mask2 = 0x8421;
  subnet.server->publish(snapshot);
  const auto matches = [&](std::uint16_t mask, std::uint32_t modifier) {
    PortInfoRecord wanted;
    wanted.info.capability_mask2 = mask;
    Gmp gmp = subnet.client->request(sa_method::kGetTable, SaAttribute::kPortInfoRecord,
                                     std::uint64_t{1} << 53, wanted);
    gmp.modifier = modifier;
    const auto reply = subnet.client->query(gmp);
    return reply ? reply->count() : 0;
  };
  EXPECT_EQ(matches(0x8421, 0), 1u);
  EXPECT_EQ(matches(0x8001, 0), 0u);
  EXPECT_EQ(matches(0x8001, 0x80000000), 1u);
  EXPECT_EQ(matches(0x8003, 0x80000000), 0u);
}

TEST_F(Answers, SlToVlOfAHostHasOneRecordForAllPorts) {
  const Endport& host = subnet.snapshot().fabric.endport(subnet.client_endport());
  const auto reply = subnet.client->query(
      subnet.client->request(sa_method::kGetTable, SaAttribute::kSlToVlRecord, 0b111,
                             SlToVlRecord{host.lid, PortNum(3), PortNum(5), {}}));
  ASSERT_TRUE(reply);
  ASSERT_EQ(reply->count(), 1u);
  const SlToVlRecord record = decode_sl_to_vl_record(reply->at<SlToVlRecord>(0));
  EXPECT_EQ(record.lid, host.lid);
  EXPECT_EQ(record.in, PortNum(0));
  EXPECT_EQ(record.out, PortNum(0));
}

TEST_F(Answers, EveryCableHasALinkRecordForEachDirection) {
  const auto reply =
      subnet.client->query(subnet.client->request(sa_method::kGetTable, SaAttribute::kLinkRecord));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->count(), 2 * subnet.snapshot().fabric.link_count());
}

TEST_F(Answers, TablesEqualThoseOfTheSwitches) {
  const auto reply =
      subnet.client->query(subnet.client->request(sa_method::kGetTable, SaAttribute::kLftRecord));
  ASSERT_TRUE(reply);
  const Fabric& known = subnet.snapshot().fabric;
  ASSERT_EQ(reply->count(), known.switch_count() * subnet.snapshot().routes.lfts.blocks());
  for (std::size_t i = 0; i < reply->count(); ++i) {
    const LftRecord record = decode_lft_record(reply->at<LftRecord>(i));
    const Endport& endport = known.endport(known.endport_of(record.lid));
    const auto real = subnet.managed.fabric().find_node(known.node(endport.node).node_guid);
    const auto actual = subnet.managed.emulated().lft(SwitchId(real->value()));
    for (std::size_t lid = 0; lid < kLftBlock; ++lid)
      EXPECT_EQ(record.table.ports[lid], actual[record.block * kLftBlock + lid]);
  }
}

TEST_F(Answers, GetReturnsTheStatusForZeroOneOrSeveralRecords) {
  const auto status = [&](const Gmp& gmp) {
    const auto reply = subnet.client->query(gmp);
    return reply ? reply->status : 0xFFFF;
  };
  EXPECT_EQ(status(subnet.client->request(Method::kGet, SaAttribute::kNodeRecord)),
            sa_status::kTooManyRecords);
  EXPECT_EQ(status(subnet.client->request(Method::kGet, SaAttribute::kNodeRecord, 1,
                                          NodeRecord{Lid(0x999), {}, {}})),
            sa_status::kNoRecords);
  EXPECT_EQ(status(subnet.client->request(Method::kGet, SaAttribute::kNodeRecord, 1,
                                          NodeRecord{subnet.snapshot().sm_lid(), {}, {}})),
            mad_status::kGood);
  EXPECT_EQ(status(subnet.client->request(Method::kGet, SaAttribute::kRftRecord)),
            mad_status::kMethodAttributeUnsupported);
  EXPECT_EQ(status(subnet.client->request(Method::kSet, SaAttribute::kNodeRecord)),
            mad_status::kMethodAttributeUnsupported);
  EXPECT_EQ(status(subnet.client->request(Method::kGet, SaAttribute::kPkeyTableRecord)),
            sa_status::kRequestInvalid);  // without the SM_Key
}

TEST_F(Answers, RequestsWithAnotherSmKeyAreIgnored) {
  EXPECT_FALSE(subnet.client->query(
      subnet.client->request(Method::kGet, SaAttribute::kClassPortInfo, 0, 0x77)));
  EXPECT_EQ(subnet.server->counts().ignored, 1u);
  EXPECT_TRUE(subnet.client->query(
      subnet.client->request(Method::kGet, SaAttribute::kClassPortInfo, 0, 1)));
  EXPECT_TRUE(
      subnet.client->query(subnet.client->request(Method::kGet, SaAttribute::kClassPortInfo)));
}

/// OpenSM 3.3.23 has no bits for NDR (17), LinkSpeedExt2 (19) and XDR (20).
TEST_F(Answers, ClassPortInfoAnnouncesTheSpeedsThatRecordsContain) {
  const auto reply =
      subnet.client->query(subnet.client->request(Method::kGet, SaAttribute::kClassPortInfo));
  ASSERT_TRUE(reply);
  const auto info = decode_class_port_info(reply->at<ClassPortInfo>(0));
  EXPECT_EQ(info.capability_mask, 0x2602u);
  EXPECT_EQ(info.capability_mask2, 0x1AB5E8u);
}

TEST_F(Answers, AreNotSentUnlessMaster) {
  subnet.server->publish(nullptr);
  EXPECT_FALSE(
      subnet.client->query(subnet.client->request(Method::kGet, SaAttribute::kClassPortInfo)));
}

TEST_F(Answers, LostSegmentsAreSentAgain) {
  subnet.managed.emulated().set_faults({.lost = 0.2});
  unsigned whole = 0;
  for (int i = 0; i < 10; ++i) {
    const auto reply = subnet.client->query(
        subnet.client->request(sa_method::kGetTable, SaAttribute::kNodeRecord));
    if (!reply) continue;  // the request or the last acknowledgement is lost
    ++whole;
    EXPECT_EQ(reply->count(), subnet.snapshot().fabric.endport_count());
  }
  EXPECT_GE(whole, 5u);
}

TEST(AnswersByPartition, HideOtherPartitions) {
  SaSubnet subnet{fabric_of("fattree2:k=4")};
  std::vector<std::string> warnings;
  const Fabric& fabric = subnet.managed.fabric();
  const auto guid = [&](unsigned host) {
    return fabric.port(fabric.endport(EndportId(fabric.switch_count() + host)).port).guid.value();
  };
  // Host 7, which is the requester, and host 1 form a partition. All ports but the manager's are
  // limited members of the default partition.
  auto file = parse_partitions(
      fmt::format("A=0x8001: 0x{:x}=full, 0x{:x}=full;\n", guid(7), guid(1)), "test", warnings);
  ASSERT_TRUE(file) << file.error().message;
  subnet.managed.options.partitions = *file;
  subnet.start();
  const auto reply =
      subnet.client->query(subnet.client->request(sa_method::kGetTable, SaAttribute::kNodeRecord));
  ASSERT_TRUE(reply);
  std::vector<Guid> seen;
  for (std::size_t i = 0; i < reply->count(); ++i)
    seen.push_back(decode_node_record(reply->at<NodeRecord>(i))->info.port_guid);
  EXPECT_NE(std::ranges::find(seen, Guid(guid(1))), seen.end());
  EXPECT_EQ(std::ranges::find(seen, Guid(guid(2))), seen.end());
  EXPECT_NE(std::ranges::find(seen, Guid(guid(0))), seen.end());  // the manager: a full member
}

}  // namespace
}  // namespace weft
