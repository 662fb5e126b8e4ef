// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Alias GUIDs: assignment, GUIDInfo tables of ports, and aliases in place of a port's own GUID.
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

  /// The status and the GUID block of the answer.
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
  /// Passes the aliases to the manager and lets it write them.
  void follow() {
    subnet.managed.sm().set_alias_guids(subnet.server->alias_guids());
    ASSERT_TRUE(subnet.managed.settle());
    subnet.server->publish(subnet.managed.sm().snapshot());
  }
  Guid held(std::size_t index) {
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
  EXPECT_EQ(held(3), Guid(0x77));
  EXPECT_EQ(held(0), own());
  EXPECT_EQ(subnet.managed.sets(AttributeId::kGuidInfo), before + 1);
  follow();
  EXPECT_EQ(subnet.managed.sets(AttributeId::kGuidInfo), before + 1) << "nothing has changed";
  EXPECT_EQ(change(sa_method::kDelete, 0, kLidAndBlock | guid_bit(3), {}), mad_status::kGood);
  follow();
  EXPECT_EQ(held(3), Guid(0));
}

TEST_F(AliasesOfAFabric, AreWrittenAgainToAPortThatWasReset) {
  EXPECT_EQ(set(3, Guid(0x77)), mad_status::kGood);
  follow();
  const NodeId host = fabric().port(real_port()).node;
  subnet.managed.emulated().switch_off_node(host);
  subnet.managed.emulated().switch_on_node(host);
  EXPECT_EQ(held(3), Guid(0));
  subnet.managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(held(3), Guid(0x77));
}

TEST_F(AliasesOfAFabric, AreMadeByTheManagerWhenTheGuidIsZero) {
  EXPECT_EQ(change(Method::kSet, 0, kLidAndBlock | guid_bit(1) | guid_bit(5), {}),
            mad_status::kGood);
  EXPECT_EQ(shown.guids[1], Guid(0x0014055A00000001));
  EXPECT_EQ(shown.guids[5], Guid(0x0014055A00000002));
  EXPECT_EQ(change(Method::kSet, 0, kLidAndBlock | guid_bit(5), {}), mad_status::kGood);
  EXPECT_EQ(shown.guids[5], Guid(0x0014055A00000002)) << "it has one";
}

TEST_F(AliasesOfAFabric, AreRefusedWhenInvalid) {
  EXPECT_EQ(set(0, Guid(0x77)), sa_status::kRequestInvalid);
  EXPECT_EQ(change(Method::kSet, 4, kLidAndBlock | guid_bit(1), {}), sa_status::kNoRecords);
  EXPECT_EQ(change(Method::kSet, 0, guid_bit(1), {}), sa_status::kInsufficientComponents);
  EXPECT_EQ(change(sa_method::kDelete, 0, kLidAndBlock & ~1u, {}),
            sa_status::kInsufficientComponents);
  EXPECT_EQ(set(1, Guid(0x11)), mad_status::kGood);
  for (const Guid taken : {Guid(0x11), own(), fabric().port(PortId(1)).guid}) {
    if (taken == Guid(0)) continue;  // switch ports have no GUID
    EXPECT_EQ(set(2, taken), mad_status::kGood);
    EXPECT_EQ(shown.guids[2], Guid(0)) << taken.value();
  }
}

TEST_F(AliasesOfAFabric, StandForThePort) {
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
  EXPECT_EQ(routed[0].members, std::vector{own()}) << "the switch knows the port by its own";
  EXPECT_EQ(change(sa_method::kDelete, 0, kLidAndBlock | guid_bit(1), {}), mad_status::kGood);
  EXPECT_TRUE(subnet.server->multicast_groups().empty()) << "the GUID is no longer assigned";
}

}  // namespace
}  // namespace weft
