// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Queries about virtual ports: paths, partitions, multicast groups, and registrations that remain
// after a live migration.
#include <fstream>
#include <map>
#include <memory>

#include "sa/dump/dump.h"
#include "support/full_size.h"
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
  explicit VportsOfTheSa(const EmulatorOptions& emulator = two_vports(), SaOptions options = {},
                         const std::string& spec = "fattree2:k=4")
      : subnet_{fabric_of(spec), std::move(options), emulator} {
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
  std::vector<PathRecord> multi_paths(const std::vector<Guid>& sources,
                                      const std::vector<Guid>& destinations) {
    MultiPathRecord wanted;
    wanted.sgid_count = static_cast<std::uint8_t>(sources.size());
    wanted.dgid_count = static_cast<std::uint8_t>(destinations.size());
    Gmp gmp = subnet_.client->request(sa_method::kGetMulti, SaAttribute::kMultiPathRecord,
                                      std::uint64_t{3} << 19, wanted);
    std::vector<Guid> all = sources;
    all.insert(all.end(), destinations.begin(), destinations.end());
    for (std::size_t i = 0; i < all.size(); ++i)
      std::ranges::copy(gid(all[i]),
                        sa_data(gmp).begin() + MultiPathRecord::kSize + i * sizeof(Gid));
    std::vector<PathRecord> paths;
    const auto reply = subnet_.client->query(gmp);
    for (std::size_t i = 0; reply && i < reply->count(); ++i)
      paths.push_back(decode_path_record(reply->at<PathRecord>(i)));
    return paths;
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

  SaSubnet subnet_;
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

/// For each pair of a vport or host and a vport, the record has the GIDs of the request, the LIDs
/// of the hosts, the lowest common P_Key of the vports, and the HopLimit of vports.
TEST_F(VportsOfTheSa, HaveMultiPathRecords) {
  start(fmt::format("Default=0x7fff: ALL=full; blue=0x0022: {}=full, {}=full;", hex(guest_.port),
                    hex(other_.port)));
  const auto paths = multi_paths({guest_.port, host_guid(1)}, {other_.port});
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[0].sgid, gid(guest_.port));
  EXPECT_EQ(paths[0].dgid, gid(other_.port));
  EXPECT_EQ(paths[0].pkey, Pkey(0x8022)) << "both vports are in partition blue";
  EXPECT_EQ(paths[1].sgid, gid(host_guid(1)));
  EXPECT_EQ(paths[1].pkey, Pkey(0xFFFF)) << "the host is not in partition blue";
  for (const PathRecord& path : paths) {
    EXPECT_EQ(path.slid, lid_of(1));
    EXPECT_EQ(path.dlid, lid_of(2));
    EXPECT_EQ(path.hop_limit, 2);
  }
  ASSERT_TRUE(emulated().move_vport(host(1), 1, host(5)));
  follow();
  const auto moved = multi_paths({guest_.port}, {other_.port});
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].slid, lid_of(5));
  EXPECT_EQ(moved[0].pkey, Pkey(0x8022));
}

/// The further GUIDs of a vport, in two blocks of VPortGUIDInfo.
TEST_F(VportsOfTheSa, CanBeReachedByTheirAliasGuids) {
  emulator::VirtualIdentity guest{Guid(0x7700), Guid(0x7800), "guest"};
  for (unsigned i = 1; i <= 9; ++i) guest.aliases.push_back(Guid(0x7700 + i));
  const auto index = emulated().add_vport(host(1), guest);
  ASSERT_TRUE(index.has_value());
  start(fmt::format("Default=0x7fff: ALL=full; blue=0x0022: {}=full, {}=full, {}=full;",
                    hex(guest.port), hex(other_.port), hex(host_guid(7))));
  const Guid first = guest.aliases.front(), last = guest.aliases.back();
  for (const Guid alias : {first, last}) {
    const auto found = path(alias, other_.port);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->sgid, gid(alias));
    EXPECT_EQ(found->slid, lid_of(1));
    EXPECT_EQ(found->pkey, Pkey(0x8022)) << "an alias has the P_Keys of its vport";
    EXPECT_EQ(found->hop_limit, 2);
  }
  ASSERT_EQ(join(last, 1, 0x8022), mad_status::kGood);
  EXPECT_EQ(members(), std::vector{host_guid(1)});
  ASSERT_TRUE(emulated().move_vport(host(1), *index, host(5)));
  follow();
  EXPECT_EQ(members(), std::vector{host_guid(5)});
  EXPECT_EQ(path(last, other_.port)->slid, lid_of(5));
}

