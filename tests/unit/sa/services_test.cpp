// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ServiceRecords: access rights to register, change and query records, and leases.
#include "sa/service_records.h"
#include "support/sa_subnet.h"

namespace weft {
namespace {

constexpr std::uint64_t kRid = 0x7;
constexpr std::uint64_t kLease = 0x10;
constexpr std::uint64_t kKey = 0x20;

class ServicesOfAFabric : public ::testing::Test {
 protected:
  void SetUp() override { subnet.start(); }
  Gid own_gid() {
    return make_gid(subnet.options.subnet_prefix,
                    subnet.snapshot()
                        .fabric.port(subnet.snapshot().fabric.endport(subnet.client_endport()).port)
                        .guid);
  }
  ServiceRecord service(std::uint64_t id) {
    ServiceRecord record;
    record.id = id;
    record.gid = own_gid();
    record.pkey = Pkey(0xFFFF);
    record.lease = 3;
    record.name[0] = std::byte{'s'};
    record.data[5] = static_cast<std::byte>(id);
    return record;
  }
  std::uint16_t set(const ServiceRecord& record, std::uint64_t mask = kRid) {
    const auto reply = subnet.client->query(
        subnet.client->request(Method::kSet, SaAttribute::kServiceRecord, mask, record));
    return reply ? reply->status : std::uint16_t{0xFFFF};
  }
  std::uint16_t remove(const ServiceRecord& record) {
    const auto reply = subnet.client->query(
        subnet.client->request(sa_method::kDelete, SaAttribute::kServiceRecord, kRid, record));
    return reply ? reply->status : std::uint16_t{0xFFFF};
  }
  std::vector<ServiceRecord> all(std::uint64_t sm_key = 0) {
    std::vector<ServiceRecord> records;
    const auto reply = subnet.client->query(
        subnet.client->request(sa_method::kGetTable, SaAttribute::kServiceRecord, 0, sm_key));
    for (std::size_t i = 0; reply && i < reply->count(); ++i)
      records.push_back(decode_service_record(reply->at<ServiceRecord>(i)));
    return records;
  }
  SaSubnet subnet{fabric_of("fattree2:k=4")};
};

TEST_F(ServicesOfAFabric, AreReturnedAsSetNewestFirst) {
  EXPECT_EQ(set(service(1)), mad_status::kGood);
  EXPECT_EQ(set(service(2)), mad_status::kGood);
  ServiceRecord changed = service(1);
  changed.data[0] = std::byte{9};
  EXPECT_EQ(set(changed), mad_status::kGood);
  const auto records = all();
  ASSERT_EQ(records.size(), 2u);
  ServiceRecord second = service(2);
  second.lease = changed.lease = sa::Services::kForEver;  // no lease requested
  EXPECT_EQ(records[0], second);
  EXPECT_EQ(records[1], changed);
}

TEST_F(ServicesOfAFabric, EndWithTheLease) {
  EXPECT_EQ(set(service(1), kRid | kLease), mad_status::kGood);
  EXPECT_EQ(set(service(2)), mad_status::kGood);
  EXPECT_EQ(all().size(), 2u);
  subnet.managed.emulated().run_for(std::chrono::seconds(4));
  const auto left = all();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].id, 2u);
}

TEST_F(ServicesOfAFabric, AreDeletedByIdGidAndPkey) {
  EXPECT_EQ(set(service(1)), mad_status::kGood);
  EXPECT_EQ(remove(service(2)), sa_status::kNoRecords);
  EXPECT_EQ(remove(service(1)), mad_status::kGood);
  EXPECT_EQ(remove(service(1)), sa_status::kNoRecords);
  EXPECT_TRUE(all().empty());
}

TEST_F(ServicesOfAFabric, AreRefusedForUnknownGidsOrOtherPartitions) {
  EXPECT_EQ(set(service(1), 0x5), sa_status::kRequestInvalid);
  EXPECT_EQ(set(service(1), 0x6), sa_status::kRequestInvalid);
  ServiceRecord record = service(1);
  record.gid[15] ^= std::byte{0x55};
  EXPECT_EQ(set(record), sa_status::kRequestInvalid);
  record = service(1);
  record.pkey = Pkey(0x8001);
  EXPECT_EQ(set(record), sa_status::kRequestInvalid);
  EXPECT_TRUE(all().empty());
}

TEST_F(ServicesOfAFabric, AreAcceptedForPortGuidsAndGroups) {
  ServiceRecord record = service(1);
  record.gid[0] = std::byte{0x80};
  record.gid[1] = std::byte{0xFE};
  EXPECT_EQ(set(record), mad_status::kGood);
  record.gid = make_gid(0xFF12401BFFFF0000, Guid(1));
  EXPECT_EQ(set(record), mad_status::kGood);
  EXPECT_EQ(all().size(), 2u);
}

TEST_F(ServicesOfAFabric, UseTheDefaultPartitionUnlessGiven) {
  ServiceRecord record = service(1);
  record.pkey = Pkey(0x8001);
  EXPECT_EQ(set(record, 0x3), mad_status::kGood);
  EXPECT_EQ(all().at(0).pkey, Pkey(0xFFFF));
}

