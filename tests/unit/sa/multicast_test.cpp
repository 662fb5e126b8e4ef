// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Multicast groups: access rights of create, join, leave and query; and the resulting trees.
#include <functional>
#include <map>
#include <set>

#include "base/rng.h"
#include "emulator/snapshot.h"
#include "ib/rates.h"
#include "sa/multicast/multicast_groups.h"
#include "sa/server.h"
#include "support/managed_subnet.h"
#include "verify/verify.h"

namespace weft {
namespace {

constexpr std::uint64_t kNeeded = 1u << 0 | 1u << 1 | 1u << 16;  // MGID, PortGID, JoinState
constexpr std::uint64_t kToCreate = kNeeded | 1u << 2 | 1u << 6 | 1u << 7 | 1u << 12 | 1u << 13;
constexpr unsigned kHosts = 8;

Gid mgid(std::uint64_t number, std::uint16_t head = 0xFF15) {
  return make_gid(std::uint64_t{head} << 48, Guid(number));
}

/// A managed subnet and its SA. Requests of any host are passed directly to the SA. The manager
/// runs on host 0.
class Groups : public ::testing::Test {
 protected:
  explicit Groups(const std::string& spec = "fattree2:k=4") : managed(fabric_of(spec)) {}

  void SetUp() override {
    managed.start();
    ASSERT_TRUE(managed.settle());
    server.emplace(options, [this](const Gmp& gmp) { answer = gmp; });
    server->publish(managed.sm().snapshot());
  }
  Guid port(unsigned host) const {
    return managed.fabric()
        .port(managed.fabric().endport(EndportId(managed.fabric().switch_count() + host)).port)
        .guid;
  }
  McMemberRecord of(unsigned host, const Gid& group, std::uint8_t state = 1) const {
    McMemberRecord record;
    record.mgid = group;
    record.port_gid = make_gid(options.subnet_prefix, port(host));
    record.join_state = state;
    record.pkey = Pkey(0xFFFF);
    record.qkey = 0x111;
    return record;
  }
  /// Returns the status of the answer to a request for a McMemberRecord; `answer` is set to the
  /// answer. Returns 0xFFFF if none arrives.
  std::uint16_t query(unsigned host, Method method, std::uint64_t mask,
                      const McMemberRecord& record, std::uint64_t key = 0) {
    return query(host, method, SaAttribute::kMcMemberRecord, mask, record, key);
  }
  template <class Record>
  std::uint16_t query(unsigned host, Method method, SaAttribute attribute, std::uint64_t mask,
                      const Record& record, std::uint64_t key = 0) {
    Gmp gmp;
    gmp.class_version = kSaClassVersion;
    gmp.method = method;
    gmp.transaction_id = ++transaction;
    gmp.attribute = static_cast<std::uint16_t>(attribute);
    const Fabric& known = managed.known();
    gmp.peer.lid = known.endport(*known.find_endport(port(host))).lid;
    set_sa_header(gmp, {SmKey(key), 0, mask});
    std::ranges::copy(encode(record), sa_data(gmp).begin());
    answer.reset();
    server->on_gmp(gmp, TimeNs{0});
    return answer ? answer->status : std::uint16_t{0xFFFF};
  }
  McMemberRecord answered() const {
    return decode_mc_member_record(sa_data(*answer).first<McMemberRecord::kSize>());
  }
  std::uint16_t create(unsigned host, const Gid& group) {
    return query(host, Method::kSet, kToCreate, of(host, group));
  }
  std::uint16_t join(unsigned host, const Gid& group, std::uint8_t state = 1) {
    return query(host, Method::kSet, kNeeded, of(host, group, state));
  }
  std::uint16_t leave(unsigned host, const Gid& group, std::uint8_t state = 1) {
    return query(host, sa_method::kDelete, kNeeded, of(host, group, state));
  }
  std::uint16_t get(unsigned host, const Gid& group, std::uint64_t key = 0) {
    return query(host, Method::kGet, 1, of(host, group), key);
  }
  void activate_partitions(const std::string& partitions) {
    std::vector<std::string> warnings;
    auto file = parse_partitions(partitions, "p", warnings);
    ASSERT_TRUE(file);
    managed.sm().set_partitions(std::move(*file), {0x10, "a test"});
    ASSERT_TRUE(managed.settle());
    server->publish(managed.sm().snapshot());
  }
  std::uint64_t refused(sa::Refusal why) const { return server->state().refusals.of(why); }
  /// Passes the groups to the manager, runs the manager until it has settled, and publishes its
  /// snapshot to the SA.
  void follow() {
    managed.sm().set_multicast_groups(server->multicast_groups());
    ASSERT_TRUE(managed.settle());
    server->publish(managed.sm().snapshot());
  }