class OwnLidsOfTheSa : public VportsOfTheSa {
 protected:
  static EmulatorOptions needing_lids() {
    EmulatorOptions options = two_vports();
    options.vports_need_lids = true;
    return options;
  }
  explicit OwnLidsOfTheSa(SaOptions options = {})
      : VportsOfTheSa(needing_lids(), std::move(options)) {}

  Lid own_lid(unsigned n, std::uint16_t index) {
    return emulated().virtual_ports(host(n))->vports[index].info.lid;
  }
  std::optional<SaReply> path_by_lids(Lid from, Lid to, std::optional<Guid> dgid = std::nullopt) {
    PathRecord wanted;
    wanted.slid = from;
    wanted.dlid = to;
    if (dgid) wanted.dgid = gid(*dgid);
    return subnet_.client->query(subnet_.client->request(Method::kGet, SaAttribute::kPathRecord,
                                                         dgid ? 0x34u : 0x30u, wanted));
  }
  template <class Record>
  std::optional<SaReply> table(SaAttribute attribute, std::uint64_t mask, const Record& wanted) {
    return subnet_.client->query(
        subnet_.client->request(sa_method::kGetTable, attribute, mask, wanted));
  }
};

TEST_F(OwnLidsOfTheSa, HavePathsWithTheirOwnLid) {
  start("Default=0x7fff: ALL=full;");
  const Lid from = own_lid(1, 1), to = own_lid(2, 2);
  ASSERT_NE(from, kLidNone);
  const auto found = path(guest_.port, other_.port);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slid, from);
  EXPECT_EQ(found->dlid, to);
  EXPECT_EQ(path(host_guid(1), host_guid(2))->dlid, lid_of(2));
  const auto multi = multi_paths({guest_.port}, {other_.port, host_guid(2)});
  ASSERT_EQ(multi.size(), 2u);
  EXPECT_EQ(multi[0].slid, from);
  EXPECT_EQ(multi[0].dlid, to);
  EXPECT_EQ(multi[1].dlid, lid_of(2));
}

TEST_F(OwnLidsOfTheSa, HaveOneSetOfLimitsTogetherWithTheLidOfTheirCaPort) {
  start("Default=0x7fff: ALL=full;");
  SaOptions options;
  options.rmpp.receiving_of_port = 2;
  options.rmpp.transfers_of_port = 2;
  SaServer server(options, [](const Gmp&) {});
  server.publish(subnet_.managed.sm().snapshot());
  std::uint64_t transaction = 0;
  const auto transfers_after = [&](Gmp gmp, Lid from) {
    gmp.peer.lid = from;
    gmp.transaction_id = ++transaction;
    server.on_gmp(gmp, TimeNs{0});
    return server.transfers_under_way();
  };
  const Gmp table =
      subnet_.client->request(sa_method::kGetTable, SaAttribute::kNodeRecord, 0, NodeRecord{});
  Gmp segment = subnet_.client->request(sa_method::kGetMulti, SaAttribute::kMultiPathRecord);
  RmppHeader header;
  header.version = kRmppVersion;
  header.type = RmppType::kData;
  header.active = header.first = true;
  header.segment = 1;
  set_rmpp_header(segment, header);
  EXPECT_EQ(transfers_after(table, lid_of(1)), 1u);
  EXPECT_EQ(transfers_after(table, own_lid(1, 1)), 2u);
  EXPECT_EQ(transfers_after(table, own_lid(1, 2)), 2u);
  EXPECT_EQ(transfers_after(segment, own_lid(1, 1)), 3u);
  EXPECT_EQ(transfers_after(segment, own_lid(1, 2)), 4u);
  EXPECT_EQ(transfers_after(segment, lid_of(1)), 4u);
  EXPECT_EQ(transfers_after(segment, own_lid(2, 1)), 5u);
  EXPECT_EQ(transfers_after(table, own_lid(2, 1)), 6u);
}

