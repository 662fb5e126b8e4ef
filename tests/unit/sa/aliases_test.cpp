// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Alias GUIDs: assignment, GUIDInfo tables of ports, and aliases used instead of a port's own GUID.
#include "sa/aliases.h"

#include "support/sa_subnet.h"

namespace weft {
namespace {

constexpr std::uint64_t kLidAndBlock = 0x3;
constexpr std::uint64_t guid_bit(unsigned index) { return std::uint64_t{1} << (4 + index); }

class AliasesOfAFabric : public ::testing::Test {
 protected:
  void SetUp() override {
    subnet.options.sm_assigned_guid = 0x5A;
    subnet.start();
  }
  PortId real_port() const {
    return fabric().endport(EndportId(fabric().endport_count() - 1)).port;
  }
  const Fabric& fabric() const { return subnet.managed.fabric(); }
  Guid own() const { return fabric().port(real_port()).guid; }

  /// Sends a request for a block of GUIDs. Returns the status of the answer, or 0xFFFF if none
  /// arrives; `shown` is set to the GUID block of a successful answer.
  std::uint16_t change(Method method, std::uint8_t block, std::uint64_t mask,
                       const GuidInfo& guids) {
    const Lid lid = subnet.snapshot().fabric.endport(subnet.client_endport()).lid;
    const auto reply = subnet.client->query(subnet.client->request(
        method, SaAttribute::kGuidInfoRecord, mask, GuidInfoRecord{lid, block, guids}));
    if (!reply) return 0xFFFF;
    if (reply->status == mad_status::kGood)
      shown =
          decode_guid_info_record(std::span(reply->payload).first<GuidInfoRecord::kSize>()).table;
    return reply->status;
  }
  std::uint16_t set(unsigned index, Guid guid) {
    GuidInfo guids;
    guids.guids[index] = guid;
    return change(Method::kSet, 0, kLidAndBlock | guid_bit(index), guids);
  }
  /// Publishes a snapshot in which the client's port has space for this number of GUIDs.
  void set_capacity(std::uint8_t guids) {
    auto snapshot = std::make_shared<Snapshot>(subnet.snapshot());
    const Port& client =
        snapshot->fabric.port(snapshot->fabric.endport(subnet.client_endport()).port);
    snapshot->nodes[client.node.value()].ports[client.num.value()].guid_cap = guids;
    subnet.server->publish(snapshot);
  }
  /// Passes the aliases to the manager, runs the manager until the aliases are written, and
  /// publishes its snapshot to the SA.
  void follow() {
    subnet.managed.sm().set_alias_guids(subnet.server->alias_guids());
    ASSERT_TRUE(subnet.managed.settle());
    subnet.server->publish(subnet.managed.sm().snapshot());
  }
  Guid guid_at_port(std::size_t index) {
    return subnet.managed.emulated().guids(real_port(), index / 8).guids[index % 8];
  }
  SaSubnet subnet{fabric_of("fattree2:k=4")};
  GuidInfo shown;
};

TEST_F(AliasesOfAFabric, AreWrittenToThePortAndDeleted) {
  EXPECT_EQ(set(3, Guid(0x77)), mad_status::kGood);
  EXPECT_EQ(shown.guids[3], Guid(0x77));
  const auto before = subnet.managed.sets(AttributeId::kGuidInfo);
  follow();
  EXPECT_EQ(guid_at_port(3), Guid(0x77));
  EXPECT_EQ(guid_at_port(0), own());
  EXPECT_EQ(subnet.managed.sets(AttributeId::kGuidInfo), before + 1);
  follow();
  EXPECT_EQ(subnet.managed.sets(AttributeId::kGuidInfo), before + 1)
      << "no GUIDInfo is written without a change";
  EXPECT_EQ(change(sa_method::kDelete, 0, kLidAndBlock | guid_bit(3), {}), mad_status::kGood);
  follow();
  EXPECT_EQ(guid_at_port(3), Guid(0));
}

TEST_F(AliasesOfAFabric, AreWrittenAgainToAPortThatWasReset) {
  EXPECT_EQ(set(3, Guid(0x77)), mad_status::kGood);
  follow();
  const NodeId host = fabric().port(real_port()).node;
  subnet.managed.emulated().switch_off_node(host);
  subnet.managed.emulated().switch_on_node(host);
  EXPECT_EQ(guid_at_port(3), Guid(0));
  subnet.managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(guid_at_port(3), Guid(0x77));
}

TEST_F(AliasesOfAFabric, AreGeneratedIfTheRequestedGuidIsZero) {
  EXPECT_EQ(change(Method::kSet, 0, kLidAndBlock | guid_bit(1) | guid_bit(5), {}),
            mad_status::kGood);
  EXPECT_EQ(shown.guids[1], Guid(0x0014055A00000001));
  EXPECT_EQ(shown.guids[5], Guid(0x0014055A00000002));
  EXPECT_EQ(change(Method::kSet, 0, kLidAndBlock | guid_bit(5), {}), mad_status::kGood);
  EXPECT_EQ(shown.guids[5], Guid(0x0014055A00000002)) << "the alias at this index is kept";
}

TEST_F(AliasesOfAFabric, AreLimitedToTheGuidsOfTheTenantOfThePort) {
  auto tenants = std::make_shared<Tenants>();
  tenants->all = {{"red", 0}, {"blue", 0}};
  ASSERT_TRUE(tenants->add_port(own(), 0) && tenants->add_virtual(Guid(0x11), Guid(0x1F), 0));
  ASSERT_TRUE(tenants->add_virtual(Guid(0x20), Guid(0x20), 1));
  subnet.options.tenants = tenants;
  subnet.server->set_options(subnet.options);
  for (const Guid refused : {Guid(0x20), Guid(0x21)}) {
    EXPECT_EQ(set(1, refused), mad_status::kGood);
    EXPECT_EQ(shown.guids[1], Guid(0)) << refused.value();
  }
  EXPECT_EQ(set(1, Guid(0x1F)), mad_status::kGood);
  EXPECT_EQ(shown.guids[1], Guid(0x1F));
  EXPECT_EQ(subnet.server->state().refusals.of(sa::Refusal::kTenantGuid), 2u);
}

TEST_F(AliasesOfAFabric, AreRefusedWhenInvalid) {
  EXPECT_EQ(set(0, Guid(0x77)), sa_status::kRequestInvalid);
  EXPECT_EQ(change(Method::kSet, 4, kLidAndBlock | guid_bit(1), {}), sa_status::kNoRecords);
  EXPECT_EQ(change(Method::kSet, 0, guid_bit(1), {}), sa_status::kInsufficientComponents);
  EXPECT_EQ(change(sa_method::kDelete, 0, kLidAndBlock & ~1u, {}),
            sa_status::kInsufficientComponents);
  EXPECT_EQ(set(1, Guid(0x11)), mad_status::kGood);
  const Guid other = fabric().port(fabric().endport(EndportId(fabric().switch_count())).port).guid;
  for (const Guid guid_in_use : {Guid(0x11), own(), other}) {
    EXPECT_EQ(set(2, guid_in_use), mad_status::kGood);
    EXPECT_EQ(shown.guids[2], Guid(0)) << guid_in_use.value();
  }
  EXPECT_EQ(subnet.server->state().refusals.of(sa::Refusal::kAliasTaken), 3u);
}

TEST_F(AliasesOfAFabric, CanBeChangedByThePortOrWithTheSaKeyOnly) {
  const Fabric& known = subnet.snapshot().fabric;
  const Lid other_lid = known.endport(subnet.snapshot().sm).lid;  // in the same partition
  const auto change_other = [&](Method method, Guid guid, std::uint64_t key) {
    GuidInfoRecord record{other_lid, 0, {}};
    record.table.guids[1] = guid;
    const auto reply = subnet.client->query(subnet.client->request(
        method, SaAttribute::kGuidInfoRecord, kLidAndBlock | guid_bit(1), record, key));
    return reply ? reply->status : std::uint16_t{0xFFFF};
  };
  EXPECT_EQ(change_other(Method::kSet, Guid(0x88), 0), sa_status::kDenied);
  EXPECT_TRUE(subnet.server->alias_guids().empty());
  EXPECT_EQ(change_other(Method::kSet, Guid(0x88), 1), mad_status::kGood);
  EXPECT_EQ(change_other(sa_method::kDelete, Guid(0), 0), sa_status::kDenied);
  EXPECT_EQ(subnet.server->state().refusals.of(sa::Refusal::kAlias), 2u);
  EXPECT_EQ(set(2, Guid(0x88)), mad_status::kGood);
  EXPECT_EQ(shown.guids[2], Guid(0)) << "the alias remains assigned to the other port";
  EXPECT_EQ(set(2, known.node(Fabric::node_of(SwitchId(0))).node_guid), mad_status::kGood);
  EXPECT_EQ(shown.guids[2], Guid(0)) << "the GUID of a switch is refused as an alias";
  EXPECT_EQ(change_other(sa_method::kDelete, Guid(0), 1), mad_status::kGood);
  EXPECT_EQ(set(2, Guid(0x88)), mad_status::kGood);
  EXPECT_EQ(shown.guids[2], Guid(0x88));
}

TEST_F(AliasesOfAFabric, AreLimitedToTheTableOfThePort) {
  set_capacity(9);
  GuidInfo guids;
  guids.guids[0] = Guid(0x70);
  guids.guids[1] = Guid(0x71);
  EXPECT_EQ(change(Method::kSet, 1, kLidAndBlock | guid_bit(0) | guid_bit(1), guids),
            mad_status::kGood);
  EXPECT_EQ(shown.guids[0], Guid(0x70));
  EXPECT_EQ(shown.guids[1], Guid(0)) << "index 9 is beyond the capacity of the port";
  EXPECT_EQ(change(Method::kSet, 2, kLidAndBlock | guid_bit(0), guids), sa_status::kNoRecords);
  EXPECT_EQ(change(Method::kGet, 1, kLidAndBlock, {}), mad_status::kGood);
  EXPECT_EQ(change(Method::kGet, 2, kLidAndBlock, {}), sa_status::kNoRecords);
  set_capacity(8);
  EXPECT_EQ(change(Method::kSet, 1, kLidAndBlock | guid_bit(1), guids), sa_status::kNoRecords);
  EXPECT_EQ(change(Method::kGet, 1, kLidAndBlock, {}), sa_status::kNoRecords);
}

TEST(Aliases, AreDeletedIfAPortHasTheSameGuid) {
  const Fabric fabric = fabric_of("fattree2:k=4");
  const auto port = [&](std::uint32_t endport) {
    return fabric.port(fabric.endport(EndportId(endport)).port).guid;
  };
  const std::uint32_t host = fabric.switch_count();
  sa::Aliases aliases;
  aliases.set(port(host), 1, Guid(0x77));
  aliases.set(port(host), 2, port(host + 1));  // before that port joined the fabric
  const std::uint64_t version = aliases.version();
  aliases.follow(fabric);
  EXPECT_EQ(aliases.at(port(host), 1), Guid(0x77));
  EXPECT_EQ(aliases.at(port(host), 2), Guid(0));
  EXPECT_FALSE(aliases.port_of(port(host + 1)));
  EXPECT_NE(aliases.version(), version);
}

TEST(Aliases, AreGeneratedFromFreeNumbersAfterTheCounterWraps) {
  sa::Aliases aliases;
  const Guid first = aliases.make(0x5A);
  aliases.set(Guid(1), 1, first);
  Guid last;
  for (std::uint32_t made = 0; made < 0x1000000 && last != first; ++made) last = aliases.make(0x5A);
  EXPECT_NE(last, first) << "the first alias is in use, so its number is skipped";
  EXPECT_NE(last, Guid(0));
}

TEST_F(AliasesOfAFabric, ReplaceThePortGuidInPathsAndMulticastJoins) {
  EXPECT_EQ(set(1, Guid(0x11)), mad_status::kGood);
  PathRecord wanted;
  wanted.sgid = make_gid(subnet.options.subnet_prefix, own());
  wanted.dgid = make_gid(subnet.options.subnet_prefix, Guid(0x11));
  const auto path = subnet.client->query(
      subnet.client->request(Method::kGet, SaAttribute::kPathRecord, 0xC, wanted));
  ASSERT_TRUE(path && path->status == mad_status::kGood);
  const PathRecord found = decode_path_record(std::span(path->payload).first<PathRecord::kSize>());
  EXPECT_EQ(found.dgid, wanted.dgid);
  EXPECT_EQ(found.dlid, found.slid);

  McMemberRecord member;
  member.mgid = make_gid(std::uint64_t{0xFF15} << 48, Guid(1));
  member.port_gid = wanted.dgid;
  member.join_state = 1;
  member.pkey = Pkey(0xFFFF);
  const auto joined = subnet.client->query(
      subnet.client->request(Method::kSet, SaAttribute::kMcMemberRecord, 0x130C7 | 0x3000, member));
  ASSERT_TRUE(joined && joined->status == mad_status::kGood);
  const auto routed = subnet.server->multicast_groups();
  ASSERT_EQ(routed.size(), 1u);
  EXPECT_EQ(routed[0].members, std::vector{own()}) << "members have the GUID of the port";
  EXPECT_EQ(change(sa_method::kDelete, 0, kLidAndBlock | guid_bit(1), {}), mad_status::kGood);
  EXPECT_TRUE(subnet.server->multicast_groups().empty()) << "the GUID is no longer assigned";
}

}  // namespace
}  // namespace weft
