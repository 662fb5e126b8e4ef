// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Queries about virtual ports: paths, partitions, multicast groups, and registrations that remain
// after a live migration.
#include <fstream>

#include "sa/dump/dump.h"
#include "support/sa_subnet.h"

namespace weft {
namespace {

EmulatorOptions two_vports() {
  EmulatorOptions options;
  options.vports = 2;
  return options;
}

class VportsOfTheSa : public ::testing::Test {
 protected:
  VportsOfTheSa() {
    guest_ = emulated().virtual_ports(host(1))->identity(1);
    other_ = emulated().virtual_ports(host(2))->identity(2);
  }
  void start(const std::string& partitions) {
    std::vector<std::string> warnings;
    subnet_.managed.options.partitions = *parse_partitions(partitions, "p", warnings);
    subnet_.start();
  }
  EmulatedFabric& emulated() { return subnet_.managed.emulated(); }
  PortId host(unsigned n) const {
    const Fabric& fabric = subnet_.managed.fabric();
    return fabric.endport(EndportId(fabric.switch_count() + n)).port;
  }
  Guid host_guid(unsigned n) const { return subnet_.managed.fabric().port(host(n)).guid; }
  Lid lid_of(unsigned n) { return emulated().port_info(host(n)).lid; }
  Gid gid(Guid guid) const { return make_gid(subnet_.options.subnet_prefix, guid); }
  std::string hex(Guid guid) const { return fmt::format("0x{:016x}", guid.value()); }

  std::optional<PathRecord> path(Guid from, Guid to) {
    PathRecord wanted;
    wanted.sgid = gid(from);
    wanted.dgid = gid(to);
    const auto reply = subnet_.client->query(
        subnet_.client->request(Method::kGet, SaAttribute::kPathRecord, 0xC, wanted));
    if (!reply || reply->status != mad_status::kGood) return std::nullopt;
    return decode_path_record(std::span(reply->payload).first<PathRecord::kSize>());
  }
  std::uint16_t join(Guid port, std::uint64_t group, unsigned pkey) {
    McMemberRecord member;
    member.mgid = make_gid(std::uint64_t{0xFF15} << 48, Guid(group));
    member.port_gid = gid(port);
    member.join_state = 1;
    member.pkey = Pkey(static_cast<std::uint16_t>(pkey));
    const auto joined = subnet_.client->query(subnet_.client->request(
        Method::kSet, SaAttribute::kMcMemberRecord, 0x130C7 | 0x3000, member));
    return joined ? joined->status : std::uint16_t{0xFFFF};
  }
  /// Runs the manager until it has handled changes, and publishes the result.
  void follow() {
    subnet_.managed.run_for(2 * kSecond);
    subnet_.server->publish(subnet_.managed.sm().snapshot());
  }
  std::vector<Guid> members() {
    const auto routed = subnet_.server->multicast_groups();
    return routed.empty() ? std::vector<Guid>() : routed[0].members;
  }