/// Alias GUIDs of virtual ports, which clients set by GUIDInfoRecord at the own LID of the virtual
/// port. The client is on the last host.
class AliasesOfVports : public OwnLidsOfTheSa {
 protected:
  static constexpr std::uint64_t kLidAndBlock = 0x3;
  void start_all() { start("Default=0x7fff: ALL=full;"); }
  unsigned client_host() const {
    const Fabric& fabric = subnet_.managed.fabric();
    return static_cast<unsigned>(fabric.endport_count() - fabric.switch_count() - 1);
  }
  /// Sends a request for index 1 to 7 of block 0; returns the status, and the GUIDs in `shown`.
  std::uint16_t change(Method method, Lid lid, unsigned index, Guid guid, std::uint64_t key = 0) {
    GuidInfoRecord record{lid, 0, {}};
    record.table.guids[index] = guid;
    // In a Get, the bit of a GUID would select records with this GUID.
    const std::uint64_t guid_bit = method == Method::kGet ? 0 : std::uint64_t{1} << (4 + index);
    const std::uint64_t mask = kLidAndBlock | guid_bit;
    const auto reply = subnet_.client->query(
        subnet_.client->request(method, SaAttribute::kGuidInfoRecord, mask, record, key));
    if (!reply) return 0xFFFF;
    if (reply->status == mad_status::kGood)
      shown = decode_guid_info_record(reply->at<GuidInfoRecord>(0)).table;
    return reply->status;
  }
  /// Passes the aliases to the manager and publishes the snapshot after they are written.
  void write() {
    subnet_.managed.sm().set_alias_guids(subnet_.server->alias_guids());
    follow();
  }
  GuidInfo guids_at(unsigned n, std::uint16_t index) {
    return *decode_guid_info(emulated().virtual_ports(host(n))->vports[index].guids[0]);
  }
  std::uint64_t guid_sets() { return subnet_.managed.sets(kVportGuidInfo); }
  GuidInfo shown;
};

TEST_F(AliasesOfVports, AreWrittenToTheDeviceAndIdentifyTheVport) {
  start_all();
  const unsigned n = client_host();
  const Guid vport = emulated().virtual_ports(host(n))->identity(1).port;
  EXPECT_EQ(change(Method::kSet, own_lid(n, 1), 3, Guid(0x77)), mad_status::kGood);
  EXPECT_EQ(shown.guids[0], vport);
  EXPECT_EQ(shown.guids[3], Guid(0x77));
  ASSERT_TRUE(path(Guid(0x77), other_.port)) << "before the manager writes the alias";
  EXPECT_EQ(path(Guid(0x77), other_.port)->slid, own_lid(n, 1));
  const std::uint64_t before = guid_sets();
  write();
  EXPECT_EQ(guids_at(n, 1).guids[0], vport);
  EXPECT_EQ(guids_at(n, 1).guids[3], Guid(0x77));
  EXPECT_EQ(guid_sets(), before + 1);
  write();
  EXPECT_EQ(guid_sets(), before + 1) << "no Set without a change";
  EXPECT_EQ(path(Guid(0x77), other_.port)->slid, own_lid(n, 1));
  EXPECT_EQ(change(sa_method::kDelete, own_lid(n, 1), 3, Guid(0)), mad_status::kGood);
  write();
  EXPECT_EQ(guids_at(n, 1).guids[3], Guid(0));
  EXPECT_FALSE(path(Guid(0x77), other_.port));
  EXPECT_EQ(change(Method::kSet, own_lid(n, 1), 3, Guid(0x77)), mad_status::kGood);
  EXPECT_EQ(shown.guids[3], Guid(0x77)) << "a deleted alias is free";
}

TEST_F(AliasesOfVports, FollowTheVportToAnotherHost) {
  start_all();
  const unsigned n = client_host();
  EXPECT_EQ(change(Method::kSet, own_lid(n, 1), 1, Guid(0x77)), mad_status::kGood);
  write();
  const Guid vport = emulated().virtual_ports(host(n))->identity(1).port;
  emulated().remove_vport(host(n), 1);
  follow();
  EXPECT_FALSE(subnet_.server->alias_guids().empty()) << "kept while the vport is absent";
  const auto index = emulated().add_vport(host(3), {vport, Guid(0x501), "moved"});
  ASSERT_TRUE(index);
  follow();
  EXPECT_EQ(guids_at(3, *index).guids[1], Guid(0x77));
  EXPECT_EQ(path(Guid(0x77), other_.port)->slid, own_lid(3, *index));
}