TEST_F(ServicesOfAFabric, ShowKeysToTrustedRequestersOnly) {
  ServiceRecord record = service(1);
  record.key[3] = std::byte{7};
  EXPECT_EQ(set(record, kRid | kKey), mad_status::kGood);
  EXPECT_EQ(all().at(0).key, (std::array<std::byte, 16>{}));
  EXPECT_EQ(all(1).at(0).key, record.key);
}

TEST_F(ServicesOfAFabric, AreLimitedPerPort) {
  subnet.options.quotas.services = 2;
  subnet.server->set_options(subnet.options);
  EXPECT_EQ(set(service(1)), mad_status::kGood);
  EXPECT_EQ(set(service(2)), mad_status::kGood);
  EXPECT_EQ(set(service(3)), sa_status::kNoResources);
  EXPECT_EQ(subnet.server->state().refusals.of(sa::Refusal::kServices), 1u);
  EXPECT_EQ(set(service(2)), mad_status::kGood) << "the service exists already";
  EXPECT_EQ(remove(service(1)), mad_status::kGood);
  EXPECT_EQ(set(service(3)), mad_status::kGood);
}

/// The ServiceRecord is visible to all partitions.
TEST(ServicesOfOtherPartitions, CannotBeChanged) {
  SaSubnet subnet{fabric_of("fattree2:k=4")};
  const Fabric& real = subnet.managed.fabric();
  const auto guid = [&](unsigned host) {
    return real.port(real.endport(EndportId(real.switch_count() + host)).port).guid;
  };
  std::vector<std::string> warnings;
  auto file = parse_partitions(
      fmt::format("A=0x10: 0x{:x}=full, 0x{:x}=full;\n", guid(1).value(), guid(2).value()), "p",
      warnings);
  ASSERT_TRUE(file);
  subnet.managed.options.partitions = *file;
  subnet.start();
  std::uint16_t status = 0xFFFF;
  SaServer server({}, [&](const Gmp& gmp) { status = gmp.status; });
  server.publish(subnet.managed.sm().snapshot());
  ServiceRecord record;
  record.id = 7;
  record.gid = make_gid(subnet.options.subnet_prefix, guid(1));
  const auto send_request = [&](unsigned host, Method method, std::uint64_t mask) {
    Gmp gmp = subnet.client->request(method, SaAttribute::kServiceRecord, mask, record);
    const Fabric& known = subnet.snapshot().fabric;
    gmp.peer.lid = known.endport(*known.find_endport(guid(host))).lid;
    server.on_gmp(gmp, TimeNs{0});
    return status;
  };
  ASSERT_EQ(send_request(1, Method::kSet, kRid), 0);
  EXPECT_EQ(send_request(3, Method::kGet, 1), 0);
  EXPECT_EQ(send_request(3, Method::kSet, kRid), sa_status::kRequestInvalid);
  EXPECT_EQ(send_request(3, sa_method::kDelete, kRid), sa_status::kRequestInvalid);
  EXPECT_EQ(send_request(2, sa_method::kDelete, kRid), 0);
}

TEST(Services, CountForTheLastRegistrant) {
  const Gid one = make_gid(1, Guid(1)), other = make_gid(1, Guid(2));
  sa::Services services;
  const auto put = [&](std::uint64_t id, const Gid& by) {
    sa::Service service;
    service.record.id = id;
    service.registrant = by;
    return services.put(service, 2);
  };
  EXPECT_TRUE(put(1, one) && put(2, one));
  EXPECT_FALSE(put(3, one));
  EXPECT_TRUE(put(3, other));
  EXPECT_FALSE(put(3, one)) << "it would be the third service of this registrant";
  EXPECT_TRUE(put(1, other));
  EXPECT_EQ(services.count_of(one), 1u);
  EXPECT_EQ(services.count_of(other), 2u);
  EXPECT_TRUE(put(3, one));
  services.remove({2, Gid{}, 0});
  EXPECT_EQ(services.count_of(one), 1u);
  EXPECT_EQ(services.count_of(other), 1u);
}

TEST(Services, AreLimitedInTotal) {
  sa::Services services;
  sa::Service service;
  for (std::uint64_t id = 0; id < sa::Services::kMax; ++id) {
    service.record.id = id;
    service.expires = TimeNs(static_cast<TimeNs::rep>(id + 1));
    ASSERT_TRUE(services.put(service));
  }
  service.record.id = sa::Services::kMax;
  EXPECT_FALSE(services.put(service));
  services.expire(TimeNs(static_cast<TimeNs::rep>(sa::Services::kMax - 1)));
  EXPECT_EQ(services.size(), 1u);
  EXPECT_EQ(services.next_expiry(), TimeNs(static_cast<TimeNs::rep>(sa::Services::kMax)));
  EXPECT_TRUE(services.put(service));
}

}  // namespace
}  // namespace weft