  SaSubnet subnet_{fabric_of("fattree2:k=4"), {}, two_vports()};
  emulator::VirtualIdentity guest_, other_;
};

TEST_F(VportsOfTheSa, HavePathsWithTheLidOfTheHost) {
  start("Default=0x7fff: ALL=full;");
  const auto found = path(guest_.port, other_.port);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slid, lid_of(1));
  EXPECT_EQ(found->dlid, lid_of(2));
  EXPECT_EQ(found->dgid, gid(other_.port));
  EXPECT_EQ(found->hop_limit, 2);
  EXPECT_EQ(path(host_guid(1), other_.port)->hop_limit, 2)
      << "one vport at the ends is sufficient for this hop limit";
  EXPECT_EQ(path(host_guid(1), host_guid(2))->hop_limit, 0);
  const auto same = path(guest_.port, host_guid(1));
  ASSERT_TRUE(same);
  EXPECT_EQ(same->slid, same->dlid) << "both ports are on one host";
  EXPECT_FALSE(path(guest_.port, Guid(0x4711)));
}

/// The P_Keys of a path are those of the vports, not those of the hosts.
TEST_F(VportsOfTheSa, HavePartitionsIndependentOfTheHost) {
  start(fmt::format("Default=0x7fff: ALL=full; blue=0x0022: {}=full, {}=full; red=0x0033: {}=full;",
                    hex(guest_.port), hex(host_guid(7)), hex(host_guid(1))));
  EXPECT_EQ(path(guest_.port, host_guid(7))->pkey, Pkey(0x8022))
      << "the P_Key is the lowest common P_Key";
  EXPECT_EQ(path(host_guid(1), host_guid(7))->pkey, Pkey(0xFFFF))
      << "the host is not in partition blue";
  EXPECT_EQ(path(guest_.port, host_guid(1))->pkey, Pkey(0xFFFF))
      << "the vport is not in partition red";
  EXPECT_EQ(join(guest_.port, 1, 0x8022), mad_status::kGood);
  EXPECT_NE(join(host_guid(1), 1, 0x8022), mad_status::kGood);
  EXPECT_NE(join(other_.port, 1, 0x8022), mad_status::kGood);
}

TEST_F(VportsOfTheSa, AreHiddenFromPortsWithoutACommonPartition) {
  const Guid client = host_guid(7);
  start(fmt::format("Default=0x7fff: ALL=limited, SELF=full; blue=0x0022: {}=full, {}=full;",
                    hex(guest_.port), hex(client)));
  EXPECT_TRUE(path(client, guest_.port));
  EXPECT_FALSE(path(client, other_.port)) << "both ports are limited members";
}

TEST_F(VportsOfTheSa, KeepGroupsAfterAMove) {
  start("Default=0x7fff: ALL=full;");
  ASSERT_EQ(join(guest_.port, 1, 0xFFFF), mad_status::kGood);
  EXPECT_EQ(members(), std::vector{host_guid(1)});
  ASSERT_TRUE(emulated().move_vport(host(1), 1, host(5)));
  follow();
  EXPECT_EQ(members(), std::vector{host_guid(5)});
  EXPECT_EQ(path(guest_.port, other_.port)->slid, lid_of(5));

  // The vport at the old host is removed before the vport at the new host is added.
  emulated().remove_vport(host(5), 3);
  follow();
  EXPECT_EQ(members(), std::vector{host_guid(5)});
  EXPECT_FALSE(path(guest_.port, other_.port)) << "the removed vport has no path";
  ASSERT_TRUE(emulated().add_vport(host(6), guest_));
  follow();
  EXPECT_EQ(members(), std::vector{host_guid(6)});

  emulated().remove_vport(host(6), 3);
  subnet_.managed.run_for(kVportGrace);
  follow();
  EXPECT_TRUE(members().empty()) << "the membership has ended";
}

TEST_F(VportsOfTheSa, LeaveGroupsOfRemovedPartitions) {
  start(fmt::format("Default=0x7fff: ALL=full; blue=0x0022: {}=full, {}=full;", hex(guest_.port),
                    hex(host_guid(7))));
  ASSERT_EQ(join(guest_.port, 1, 0x8022), mad_status::kGood);
  std::vector<std::string> warnings;
  ASSERT_TRUE(subnet_.managed.settle());
  subnet_.managed.sm().set_partitions(*parse_partitions("Default=0x7fff: ALL=full;", "p", warnings),
                                      {});
  follow();
  EXPECT_TRUE(members().empty());
}

TEST_F(VportsOfTheSa, KeepGroupsAfterARestart) {
  start("Default=0x7fff: ALL=full;");
  ASSERT_EQ(join(guest_.port, 1, 0xFFFF), mad_status::kGood);
  const std::string dump = subnet_.server->dump(emulated().clock().now());
  const TempDir folder;
  const std::string path = folder.path() + "/dump";
  std::ofstream(path) << dump;
  auto saved = sa::read_dump(path);
  ASSERT_TRUE(saved) << saved.error().message;
  SaOptions options = subnet_.options;
  options.saved = std::make_shared<const sa::Saved>(std::move(*saved));
  SaServer next(options, [](const Gmp&) {});
  next.publish(subnet_.managed.sm().snapshot());
  next.step(emulated().clock().now());
  const auto routed = next.multicast_groups();
  ASSERT_EQ(routed.size(), 1u);
  EXPECT_EQ(routed[0].members, std::vector{host_guid(1)});
}

TEST_F(VportsOfTheSa, HaveANodeRecordForRequestsByGuid) {
  start("Default=0x7fff: ALL=full;");
  NodeRecord wanted;
  wanted.info.port_guid = guest_.port;
  constexpr std::uint64_t kPortGuid = 1u << 8;
  for (const Method method : {Method::kGet, sa_method::kGetTable}) {
    const auto reply = subnet_.client->query(
        subnet_.client->request(method, SaAttribute::kNodeRecord, kPortGuid, wanted));
    ASSERT_TRUE(reply && reply->status == mad_status::kGood);
    const NodeRecord found =
        *decode_node_record(std::span(reply->payload).first<NodeRecord::kSize>());
    EXPECT_EQ(found.lid, lid_of(1));
    EXPECT_EQ(found.info.node_guid, guest_.node);
    EXPECT_EQ(found.description.text, guest_.description);
    if (method != Method::kGet) {
      EXPECT_EQ(reply->count(), 1u);
    }
  }
  wanted.info.port_guid = Guid(0x4711);
  EXPECT_NE(subnet_.client
                ->query(subnet_.client->request(Method::kGet, SaAttribute::kNodeRecord, kPortGuid,
                                                wanted))
                ->status,
            mad_status::kGood);
}

TEST_F(VportsOfTheSa, CanRegisterServices) {
  start("Default=0x7fff: ALL=full;");
  ServiceRecord service;
  service.id = 1;
  service.gid = gid(guest_.port);
  service.pkey = Pkey(0xFFFF);
  service.lease = 0xFFFFFFFF;
  const auto registered = subnet_.client->query(
      subnet_.client->request(Method::kSet, SaAttribute::kServiceRecord, 0x3 | 0x14, service));
  ASSERT_TRUE(registered);
  EXPECT_EQ(registered->status, mad_status::kGood);
}

}  // namespace
}  // namespace weft