TEST_F(AliasesOfVports, AreAddedToTheGuidsThatTheDeviceHas) {
  const unsigned n = client_host();
  ASSERT_TRUE(
      emulated().add_vport(host(n), {Guid(0x500), Guid(0x501), "guest with alias", {Guid(0x510)}}));
  start_all();
  const std::uint16_t index = 3;
  EXPECT_EQ(change(Method::kGet, own_lid(n, index), 1, Guid(0)), mad_status::kGood);
  EXPECT_EQ(shown.guids[1], Guid(0x510));
  EXPECT_EQ(change(Method::kSet, own_lid(n, index), 2, Guid(0x77)), mad_status::kGood);
  EXPECT_EQ(shown.guids[1], Guid(0x510));
  write();
  EXPECT_EQ(guids_at(n, index).guids[1], Guid(0x510));
  EXPECT_EQ(guids_at(n, index).guids[2], Guid(0x77));
}

TEST_F(AliasesOfVports, CanBeChangedByTheHostOrWithTheSaKeyOnly) {
  start_all();
  const unsigned n = client_host();
  EXPECT_EQ(change(Method::kSet, own_lid(1, 1), 1, Guid(0x77)), sa_status::kDenied);
  EXPECT_EQ(change(Method::kSet, own_lid(1, 1), 1, Guid(0x77), 1), mad_status::kGood);
  EXPECT_EQ(change(Method::kSet, own_lid(n, 1), 1, Guid(0x77)), mad_status::kGood);
  EXPECT_EQ(shown.guids[1], Guid(0)) << "the alias of another vport";
  EXPECT_EQ(change(Method::kSet, own_lid(n, 1), 1, guest_.port), mad_status::kGood);
  EXPECT_EQ(shown.guids[1], Guid(0)) << "the GUID of another vport";
  EXPECT_EQ(
      change(Method::kSet, own_lid(n, 1), 1, emulated().virtual_ports(host(n))->identity(1).port),
      mad_status::kGood);
  EXPECT_EQ(shown.guids[1], Guid(0)) << "its own GUID";
  EXPECT_EQ(subnet_.server->state().refusals.of(sa::Refusal::kAlias), 1u);
}

TEST_F(AliasesOfVports, CannotBeChangedByAnotherVportOfTheHost) {
  start_all();
  GuidInfoRecord record{own_lid(1, 1), 0, {}};
  record.table.guids[1] = Guid(0x77);
  Gmp gmp = subnet_.client->request(Method::kSet, SaAttribute::kGuidInfoRecord,
                                    kLidAndBlock | std::uint64_t{1} << 5, record);
  gmp.peer.lid = own_lid(1, 2);
  subnet_.server->on_gmp(gmp, emulated().clock().now());
  EXPECT_EQ(subnet_.server->state().refusals.of(sa::Refusal::kAlias), 1u);
  EXPECT_TRUE(subnet_.server->alias_guids().empty());
  gmp.peer.lid = own_lid(1, 1);
  ++gmp.transaction_id;
  subnet_.server->on_gmp(gmp, emulated().clock().now());
  EXPECT_EQ(subnet_.server->alias_guids().at(guest_.port)[1], Guid(0x77));
}

TEST_F(AliasesOfVports, AreRestoredFromADump) {
  start_all();
  const unsigned n = client_host();
  EXPECT_EQ(change(Method::kSet, own_lid(n, 1), 1, Guid(0x77)), mad_status::kGood);
  write();
  const Guid vport = emulated().virtual_ports(host(n))->identity(1).port;
  const TempDir folder;
  const std::string file = folder.path() + "/dump";
  std::ofstream(file) << subnet_.server->dump(emulated().clock().now());
  auto saved = sa::read_dump(file);
  ASSERT_TRUE(saved) << saved.error().message;
  SaOptions options = subnet_.options;
  options.saved = std::make_shared<const sa::Saved>(std::move(*saved));
  SaServer next(options, [](const Gmp&) {});
  next.publish(subnet_.managed.sm().snapshot());
  next.step(emulated().clock().now());
  const AliasGuids restored = next.alias_guids();
  ASSERT_TRUE(restored.contains(vport));
  EXPECT_EQ(restored.at(vport)[1], Guid(0x77));
}