  ManagedSubnet managed;
  SaOptions options;
  std::optional<SaServer> server;
  std::optional<Gmp> answer;
  std::uint64_t transaction = 0;
};

// linux-rdma/opensm pull request 43: a member with the states full and send-only full that leaves
// as a full member stays in the group, and its last leave frees the LID.
TEST_F(Groups, FreeTheLidAfterPartialLeaves) {
  constexpr std::uint8_t kBoth = sa::join_state::kFull | sa::join_state::kSendOnlyFull;
  const std::size_t before = server->state().groups.all().size();
  std::optional<Lid> lid;
  for (unsigned cycle = 0; cycle < 1100; ++cycle) {
    const Gid group = mgid(0x1000 + cycle);
    ASSERT_EQ(query(1, Method::kSet, kToCreate, of(1, group, kBoth)), mad_status::kGood) << cycle;
    if (!lid) lid = answered().mlid;
    ASSERT_EQ(answered().mlid, *lid) << cycle;
    ASSERT_EQ(leave(1, group, sa::join_state::kFull), mad_status::kGood) << cycle;
    ASSERT_EQ(answered().join_state, sa::join_state::kSendOnlyFull) << cycle;
    ASSERT_NE(server->state().groups.find(group), nullptr) << cycle;
    ASSERT_EQ(leave(1, group, sa::join_state::kSendOnlyFull), mad_status::kGood) << cycle;
  }
  EXPECT_EQ(server->state().groups.all().size(), before);
}

TEST_F(Groups, AreJoinedAndLeftWithLinkLocalGids) {
  options.subnet_prefix = 0xFEC0'0000'0000'0007;
  server.emplace(options, [this](const Gmp& gmp) { answer = gmp; });
  server->publish(managed.sm().snapshot());
  const Gid group = mgid(1);
  ASSERT_EQ(create(1, group), 0);
  McMemberRecord record = of(2, group);
  record.port_gid = make_gid(kLinkLocalPrefix, port(2));
  EXPECT_EQ(query(2, Method::kSet, kNeeded, record), 0);
  EXPECT_EQ(answered().port_gid, record.port_gid) << "the answer has the GID of the request";
  EXPECT_EQ(query(2, Method::kGet, 0b11, record, options.sa_key.value()), 0);
  EXPECT_EQ(answered().port_gid, of(2, group).port_gid)
      << "the record has the GID with the prefix of the subnet";
  EXPECT_EQ(leave(2, group), 0) << "the GIDs with both prefixes are of one member";
  record.port_gid = make_gid(0xFEC0'0000'0000'0008, port(2));
  EXPECT_EQ(query(2, Method::kSet, kNeeded, record), sa_status::kInvalidGid);
  record.port_gid = make_gid(kLinkLocalPrefix, Guid(0));
  EXPECT_NE(query(2, Method::kSet, kNeeded, record), 0);
}

TEST_F(Groups, HavePathRecordsForMembersOnly) {
  const Gid group = mgid(1, 0xFF12), everywhere = mgid(2, 0xFF1E);  // the first is link-local
  ASSERT_EQ(create(1, group), 0);
  ASSERT_EQ(create(1, everywhere), 0);
  ASSERT_EQ(get(1, group), 0);
  const McMemberRecord group_record = answered();
  const Fabric& known = managed.known();
  const auto path_to = [&](const PathRecord& wanted, std::uint64_t mask) {
    return query(1, Method::kGet, SaAttribute::kPathRecord, mask, wanted);
  };
  constexpr std::uint64_t kDgid = 1u << 2, kSgid = 1u << 3, kDlid = 1u << 4, kSlid = 1u << 5;
  PathRecord wanted;
  wanted.dgid = group;
  ASSERT_EQ(path_to(wanted, kDgid), 0);
  PathRecord path = decode_path_record(sa_data(*answer).first<PathRecord::kSize>());
  EXPECT_EQ(path.dlid, group_record.mlid);
  EXPECT_EQ(path.dgid, group);
  EXPECT_EQ(path.pkey, group_record.pkey);
  EXPECT_EQ(path.sl, group_record.sl);
  EXPECT_EQ(path.mtu, group_record.mtu);
  EXPECT_EQ(path.rate, group_record.rate);
  EXPECT_EQ(path.hop_limit, 0);
  wanted.dgid = everywhere;
  ASSERT_EQ(path_to(wanted, kDgid), 0);
  EXPECT_EQ(decode_path_record(sa_data(*answer).first<PathRecord::kSize>()).hop_limit, 255);
  wanted.dgid = group;

  wanted.sgid = make_gid(options.subnet_prefix, port(1));
  EXPECT_EQ(path_to(wanted, kDgid | kSgid), 0);
  wanted.sgid = make_gid(options.subnet_prefix, port(2));  // not a member
  EXPECT_EQ(path_to(wanted, kDgid | kSgid), sa_status::kNoRecords);
  wanted.slid = known.endport(*known.find_endport(port(1))).lid;
  EXPECT_EQ(path_to(wanted, kDgid | kSlid), 0);
  wanted.slid = known.endport(*known.find_endport(port(2))).lid;
  EXPECT_EQ(path_to(wanted, kDgid | kSlid), sa_status::kNoRecords);
  wanted.slid = Lid(0xBEEF);  // not assigned
  EXPECT_EQ(path_to(wanted, kDgid | kSlid), sa_status::kNoRecords);
  wanted.dlid = group_record.mlid;
  EXPECT_EQ(path_to(wanted, kDgid | kDlid), 0);
  wanted.dlid = Lid(static_cast<std::uint16_t>(group_record.mlid.value() + 7));
  EXPECT_EQ(path_to(wanted, kDgid | kDlid), sa_status::kNoRecords);
  wanted.dgid = mgid(99);
  EXPECT_EQ(path_to(wanted, kDgid), sa_status::kNoRecords);
}

TEST_F(Groups, AreCreatedOnlyWithAllComponentsAndValidValues) {
  const Gid group = mgid(1);
  for (unsigned bit = 0; bit < 18; ++bit) {
    if ((kToCreate >> bit & 1) == 0) continue;
    EXPECT_EQ(query(1, Method::kSet, kToCreate & ~(std::uint64_t{1} << bit), of(1, group)),
              sa_status::kInsufficientComponents)
        << bit;
  }
  EXPECT_EQ(get(1, group), sa_status::kNoRecords);
  const auto refused = [&](const std::function<void(McMemberRecord&)>& change,
                           std::uint64_t more = 0) {
    McMemberRecord record = of(1, group);
    change(record);
    return query(1, Method::kSet, kToCreate | more, record);
  };
  using R = McMemberRecord;
  for (const std::uint8_t state : std::initializer_list<std::uint8_t>{0, 2, 4, 6})
    EXPECT_EQ(refused([&](R& r) { r.join_state = state; }), sa_status::kRequestInvalid);
  for (const std::uint16_t pkey : std::initializer_list<std::uint16_t>{0, 0x8001, 0x7FFE})
    EXPECT_EQ(refused([&](R& r) { r.pkey = Pkey(pkey); }), sa_status::kRequestInvalid) << pkey;
  for (const std::uint16_t head : std::initializer_list<std::uint16_t>{0xFE80, 0xFF20, 0xFF35, 0})
    EXPECT_EQ(refused([&](R& r) { r.mgid = mgid(1, head); }), sa_status::kRequestInvalid) << head;
  EXPECT_EQ(refused([](R& r) { r.port_gid[0] = std::byte{0xFC}; }), sa_status::kInvalidGid);
  EXPECT_EQ(refused([](R& r) { r.port_gid[15] = std::byte{0xFF}; }), sa_status::kRequestInvalid);
  EXPECT_EQ(refused([](R& r) { r.mtu_selector = Selector::kExactly, r.mtu = 6; }, 0x30),
            sa_status::kRequestInvalid);
  EXPECT_EQ(refused([](R& r) { r.rate_selector = Selector::kLess, r.rate = 2; }, 0x300),
            sa_status::kRequestInvalid);
  EXPECT_EQ(get(1, group), sa_status::kNoRecords);
  EXPECT_EQ(server->multicast_groups().size(), 0u);
  EXPECT_EQ(create(1, group), mad_status::kGood);
  EXPECT_EQ(answered().mlid, Lid(0xC001));  // 0xC000 is the MLID of the broadcast group
  EXPECT_EQ(answered().join_state, 1);
}

struct GroupsWithDefaults : Groups {
  GroupsWithDefaults() { options.default_mcg_mtu = 2, options.default_mcg_rate = 2; }
};

TEST_F(GroupsWithDefaults, HaveTheConfiguredMtuAndRateUnlessRequested) {
  ASSERT_EQ(create(1, mgid(1)), mad_status::kGood);
  EXPECT_EQ(answered().mtu, 2);
  EXPECT_EQ(answered().rate, 2);
  McMemberRecord record = of(1, mgid(2));
  record.mtu_selector = record.rate_selector = Selector::kExactly;
  record.mtu = record.rate = 3;
  ASSERT_EQ(query(1, Method::kSet, kToCreate | 0x330, record), mad_status::kGood);
  EXPECT_EQ(answered().mtu, 3);
  EXPECT_EQ(answered().rate, 3);
}

TEST_F(Groups, WithWideDefaultsAreWithinTheLimitsOfThePort) {
  ASSERT_EQ(create(1, mgid(1)), mad_status::kGood);
  const McMemberRecord of_port = answered();
  options.default_mcg_mtu = 5;
  options.default_mcg_rate = 26;
  server.emplace(options, [this](const Gmp& gmp) { answer = gmp; });
  server->publish(managed.sm().snapshot());
  ASSERT_EQ(create(1, mgid(1)), mad_status::kGood);
  EXPECT_EQ(answered().mtu, of_port.mtu);
  EXPECT_EQ(answered().rate, of_port.rate);
}

TEST_F(Groups, HaveTheRequestedMtuAndRate) {
  constexpr std::uint64_t kMtu = 0x30, kRate = 0x300;  // selector and value
  ASSERT_EQ(create(1, mgid(1)), mad_status::kGood);
  const McMemberRecord widest = answered();  // MTU and rate of the port
  std::uint64_t number = 1;
  const auto request = [&](std::uint64_t mask, Selector selector, std::uint8_t value) {
    McMemberRecord record = of(1, mgid(number));
    record.mtu_selector = record.rate_selector = selector;
    record.mtu = record.rate = value;
    return query(1, (mask & 4) != 0 ? Method::kSet : Method::kGet, mask, record);
  };
  const auto created = [&](std::uint64_t mask, Selector selector, std::uint8_t value) {
    ++number;
    return request(kToCreate | mask, selector, value);
  };
  const auto lower_mtu = static_cast<std::uint8_t>(widest.mtu - 1);
  EXPECT_EQ(created(0x10, Selector::kExactly, 2), sa_status::kRequestInvalid)
      << "a selector without a value is refused";
  EXPECT_EQ(created(kMtu, Selector::kGreater, widest.mtu), sa_status::kRequestInvalid);
  EXPECT_EQ(created(kMtu, Selector::kLess, widest.mtu), mad_status::kGood);
  EXPECT_EQ(answered().mtu, lower_mtu);
  EXPECT_EQ(answered().rate, widest.rate);
  EXPECT_EQ(request(1 | kMtu, Selector::kExactly, lower_mtu), mad_status::kGood);
  EXPECT_EQ(request(1 | kMtu, Selector::kGreater, lower_mtu), sa_status::kNoRecords);
  EXPECT_EQ(request(kNeeded | 4 | kMtu, Selector::kExactly, lower_mtu), mad_status::kGood);
  EXPECT_EQ(request(kNeeded | 4 | kMtu, Selector::kGreater, lower_mtu), sa_status::kRequestInvalid);
  EXPECT_EQ(request(kNeeded | 4 | 0x10, Selector::kExactly, lower_mtu), sa_status::kRequestInvalid);
  const std::uint8_t lower_rate = slower_rate(widest.rate);
  EXPECT_EQ(created(0x100, Selector::kExactly, 2), sa_status::kRequestInvalid)
      << "a selector without a value is refused";
  EXPECT_EQ(created(kRate, Selector::kGreater, widest.rate), sa_status::kRequestInvalid);
  EXPECT_EQ(created(kRate, Selector::kLess, widest.rate), mad_status::kGood);
  EXPECT_EQ(answered().rate, lower_rate);
  EXPECT_EQ(answered().mtu, widest.mtu);
  EXPECT_EQ(request(1 | kRate, Selector::kExactly, lower_rate), mad_status::kGood);
  EXPECT_EQ(request(1 | kRate, Selector::kGreater, lower_rate), sa_status::kNoRecords);
  EXPECT_EQ(request(kNeeded | 4 | kRate, Selector::kExactly, lower_rate), mad_status::kGood);
  EXPECT_EQ(request(kNeeded | 4 | kRate, Selector::kGreater, lower_rate),
            sa_status::kRequestInvalid);
}

TEST_F(Groups, OfIpoibHaveTheParametersOfTheBroadcastGroup) {
  McMemberRecord record = of(1, make_gid(0xFF12401BFFFF0000, Guid(5)));
  EXPECT_EQ(query(1, Method::kSet, kToCreate, record), sa_status::kRequestInvalid);
  record.qkey = 0xB1B;
  EXPECT_EQ(query(1, Method::kSet, kToCreate, record), mad_status::kGood);
  record.mgid = make_gid(0xFF15401BFFFF0000, Guid(5));  // a scope without a broadcast group
  EXPECT_EQ(query(1, Method::kSet, kToCreate, record), sa_status::kRequestInvalid);
  options.validate_ip_groups = false;
  server->set_options(options);
  EXPECT_EQ(query(1, Method::kSet, kToCreate, record), mad_status::kGood);
}

TEST_F(Groups, ReceiveAnMgidIfTheRequestedMgidIsZero) {
  std::set<Gid> given;
  for (unsigned i = 0; i < 300; ++i) {
    ASSERT_EQ(create(1, Gid{}), mad_status::kGood);
    EXPECT_EQ(prefix_of(answered().mgid) >> 16, 0xFF12A01BFE80u);
    EXPECT_TRUE(given.insert(answered().mgid).second);
  }
}

TEST_F(Groups, AreDeletedWithTheLastFullMemberAndFreeTheLid) {
  const Gid group = mgid(1);
  ASSERT_EQ(create(1, group), mad_status::kGood);
  const Lid mlid = answered().mlid;
  ASSERT_EQ(join(2, group, 4), mad_status::kGood);
  ASSERT_EQ(join(3, group, 2), mad_status::kGood);
  ASSERT_EQ(join(3, group, 8), mad_status::kGood);
  EXPECT_EQ(answered().join_state, 10);
  ASSERT_EQ(create(4, mgid(2)), mad_status::kGood);
  EXPECT_EQ(leave(1, group), mad_status::kGood);
  EXPECT_EQ(answered().join_state, 0);
  EXPECT_EQ(get(5, group), mad_status::kGood);  // a send-only full member keeps the group
  EXPECT_EQ(leave(3, group, 1), sa_status::kRequestInvalid);
  EXPECT_EQ(leave(3, group, 0), sa_status::kRequestInvalid);
  EXPECT_EQ(leave(3, group, 8), mad_status::kGood);
  EXPECT_EQ(get(5, group), sa_status::kNoRecords);
  EXPECT_EQ(leave(2, group, 4), sa_status::kRequestInvalid);
  EXPECT_EQ(join(2, group), sa_status::kInsufficientComponents);
  ASSERT_EQ(create(5, mgid(3)), mad_status::kGood);
  EXPECT_EQ(answered().mlid, mlid);
  const Gid broadcast = make_gid(0xFF12401BFFFF0000, Guid(0xFFFFFFFF));
  ASSERT_EQ(join(1, broadcast), mad_status::kGood);
  ASSERT_EQ(leave(1, broadcast), mad_status::kGood);
  EXPECT_EQ(get(1, broadcast), mad_status::kGood);
}

TEST_F(Groups, RequireMatchingJoinsAndProtectMemberships) {
  const Gid group = mgid(1);
  ASSERT_EQ(create(1, group), mad_status::kGood);
  McMemberRecord other = of(2, group);
  other.qkey = 0x222;
  EXPECT_EQ(query(2, Method::kSet, kNeeded | 4, other), sa_status::kRequestInvalid);
  options.validate_joins = false;
  server->set_options(options);
  EXPECT_EQ(query(2, Method::kSet, kNeeded | 4, other), mad_status::kGood);
  EXPECT_EQ(answered().qkey, 0x111u);
  EXPECT_EQ(query(3, sa_method::kDelete, kNeeded, of(2, group)), sa_status::kRequestInvalid);
  EXPECT_EQ(query(3, sa_method::kDelete, kNeeded, of(2, group), 1), sa_status::kRequestInvalid);
  EXPECT_EQ(query(3, Method::kSet, kNeeded, of(2, group, 2)), sa_status::kRequestInvalid);
  EXPECT_EQ(query(3, Method::kSet, kNeeded, of(4, group)), mad_status::kGood);  // proxy join
  EXPECT_EQ(query(5, sa_method::kDelete, kNeeded, of(4, group)), mad_status::kGood);
}

TEST_F(Groups, ShowMembersOnlyToTrustedRequesters) {
  const Gid group = mgid(1);
  ASSERT_EQ(create(1, group), mad_status::kGood);
  ASSERT_EQ(join(2, group), mad_status::kGood);
  ASSERT_EQ(get(1, group), mad_status::kGood);
  EXPECT_EQ(answered().port_gid, Gid{});
  EXPECT_EQ(answered().join_state, 0);
  EXPECT_EQ(get(1, group, 1), sa_status::kTooManyRecords);
  EXPECT_EQ(query(3, Method::kGet, 3, of(2, group), 1), mad_status::kGood);
  EXPECT_EQ(answered().port_gid, of(2, group).port_gid);
  EXPECT_EQ(query(3, Method::kGet, 3, of(3, group), 1), sa_status::kNoRecords);
}

TEST_F(Groups, OfSolicitedNodesCanShareALid) {
  options.consolidate_ipv6_snm = true;
  server->set_options(options);
  std::set<Lid> lids;
  for (unsigned host = 1; host < kHosts; ++host) {
    McMemberRecord record = of(host, make_gid(0xFF12601BFFFF0000, Guid(0x1FF000000 + host)));
    record.qkey = 0xB1B;
    ASSERT_EQ(query(host, Method::kSet, kToCreate, record), mad_status::kGood);
    lids.insert(answered().mlid);
  }
  EXPECT_EQ(lids.size(), 1u);
  const auto routed = server->multicast_groups();
  ASSERT_EQ(routed.size(), 1u);
  EXPECT_EQ(routed.front().members.size(), kHosts - 1);
}

TEST(GroupsWithoutHosts, AreNotCreated) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->fabric = Tiny(1).build();
  snapshot->sm = EndportId(0);
  snapshot->nodes.resize(1);
  snapshot->nodes[0].ports.resize(snapshot->fabric.node(NodeId(0)).port_count + std::size_t{1});
  const SaView view(snapshot, {});
  sa::McGroups groups;
  groups.follow(&view, nullptr);
  EXPECT_TRUE(groups.all().empty());
}

TEST_F(Groups, AreRefusedWithoutFreeLids) {
  options.reserved_mlids = {Lid(0xC001)};
  options.quotas.groups = 0x10000;
  server->set_options(options);
  ASSERT_EQ(create(1, mgid(1)), mad_status::kGood);
  EXPECT_EQ(answered().mlid, Lid(0xC002));
  std::uint64_t number = 2;
  std::vector<unsigned> created;
  for (unsigned host = 1; host <= 4; ++host) {
    const std::uint64_t refusals = refused(sa::Refusal::kMlids);
    created.push_back(host == 1 ? 1 : 0);
    while (create(host, mgid(number)) == mad_status::kGood) ++number, ++created.back();
    EXPECT_EQ(answer->status, sa_status::kNoResources);
    EXPECT_EQ(refused(sa::Refusal::kMlids), host == 4 ? refusals : refusals + 1);
  }
  EXPECT_EQ(created[0], created[1])
      << "each of the first three ports receives a quarter of the LIDs";
  EXPECT_EQ(created[0], created[2]);
  EXPECT_EQ(created[3], created[0] - 2)
      << "the LID of the broadcast group and the reserved LID are not free";
  EXPECT_EQ(create(5, mgid(number)), sa_status::kNoResources);
  options.quotas.groups = 0;
  server->set_options(options);
  EXPECT_EQ(create(1, mgid(number)), sa_status::kNoResources)
      << "no LID is free, also without limits";
  EXPECT_EQ(refused(sa::Refusal::kMlids), 3u);
  EXPECT_EQ(create(2, mgid(1)), mad_status::kGood);  // the group exists already
  EXPECT_EQ(leave(2, mgid(1)), mad_status::kGood);
  EXPECT_EQ(leave(1, mgid(1)), mad_status::kGood);
  EXPECT_EQ(create(1, mgid(number)), mad_status::kGood) << "the LID of the deleted group is free";
}

/// Host 2 shares a partition with host 1 and another partition with host 3.
TEST_F(Groups, AreNotChangedForPortsOfOtherPartitions) {
  activate_partitions(
      fmt::format("Default=0x7fff,ipoib: ALL=limited, SELF=full;"
                  "A=0x10,ipoib: 0x{:x}=full, 0x{:x}=full;"
                  "B=0x20,ipoib: 0x{:x}=full, 0x{:x}=full;",
                  port(1).value(), port(2).value(), port(2).value(), port(3).value()));
  const Gid group = make_gid(0xFF12401B80100000, Guid(0xFFFFFFFF));
  const auto change = [&](unsigned by, Method method, unsigned host) {
    return query(by, method, kNeeded, of(host, group));
  };
  const auto answer_has_values = [&] {
    return answered().qkey != 0x111 || answered().mlid != Lid(0);
  };
  ASSERT_NE(server->state().groups.find(group), nullptr);
  EXPECT_EQ(change(3, Method::kSet, 1), sa_status::kRequestInvalid)
      << "host 3 and host 1 have no partition in common";
  EXPECT_FALSE(answer_has_values());
  EXPECT_EQ(change(3, Method::kSet, 2), sa_status::kRequestInvalid)
      << "host 3 is not in the partition of the group";
  EXPECT_FALSE(answer_has_values());
  EXPECT_EQ(change(1, Method::kSet, 2), 0);
  EXPECT_TRUE(answer_has_values());
  for (const unsigned by : {3u, 4u})
    EXPECT_EQ(change(by, sa_method::kDelete, 2), sa_status::kRequestInvalid);
  EXPECT_FALSE(answer_has_values());
  EXPECT_EQ(query(3, sa_method::kDelete, kNeeded, of(2, group), 1), sa_status::kRequestInvalid)
      << "the SA key changes nothing";
  EXPECT_EQ(change(1, sa_method::kDelete, 2), 0);
  EXPECT_EQ(refused(sa::Refusal::kPartition), 5u);
  McMemberRecord record = of(2, mgid(1));
  record.pkey = Pkey(0x8010);
  EXPECT_EQ(query(3, Method::kSet, kToCreate, record), sa_status::kRequestInvalid);
  EXPECT_EQ(query(1, Method::kSet, kToCreate, record), 0);
  const Gid broadcast = make_gid(0xFF12401BFFFF0000, Guid(0xFFFFFFFF));
  EXPECT_EQ(join(4, broadcast), 0) << "a port with limited memberships only, for itself";
  EXPECT_EQ(leave(4, broadcast), 0);
  EXPECT_EQ(query(5, Method::kSet, kNeeded, of(4, broadcast)), sa_status::kRequestInvalid);
}

TEST_F(Groups, CountForTheMemberPortOnceThePortJoins) {
  const Gid group = mgid(1);
  ASSERT_EQ(create(1, group), 0);
  const auto by_another = [&](Method method) { return query(3, method, kNeeded, of(2, group)); };
  EXPECT_EQ(by_another(Method::kSet), 0);
  EXPECT_EQ(server->state().groups.memberships_of(port(3)), 1u);
  EXPECT_EQ(join(2, group), 0);
  EXPECT_EQ(server->state().groups.memberships_of(port(3)), 0u);
  EXPECT_EQ(server->state().groups.memberships_of(port(2)), 1u);
  EXPECT_EQ(by_another(sa_method::kDelete), sa_status::kRequestInvalid);
  EXPECT_EQ(leave(2, group), 0);
  EXPECT_EQ(server->state().groups.memberships_of(port(2)), 0u);
}

TEST_F(Groups, AreLimitedPerRequestingPort) {
  options.quotas.groups = 2;
  server->set_options(options);
  for (std::uint64_t number = 1; number <= 2; ++number) ASSERT_EQ(create(1, mgid(number)), 0);
  ASSERT_EQ(create(2, mgid(3)), 0);
  EXPECT_EQ(create(1, mgid(4)), sa_status::kNoResources);
  EXPECT_EQ(join(1, mgid(3)), sa_status::kNoResources);
  EXPECT_EQ(query(1, Method::kSet, kNeeded, of(4, mgid(1))), sa_status::kNoResources);
  EXPECT_EQ(refused(sa::Refusal::kGroups), 3u);
  EXPECT_EQ(join(1, mgid(2), 2), 0) << "host 1 is a member already";
  EXPECT_EQ(query(2, Method::kSet, kNeeded, of(4, mgid(1))), 0);
  EXPECT_EQ(join(2, mgid(1)), sa_status::kNoResources)
      << "the membership of host 4 counts for host 2, which requested it";
  EXPECT_EQ(join(4, mgid(2)), 0);
  EXPECT_EQ(join(4, mgid(3)), 0)
      << "the membership that host 2 requested does not count for host 4";
  EXPECT_EQ(join(4, mgid(1)), sa_status::kNoResources)
      << "host 4 has as many memberships as permitted";
  EXPECT_EQ(leave(4, mgid(2)), 0);
  EXPECT_EQ(join(4, mgid(1)), 0);
  EXPECT_EQ(join(2, mgid(1)), 0);
  EXPECT_EQ(leave(1, mgid(2), 3), 0) << "the group is deleted";
  EXPECT_EQ(create(1, mgid(4)), 0);
  server->publish(nullptr);
  EXPECT_EQ(server->state().groups.memberships_of(port(1)), 0u);
}

/// Hosts 1 and 2 belong to a tenant with a limit of two groups, host 3 to a tenant without a limit.
TEST_F(Groups, AreLimitedByTheTenantOfTheMember) {
  auto tenants = std::make_shared<Tenants>();
  tenants->all = {{"red", 2}, {"blue", 0}};
  ASSERT_TRUE(tenants->add_port(port(1), 0) && tenants->add_port(port(2), 0));
  ASSERT_TRUE(tenants->add_port(port(3), 1));
  for (std::uint64_t number = 1; number <= 3; ++number) ASSERT_EQ(create(3, mgid(number)), 0);
  ASSERT_EQ(join(1, mgid(1)), 0);  // counts although host 1 joined before the policy was set
  options.tenants = tenants;
  server->set_options(options);
  EXPECT_EQ(join(2, mgid(2)), 0);
  EXPECT_EQ(join(2, mgid(1)), 0) << "the tenant already has this group";
  EXPECT_EQ(join(1, mgid(3)), sa_status::kNoResources);
  EXPECT_EQ(create(2, mgid(4)), sa_status::kNoResources);
  EXPECT_EQ(refused(sa::Refusal::kTenantGroups), 2u);
  EXPECT_EQ(create(3, mgid(4)), 0) << "the tenant of host 3 has no limit";
  EXPECT_EQ(join(5, mgid(3)), 0) << "host 5 belongs to no tenant";
  EXPECT_EQ(leave(1, mgid(1)), 0);
  EXPECT_EQ(join(1, mgid(3)), sa_status::kNoResources)
      << "host 2 is a member of both groups of the tenant";
  EXPECT_EQ(leave(2, mgid(1)), 0);
  EXPECT_EQ(join(1, mgid(3)), 0);
  EXPECT_EQ(leave(3, mgid(2)), 0);
  EXPECT_EQ(leave(2, mgid(2)), 0) << "the group is deleted";
  EXPECT_EQ(create(1, mgid(2)), 0);
  server->publish(nullptr);
  server->publish(managed.sm().snapshot());
  EXPECT_EQ(create(1, mgid(5)), 0);
}

TEST_F(Groups, TableRecordsEqualTheTablesOfSwitches) {
  const Gid group = mgid(1);
  ASSERT_EQ(create(1, group), 0);
  ASSERT_EQ(join(6, group), 0);
  const Lid mlid = answered().mlid;
  follow();
  const Fabric& known = managed.known();
  unsigned copies = 0;
  for (std::uint32_t s = 0; s < known.switch_count(); ++s) {
    const SwitchId real = SwitchId(
        managed.fabric().find_node(known.node(Fabric::node_of(SwitchId(s))).node_guid)->value());
    MftRecord wanted;
    wanted.lid = known.endport(Fabric::endport_of(SwitchId(s))).lid;
    wanted.block = static_cast<std::uint16_t>((mlid.value() - 0xC000) / 32);
    constexpr std::uint64_t kWhich = 1u << 0 | 1u << 1 | 1u << 3;  // LID, position, block
    const std::uint16_t status = query(0, Method::kGet, SaAttribute::kMftRecord, kWhich, wanted);
    ASSERT_TRUE(answer);
    const auto held = managed.emulated().multicast_ports(real, mlid);
    if (status != 0) {
      EXPECT_TRUE(held.empty());
      continue;
    }
    const MftRecord answered = decode_mft_record(sa_data(*answer).first<MftRecord::kSize>());
    EXPECT_EQ(answered.lid, wanted.lid);
    EXPECT_EQ(answered.block, wanted.block);
    std::uint16_t mask = 0;
    for (const PortNum number : held) mask |= static_cast<std::uint16_t>(1u << number.value());
    EXPECT_EQ(answered.table.port_masks[mlid.value() % 32], mask) << s;
    copies += static_cast<unsigned>(held.size());
  }
  EXPECT_GT(copies, 2u);
}

TEST_F(Groups, CanBeJoinedButHaveNoTreesWithoutMulticast) {
  options.disable_multicast = true;
  server->set_options(options);
  EXPECT_EQ(create(1, mgid(1)), mad_status::kGood);
  EXPECT_TRUE(server->multicast_groups().empty());
}

TEST_F(Groups, AreRoutedInFewRunsForManyJoins) {
  const std::uint64_t sweeps = managed.sm().heavy_sweeps();
  const std::uint64_t tables = managed.sets(AttributeId::kLinearForwardingTable);
  for (std::uint64_t number = 0; number < 300; ++number) {
    for (unsigned host = 1; host < kHosts; ++host)
      ASSERT_EQ(create(host, mgid(number)), mad_status::kGood);
    managed.sm().set_multicast_groups(server->multicast_groups());
    managed.sm().step(managed.emulated().clock().now() + std::chrono::milliseconds(1));
  }
  follow();
  EXPECT_LE(managed.sm().updates(), 3u);
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps);
  EXPECT_EQ(managed.sets(AttributeId::kLinearForwardingTable), tables);
  EXPECT_EQ(managed.sm().snapshot()->routes.mfts.size(), 300u);
}

TEST_F(Groups, ChangesAreCopiedPeriodically) {
  Rng rng(5);
  std::vector<FiledGroup> held;
  TimeNs now{0};
  const auto text = [](const std::vector<FiledGroup>& groups) {
    std::string lines;
    for (const FiledGroup& group : groups) {
      lines += fmt::format("{:x}:", group.mlid.value());
      for (const Guid guid : group.members) lines += fmt::format(" {:x}", guid.value());
      for (const Guid guid : group.senders) lines += fmt::format(" send {:x}", guid.value());
      lines += '\n';
    }
    return lines;
  };
  std::size_t copied = 0;
  ASSERT_EQ(create(1, mgid(99)), mad_status::kGood);  // so that each round has a change
  for (int round = 0; round < 200; ++round) {
    for (std::uint64_t i = 0; i < 3; ++i) {
      const Gid gid = mgid(1 + rng.below(12));
      const auto host = static_cast<unsigned>(1 + rng.below(kHosts - 1));
      const bool full = rng.chance(0.7);
      if (rng.chance(0.6))
        query(host, Method::kSet, kToCreate, of(host, gid, full ? 1 : 4));
      else
        leave(host, gid, full ? 1 : 4);
    }
    if (auto changes = server->take_multicast_groups(now)) {
      EXPECT_FALSE(changes->all) << round;
      copied += changes->groups.size();
      std::move(*changes).apply_to(held);
    }
    ASSERT_EQ(text(held), text(server->multicast_groups())) << round;
    query(1, Method::kSet, kToCreate, of(1, mgid(100 + static_cast<std::uint64_t>(round))));
    EXPECT_FALSE(server->take_multicast_groups(now + std::chrono::milliseconds(19)));
    EXPECT_LE(server->next_event(), now + std::chrono::milliseconds(20));
    now += std::chrono::milliseconds(20);
  }
  EXPECT_LT(copied, 200u * 6) << "only changed groups are copied";
  server->publish(nullptr);
  std::move(*server->take_multicast_groups(now)).apply_to(held);
  EXPECT_TRUE(held.empty());
  EXPECT_FALSE(server->take_multicast_groups(now + std::chrono::seconds(1)));
}

TEST_F(Groups, AreCopiedInPartsIfManyChanged) {
  std::vector<FiledGroup> held;
  TimeNs now{0};
  const auto take = [&] {
    auto changes = server->take_multicast_groups(now);
    const std::size_t count = changes ? changes->groups.size() : 0;
    if (changes) std::move(*changes).apply_to(held);
    return count;
  };
  take();
  now += std::chrono::milliseconds(20);
  const std::size_t before = held.size();
  for (std::uint64_t number = 0; number < 40; ++number)
    ASSERT_EQ(create(1, mgid(number)), mad_status::kGood);
  EXPECT_EQ(take(), 16u);
  EXPECT_LE(server->next_event(), now) << "the next part is due at once";
  EXPECT_EQ(take(), 16u);
  EXPECT_EQ(take(), 8u);
  EXPECT_EQ(take(), 0u);
  EXPECT_EQ(held.size(), before + 40);
  EXPECT_EQ(held.size(), server->multicast_groups().size());
}

TEST_F(Groups, ViewsHaveTheSamePortsOnlyWithEqualPkeysAndPrefix) {
  const auto first = SaView::make_after(nullptr, managed.sm().snapshot(), options);
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  const auto same = SaView::make_after(first.get(), managed.sm().snapshot(), options);
  EXPECT_TRUE(same->has_same_ports(*first));
  activate_partitions(
      fmt::format("Default=0x7fff : ALL=full ;\nA=0x1 : 0x{:x}=full ;\n", port(1).value()));
  const auto other = SaView::make_after(same.get(), managed.sm().snapshot(), options);
  EXPECT_FALSE(other->has_same_ports(*same)) << "the views have different P_Key tables";
  SaOptions elsewhere = options;
  elsewhere.subnet_prefix = 7;
  EXPECT_FALSE(
      SaView::make_after(other.get(), managed.sm().snapshot(), elsewhere)->has_same_ports(*other));
  EXPECT_FALSE(SaView(managed.sm().snapshot(), options).has_same_ports(*other))
      << "the view was made without a comparison";
}

TEST_F(Groups, RemoveAbsentMembersAndAreDeletedWithTheLastMember) {
  ASSERT_EQ(create(1, mgid(1)), mad_status::kGood);
  ASSERT_EQ(join(2, mgid(1)), mad_status::kGood);
  ASSERT_EQ(create(2, mgid(2)), mad_status::kGood);
  follow();
  EXPECT_EQ(server->multicast_groups().size(), 2u);
  const Endport& gone = managed.fabric().endport(EndportId(managed.fabric().switch_count() + 2));
  managed.emulated().cut_cable(gone.port);
  managed.run_for(std::chrono::seconds(15));
  ASSERT_TRUE(managed.settle());
  server->publish(managed.sm().snapshot());
  ASSERT_EQ(server->multicast_groups().size(), 1u);
  EXPECT_EQ(server->multicast_groups().front().members, std::vector{port(1)});
  server->publish(nullptr);  // another manager is master and holds all registrations
  EXPECT_TRUE(server->multicast_groups().empty());
  server->publish(managed.sm().snapshot());
  EXPECT_EQ(get(1, mgid(1)), sa_status::kNoRecords);
}

/// A host joins again only when requested to register again, as IP over InfiniBand does. If a cable
/// between switches is pulled, the host receives no other event.
TEST_F(Groups, IncludeAHostAgainAfterTheCablesAreRestored) {
  const unsigned host = kHosts - 1;  // on another leaf than the manager
  const Endport& there =
      managed.fabric().endport(EndportId(managed.fabric().switch_count() + host));
  ASSERT_EQ(create(1, mgid(1)), mad_status::kGood);
  ASSERT_EQ(join(host, mgid(1)), mad_status::kGood);
  follow();
  const Lid mlid = managed.sm().snapshot()->routes.mfts.begin()->first;
  const auto receives_copies = [&] {
    const Port& leaf = managed.fabric().port(managed.fabric().port(there.port).peer);
    const auto ports = managed.emulated().multicast_ports(SwitchId(leaf.node.value()), mlid);
    return std::ranges::find(ports, leaf.num) != ports.end();
  };
  ASSERT_TRUE(receives_copies());
  std::vector<PortId> uplinks;
  for (const Channel& channel : managed.fabric().channels_from(there.sw))
    uplinks.push_back(managed.fabric().port_id(Fabric::node_of(there.sw), channel.from_port));
  for (const PortId uplink : uplinks) managed.emulated().cut_cable(uplink);
  managed.run_for(std::chrono::seconds(15));
  ASSERT_TRUE(managed.settle());
  follow();
  EXPECT_EQ(managed.emulated().port_info(there.port).state, PortState::kActive);
  EXPECT_EQ(server->multicast_groups().front().members, std::vector{port(1)});

  const std::uint32_t before_restore = managed.emulated().reregistrations(there.port);
  for (const PortId uplink : uplinks) managed.emulated().restore_cable(uplink);
  managed.run_for(std::chrono::seconds(15));
  ASSERT_TRUE(managed.settle());
  follow();
  ASSERT_EQ(managed.emulated().reregistrations(there.port), before_restore + 1);
  ASSERT_EQ(join(host, mgid(1)), mad_status::kGood);
  follow();
  EXPECT_TRUE(receives_copies());
}

/// On a tree, a torus, a ring and a random graph: the multicast tables forward packets of a group
/// to exactly its members, and multicast and unicast routes together are deadlock-free.
class Trees : public Groups, public ::testing::WithParamInterface<const char*> {
 protected:
  Trees() : Groups(GetParam()) {}
};

TEST_P(Trees, SpanExactlyTheMembersAfterAnyJoinsAndLeaves) {
  Rng rng(5);
  std::map<Gid, std::map<unsigned, std::uint8_t>> members;
  for (unsigned round = 0; round < 12; ++round) {
    for (unsigned change = 0; change < 8; ++change) {
      const auto host = static_cast<unsigned>(rng.below(kHosts));
      const Gid group = mgid(rng.below(4));
      auto& there = members[group];
      if (there.contains(host)) {
        ASSERT_EQ(leave(host, group, there[host]), mad_status::kGood);
        there.erase(host);
        if (std::ranges::none_of(there, [](const auto& m) { return (m.second & 1) != 0; }))
          there.clear();
      } else {
        const std::uint8_t state = there.empty() || rng.below(3) != 0 ? 1 : 4;
        ASSERT_EQ(query(host, Method::kSet, kToCreate, of(host, group, state)), mad_status::kGood);
        there[host] = state;
      }
    }
    follow();
    ASSERT_TRUE(managed.report().up) << managed.report().error;
    const auto held_fabric = read_fabric(managed.emulated());
    ASSERT_TRUE(held_fabric);
    const Routes held = read_routes(managed.emulated());
    std::vector<std::string> none;
    const auto groups = resolve_groups(server->multicast_groups(), *held_fabric, none);
    const auto wanted =
        std::ranges::count_if(members, [](const auto& m) { return !m.second.empty(); });
    ASSERT_EQ(groups.size(), static_cast<std::size_t>(wanted));
    const Verdict verdict = verify(*held_fabric, held, {.groups = groups});
    EXPECT_TRUE(verdict.ok());
    EXPECT_TRUE(verdict.multicast_ok()) << "round " << round;
    EXPECT_EQ(verdict.multicast.non_member_copies, 0u) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Fabrics, Trees,
                         ::testing::Values("fattree2:k=4", "torus:3x3,hosts=1", "ring:n=8,hosts=1",
                                           "random:n=12,degree=3,hosts=2,seed=3"));

/// Broadcast groups are created and deleted with their partitions. A member leaves when its port
/// loses the P_Key of the group.
TEST_F(Groups, AreUpdatedWithChangedPartitions) {
  const auto members = [&](unsigned count) {
    std::string text = "Default=0x7fff,ipoib: ALL=full; A=0x10,ipoib:";
    for (unsigned host = 1; host <= count; ++host)
      text += fmt::format("{} 0x{:x}=full", host == 1 ? "" : ",", port(host).value());
    return text + ";";
  };
  const Gid broadcast = make_gid(0xFF12401B80100000, Guid(0xFFFFFFFF));
  const auto group = [&] { return server->state().groups.find(broadcast); };
  EXPECT_EQ(group(), nullptr);
  activate_partitions(members(2));
  ASSERT_NE(group(), nullptr);
  const auto join_broadcast = [&](unsigned host) {
    McMemberRecord record = of(host, broadcast);
    record.pkey = Pkey(0x8010);
    return query(host, Method::kSet, kNeeded, record);
  };
  EXPECT_EQ(join_broadcast(1), 0);
  EXPECT_EQ(join_broadcast(2), 0);
  EXPECT_NE(join_broadcast(3), 0);  // the port of host 3 does not have the P_Key
  ASSERT_EQ(group()->members.size(), 2u);
  const std::uint64_t version = server->state().groups.version();
  activate_partitions(members(1));
  ASSERT_NE(group(), nullptr);
  EXPECT_EQ(group()->members.size(), 1u);
  EXPECT_TRUE(group()->members.contains(port(1)));
  EXPECT_EQ(group()->full_members, 1u);
  EXPECT_NE(server->state().groups.version(), version);
  activate_partitions(members(3));
  EXPECT_EQ(join_broadcast(3), 0);
  activate_partitions("Default=0x7fff,ipoib: ALL=full;");
  EXPECT_EQ(group(), nullptr);
}

}  // namespace
}  // namespace weft