TEST_F(OwnLidsOfTheSa, SelectTheVportInPathRequestsByLid) {
  start(fmt::format("Default=0x7fff: ALL=full; blue=0x0022: {}=full, {}=full;", hex(guest_.port),
                    hex(other_.port)));
  const Lid from = own_lid(1, 1), to = own_lid(2, 2);
  const auto reply = path_by_lids(from, to);
  ASSERT_TRUE(reply && reply->status == mad_status::kGood);
  const PathRecord found = decode_path_record(reply->at<PathRecord>(0));
  EXPECT_EQ(found.slid, from);
  EXPECT_EQ(found.dlid, to);
  EXPECT_EQ(found.sgid, gid(guest_.port));
  EXPECT_EQ(found.dgid, gid(other_.port));
  EXPECT_EQ(found.pkey, Pkey(0x8022));
  EXPECT_EQ(found.hop_limit, 2);
  EXPECT_EQ(path_by_lids(from, to, other_.port)->status, mad_status::kGood);
  EXPECT_EQ(path_by_lids(from, to, host_guid(2))->status, sa_status::kRequestInvalid)
      << "the LID is that of a vport, the GID that of its host";
  EXPECT_EQ(path_by_lids(from, lid_of(2), other_.port)->status, sa_status::kRequestInvalid);
  EXPECT_EQ(path_by_lids(from, lid_of(2), host_guid(2))->status, mad_status::kGood);
}

TEST_F(OwnLidsOfTheSa, AreInNodeRecordsOnlyForRequestsByGuid) {
  start("Default=0x7fff: ALL=full;");
  NodeRecord wanted;
  wanted.info.port_guid = guest_.port;
  const auto by_guid = table(SaAttribute::kNodeRecord, 1u << 8, wanted);
  ASSERT_TRUE(by_guid && by_guid->count() == 1);
  EXPECT_EQ(decode_node_record(by_guid->at<NodeRecord>(0))->lid, own_lid(1, 1));
  const auto all = table(SaAttribute::kNodeRecord, 0, NodeRecord{});
  EXPECT_EQ(all->count(), subnet_.managed.fabric().node_count());
  PortInfoRecord by_lid;
  by_lid.lid = own_lid(1, 1);
  EXPECT_EQ(table(SaAttribute::kPortInfoRecord, 1, by_lid)->count(), 0u);
}

class ExtendedRecords : public OwnLidsOfTheSa {
 protected:
  static SaOptions with_extension() {
    SaOptions options;
    options.virt_record_extension = true;
    return options;
  }
  ExtendedRecords() : OwnLidsOfTheSa(with_extension()) {}
};

TEST_F(ExtendedRecords, ListVportsWithOwnLids) {
  start("Default=0x7fff: ALL=full;");
  const std::size_t nodes = subnet_.managed.fabric().node_count();
  EXPECT_EQ(table(SaAttribute::kNodeRecord, 0, NodeRecord{})->count(), nodes + 2 * 8);
  NodeRecord by_lid;
  by_lid.lid = own_lid(1, 1);
  const auto node = table(SaAttribute::kNodeRecord, 1, by_lid);
  ASSERT_TRUE(node && node->count() == 1);
  const NodeRecord found = *decode_node_record(node->at<NodeRecord>(0));
  EXPECT_EQ(found.info.port_guid, guest_.port);
  EXPECT_EQ(found.info.node_guid, guest_.node);
  NodeRecord by_guid;
  by_guid.info.port_guid = guest_.port;
  EXPECT_EQ(table(SaAttribute::kNodeRecord, 1u << 8, by_guid)->count(), 1u)
      << "the record must not be repeated";

  PortInfoRecord port_wanted;
  port_wanted.lid = own_lid(1, 1);
  const auto port = table(SaAttribute::kPortInfoRecord, 1, port_wanted);
  ASSERT_TRUE(port && port->count() == 1);
  const PortInfoRecord info = *decode_port_info_record(port->at<PortInfoRecord>(0));
  EXPECT_EQ(info.info.lid, own_lid(1, 1));
  EXPECT_EQ(info.info.lmc, 0);
  EXPECT_EQ(info.info.state, PortState::kActive);
  EXPECT_EQ(info.info.mkey, Mkey(0));
  port_wanted.lid = lid_of(1);
  EXPECT_EQ(table(SaAttribute::kPortInfoRecord, 1, port_wanted)->count(), 1u)
      << "the LID of the host selects the host only";
}

TEST_F(ExtendedRecords, AreHiddenFromPortsWithoutACommonPartition) {
  start(fmt::format("Default=0x7fff: ALL=limited, SELF=full; blue=0x0022: {}=full, {}=full;",
                    hex(guest_.port), hex(host_guid(7))));
  const auto all = table(SaAttribute::kNodeRecord, 0, NodeRecord{});
  std::size_t vports = 0;
  for (std::size_t i = 0; i < all->count(); ++i) {
    const NodeRecord record = *decode_node_record(all->at<NodeRecord>(i));
    vports += subnet_.snapshot().vport_lids.at(record.lid) ? 1 : 0;
  }
  EXPECT_EQ(vports, 1u) << "only the vport in partition blue";
}

// 32 hosts, in the campaign 1,024 hosts.
class ManyHostsWithVports : public VportsOfTheSa {
 protected:
  ManyHostsWithVports(std::uint16_t vports, bool own_lids)
      : VportsOfTheSa(many_vports(vports, own_lids), without_group_quota(),
                      at_full_size() ? "fattree3:k=16" : "fattree2:k=8") {}
  unsigned hosts() const {
    return subnet_.managed.fabric().endport_count() - subnet_.managed.fabric().switch_count();
  }

 private:
  static EmulatorOptions many_vports(std::uint16_t vports, bool own_lids) {
    EmulatorOptions options;
    options.vports = vports;
    options.vports_need_lids = own_lids;
    return options;
  }
  static SaOptions without_group_quota() {
    SaOptions options;
    options.quotas.groups = 0;
    return options;
  }
};

class VportsOfManyHosts : public ManyHostsWithVports {
 protected:
  VportsOfManyHosts() : ManyHostsWithVports(64, false) {
    for (unsigned n = 0; n < hosts(); n += 2)
      moving_.push_back(emulated().virtual_ports(host(n))->identity(7));
  }
  Guid client() const { return host_guid(hosts() - 1); }
  void expect_answers(const emulator::VirtualIdentity& guest, unsigned n) {
    const auto found = path(guest.port, client());
    ASSERT_TRUE(found) << hex(guest.port);
    EXPECT_EQ(found->slid, lid_of(n));
    EXPECT_EQ(found->pkey, Pkey(0x8022));
    NodeRecord wanted;
    wanted.info.port_guid = guest.port;
    const auto reply = subnet_.client->query(
        subnet_.client->request(Method::kGet, SaAttribute::kNodeRecord, 1u << 8, wanted));
    ASSERT_TRUE(reply && reply->status == mad_status::kGood);
    const NodeRecord record = *decode_node_record(reply->at<NodeRecord>(0));
    EXPECT_EQ(record.lid, lid_of(n));
    EXPECT_EQ(record.info.node_guid, guest.node);
  }

  std::vector<emulator::VirtualIdentity> moving_;  // vport 7 of hosts 0, 2, 4, ...
};

TEST_F(VportsOfManyHosts, KeepPathPartitionGroupAndNodeRecordAfterMoves) {
  std::string partitions =
      fmt::format("Default=0x7fff: ALL=full; blue=0x0022: {}=full", hex(client()));
  for (const auto& guest : moving_) partitions += fmt::format(", {}=full", hex(guest.port));
  start(partitions + ";");
  for (const auto& guest : moving_) ASSERT_EQ(join(guest.port, 1, 0x8022), mad_status::kGood);
  for (unsigned i = 0; i < moving_.size(); ++i)
    ASSERT_TRUE(emulated().move_vport(host(2 * i), 7, host(2 * i + 1)));
  subnet_.managed.run_for(5 * kSecond);
  follow();
  std::vector<Guid> expected, found = members();
  for (unsigned i = 0; i < moving_.size(); ++i) {
    expect_answers(moving_[i], 2 * i + 1);
    expected.push_back(host_guid(2 * i + 1));
  }
  std::ranges::sort(expected);
  std::ranges::sort(found);
  EXPECT_EQ(found, expected);
}

class OwnLidsOfManyHosts : public ManyHostsWithVports {
 protected:
  OwnLidsOfManyHosts() : ManyHostsWithVports(8, true) {}
  const emulator::Vport& vport(unsigned n) { return emulated().virtual_ports(host(n))->vports[5]; }
  std::uint16_t set_alias(Lid lid, Guid alias) {
    GuidInfoRecord record{lid, 0, {}};
    record.table.guids[1] = alias;
    const auto reply = subnet_.client->query(subnet_.client->request(
        Method::kSet, SaAttribute::kGuidInfoRecord, 0x3 | 1u << 5, record, 1));
    return reply ? reply->status : std::uint16_t{0xFFFF};
  }
  /// A server that begins with the dump of the previous one.
  std::unique_ptr<SaServer> successor() {
    const TempDir folder;
    const std::string file = folder.path() + "/dump";
    std::ofstream(file) << subnet_.server->dump(emulated().clock().now());
    auto saved = sa::read_dump(file);
    if (!saved) return nullptr;
    SaOptions options = subnet_.options;
    options.saved = std::make_shared<const sa::Saved>(std::move(*saved));
    return std::make_unique<SaServer>(options, [](const Gmp&) {});
  }
};

std::map<Lid, std::pair<std::vector<Guid>, std::vector<Guid>>> routed_groups(
    const SaServer& server) {
  std::map<Lid, std::pair<std::vector<Guid>, std::vector<Guid>>> groups;
  for (const FiledGroup& group : server.multicast_groups()) {
    auto& [members, senders] = groups[group.mlid];
    members = group.members;
    senders = group.senders;
    std::ranges::sort(members);
    std::ranges::sort(senders);
  }
  return groups;
}

TEST_F(OwnLidsOfManyHosts, KeepLidsGroupsAndAliasesAfterAFailover) {
  start("Default=0x7fff: ALL=full;");
  for (unsigned n = 0; n < hosts(); ++n) {
    ASSERT_EQ(join(vport(n).info.port_guid, 1 + n % 4, 0xFFFF), mad_status::kGood);
    ASSERT_EQ(set_alias(vport(n).info.lid, Guid(0x7000 + n)), mad_status::kGood);
  }
  ManagedSubnet& managed = subnet_.managed;
  managed.sm().set_alias_guids(subnet_.server->alias_guids());
  follow();
  const auto groups = routed_groups(*subnet_.server);
  EXPECT_EQ(groups.size(), 4u);
  const AliasGuids aliases = subnet_.server->alias_guids();
  EXPECT_EQ(aliases.size(), hosts());
  std::vector<Lid> lids;
  for (unsigned n = 0; n < hosts(); ++n) lids.push_back(vport(n).info.lid);
  const std::uint64_t written = managed.sets(kVportGuidInfo);
  EXPECT_EQ(written, hosts());

  const auto next = successor();
  ASSERT_NE(next, nullptr);
  managed.attach_at(EndportId(managed.fabric().switch_count() + 3));
  managed.start();
  ASSERT_TRUE(managed.settle());
  next->publish(managed.sm().snapshot());
  next->step(emulated().clock().now());
  EXPECT_EQ(routed_groups(*next), groups);
  EXPECT_EQ(next->alias_guids(), aliases);
  managed.sm().set_alias_guids(next->alias_guids());
  managed.run_for(2 * kSecond);
  EXPECT_EQ(managed.sets(kVportGuidInfo), written) << "the devices have the aliases already";
  for (unsigned n = 0; n < hosts(); ++n) {
    EXPECT_EQ(vport(n).info.lid, lids[n]);
    EXPECT_EQ(managed.sm().snapshot()->vport_lids.of(vport(n).info.port_guid), lids[n]);
    EXPECT_EQ(decode_guid_info(vport(n).guids[0])->guids[1], Guid(0x7000 + n));
  }
}

}  // namespace
}  // namespace weft
