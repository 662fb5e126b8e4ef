// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Access of trusted and untrusted requests, requests that are not answered, and the limit on logged
// refusals.
#include "sa/paths/paths.h"
#include "support/sa_subnet.h"

namespace weft {
namespace {

constexpr std::uint16_t kNoAnswer = 0xFFFF;
constexpr std::uint64_t kJoinMask = 1u << 0 | 1u << 1 | 1u << 16;  // components of MCMemberRecord

constexpr std::uint64_t mask_of(std::initializer_list<unsigned> bits) {
  std::uint64_t mask = 0;
  for (const unsigned bit : bits) mask |= std::uint64_t{1} << bit;
  return mask;
}

/// Passes requests from any host directly to a server, without a network.
class Trust : public ::testing::Test {
 protected:
  void SetUp() override {
    subnet.start();
    start(options);
  }
  void start(const SaOptions& with) {
    server = std::make_unique<SaServer>(with, [this](const Gmp& gmp) { answer = gmp; });
    server->publish(subnet.managed.sm().snapshot());
  }
  const Fabric& known() const { return subnet.snapshot().fabric; }
  EndportId host(unsigned index) const {
    const Fabric& real = subnet.managed.fabric();
    return *known().find_endport(
        real.port(real.endport(EndportId(real.switch_count() + index)).port).guid);
  }
  Lid lid(unsigned index) const { return known().endport(host(index)).lid; }
  Guid guid(unsigned index) const { return known().port(known().endport(host(index)).port).guid; }
  Gid gid(unsigned index) const { return make_gid(options.subnet_prefix, guid(index)); }

  /// Returns the status of the answer, or kNoAnswer if none is sent.
  std::uint16_t send(unsigned from, Gmp gmp, TimeNs now = {}) {
    gmp.peer.lid = lid(from);
    answer.reset();
    server->on_gmp(gmp, now);
    return answer ? answer->status : kNoAnswer;
  }
  std::uint16_t send_request(unsigned from, Method method, SaAttribute attribute,
                             std::uint64_t mask = 0, std::uint64_t key = 0) {
    return send(from, subnet.client->request(method, attribute, mask, key));
  }
  template <class Record>
  requires requires { Record::kSize; }
  std::uint16_t send_request(unsigned from, Method method, SaAttribute attribute,
                             std::uint64_t mask, const Record& record, std::uint64_t key = 0) {
    return send(from, subnet.client->request(method, attribute, mask, record, key));
  }
  PathRecord path(unsigned from, unsigned to) const {
    PathRecord wanted;
    wanted.sgid = gid(from);
    wanted.dgid = gid(to);
    return wanted;
  }
  std::uint64_t refused(sa::Refusal why) const { return server->state().refusals.of(why); }

  SaSubnet subnet{fabric_of("fattree2:k=4")};
  SaOptions options;
  std::unique_ptr<SaServer> server;
  std::optional<Gmp> answer;
};

TEST_F(Trust, IsNotGrantedByAnSaKeyOfZero) {
  ASSERT_EQ(send_request(1, sa_method::kGetTable, SaAttribute::kPkeyTableRecord, 0, 1), 0);
  ASSERT_EQ(send_request(1, sa_method::kGetTable, SaAttribute::kPkeyTableRecord),
            sa_status::kRequestInvalid);
  options.sa_key = SmKey(0);
  server->set_options(options);
  EXPECT_EQ(send_request(1, sa_method::kGetTable, SaAttribute::kPkeyTableRecord),
            sa_status::kRequestInvalid);
  EXPECT_EQ(send_request(1, Method::kGet, SaAttribute::kClassPortInfo), 0);
  EXPECT_EQ(send_request(1, Method::kGet, SaAttribute::kClassPortInfo, 0, 1), kNoAnswer);
  EXPECT_EQ(refused(sa::Refusal::kWrongKey), 1u);
}

TEST_F(Trust, LimitsUntrustedRequestsWithTheEnhancedModel) {
  EXPECT_EQ(send_request(1, sa_method::kGetTable, SaAttribute::kNodeRecord), 0);
  options.trust.enabled = true;
  server->set_options(options);
  for (const SaAttribute attribute :
       {SaAttribute::kNodeRecord, SaAttribute::kPortInfoRecord, SaAttribute::kLinkRecord,
        SaAttribute::kServiceRecord, SaAttribute::kMcMemberRecord, SaAttribute::kPathRecord,
        SaAttribute::kInformInfoRecord, SaAttribute::kGuidInfoRecord})
    EXPECT_EQ(send_request(1, sa_method::kGetTable, attribute), sa_status::kDenied)
        << static_cast<unsigned>(attribute);
  EXPECT_EQ(refused(sa::Refusal::kTrust), 8u);
  EXPECT_EQ(send_request(1, sa_method::kGetTable, SaAttribute::kNodeRecord, 0, 1), 0)
      << "the request has the sa_key";

  EXPECT_EQ(send_request(1, Method::kGet, SaAttribute::kClassPortInfo), 0);
  const auto ends = path(1, 2);
  for (const Method method : {Method::kGet, sa_method::kGetTable}) {
    EXPECT_EQ(send_request(1, method, SaAttribute::kPathRecord, mask_of({2, 3}), ends), 0);
    EXPECT_EQ(send_request(1, method, SaAttribute::kPathRecord, mask_of({3}), ends),
              sa_status::kDenied);
    EXPECT_EQ(send_request(1, method, SaAttribute::kPathRecord, mask_of({2}), ends),
              sa_status::kDenied);
  }
  PathRecord to_group;
  to_group.dgid = make_gid(0xFF12401BFFFF0000, Guid(0xFFFFFFFF));
  EXPECT_EQ(send_request(1, Method::kGet, SaAttribute::kPathRecord, mask_of({2}), to_group), 0);
  InformInfo info;
  info.lid_begin = Lid(0xFFFF);
  info.subscribe = info.generic = true;
  EXPECT_EQ(send_request(1, Method::kSet, SaAttribute::kInformInfo, 0, info), 0);
}

TEST_F(Trust, AllowsRequestsForOtherPortsAsConfigured) {
  options.trust.enabled = true;
  McMemberRecord member;
  member.mgid = make_gid(0xFF12401BFFFF0000, Guid(0xFFFFFFFF));
  member.port_gid = gid(2);
  member.join_state = 1;
  ServiceRecord service;
  service.id = 7;
  service.gid = gid(2);
  for (const bool allowed : {true, false}) {
    options.trust.untrusted_proxy_requests = allowed;
    server->set_options(options);
    const std::uint16_t expected = allowed ? mad_status::kGood : sa_status::kDenied;
    const auto join = [&](unsigned from, Method method) {
      return send_request(from, method, SaAttribute::kMcMemberRecord, kJoinMask, member);
    };
    EXPECT_EQ(join(1, Method::kSet), expected);
    EXPECT_EQ(join(2, Method::kSet), 0);
    EXPECT_EQ(join(2, sa_method::kDelete), 0);
    if (allowed) {
      EXPECT_EQ(join(1, Method::kSet), 0);
    }
    EXPECT_EQ(join(1, sa_method::kDelete), expected);
    const auto register_service = [&](unsigned from, Method method) {
      return send_request(from, method, SaAttribute::kServiceRecord, 3, service);
    };
    EXPECT_EQ(register_service(1, Method::kSet), expected);
    EXPECT_EQ(register_service(2, Method::kSet), 0);
    service.pkey = Pkey(0xFFFF);
    EXPECT_EQ(register_service(1, sa_method::kDelete), expected);
    if (!allowed) {
      EXPECT_EQ(register_service(2, sa_method::kDelete), 0);
    }
    service.pkey = Pkey(0);
  }
}

TEST_F(Trust, AllowsChangesOfOwnAliasGuidsAsConfigured) {
  options.trust.enabled = true;
  const auto change = [&](bool from_alias) {
    GuidInfoRecord record{lid(1), 0, {}};
    record.table.guids[2] = Guid(0x77);
    Gmp gmp = subnet.client->request(Method::kSet, SaAttribute::kGuidInfoRecord, mask_of({0, 1, 6}),
                                     record);
    gmp.peer.route.emplace().gid =
        from_alias ? make_gid(options.subnet_prefix, Guid(0x77)) : gid(1);
    return send(1, gmp);
  };
  server->set_options(options);
  EXPECT_EQ(change(false), 0);
  EXPECT_EQ(change(true), 0);
  options.trust.guid_info_by_vf = false;
  server->set_options(options);
  EXPECT_EQ(change(false), 0);
  EXPECT_EQ(change(true), sa_status::kDenied);
  options.trust.untrusted_guid_info = false;
  server->set_options(options);
  EXPECT_EQ(change(false), sa_status::kDenied);
}

TEST_F(Trust, IgnoresForeignSourceGidsWhenConfigured) {
  const auto from_gid = [&](const Gid& source) {
    Gmp gmp = subnet.client->request(Method::kGet, SaAttribute::kClassPortInfo);
    gmp.peer.route.emplace().gid = source;
    return send(1, gmp);
  };
  GuidInfoRecord record{lid(1), 0, {}};
  record.table.guids[2] = Guid(0x77);
  ASSERT_EQ(send_request(1, Method::kSet, SaAttribute::kGuidInfoRecord, mask_of({0, 1, 6}), record),
            0);
  EXPECT_EQ(from_gid(gid(2)), 0);
  options.check_source_gid = true;
  server->set_options(options);
  EXPECT_EQ(from_gid(gid(2)), kNoAnswer);
  EXPECT_EQ(from_gid(make_gid(options.subnet_prefix + 1, guid(1))), kNoAnswer);
  EXPECT_EQ(from_gid(Gid{}), kNoAnswer);
  EXPECT_EQ(refused(sa::Refusal::kSourceGid), 3u);
  EXPECT_EQ(from_gid(gid(1)), 0);
  EXPECT_EQ(from_gid(make_gid(kLinkLocalPrefix, guid(1))), 0);
  EXPECT_EQ(from_gid(make_gid(options.subnet_prefix, Guid(0x77))), 0)
      << "the GID has the alias GUID of the port";
  EXPECT_EQ(send_request(1, Method::kGet, SaAttribute::kClassPortInfo), 0)
      << "a request without a GRH is accepted";
}

TEST_F(Trust, LimitsTheRequestsOfAPortIn100Milliseconds) {
  options.rate_threshold = 3;
  server->set_options(options);
  const auto at = [&](unsigned from, int ms) {
    return send(from, subnet.client->request(Method::kGet, SaAttribute::kClassPortInfo),
                std::chrono::milliseconds(ms));
  };
  for (const int ms : {0, 50, 99}) EXPECT_EQ(at(1, ms), 0) << ms;
  EXPECT_EQ(at(1, 99), kNoAnswer);
  EXPECT_EQ(at(2, 99), 0) << "another port has its own limit";
  EXPECT_EQ(refused(sa::Refusal::kRate), 1u);
  for (const int ms : {100, 150, 199}) EXPECT_EQ(at(1, ms), 0) << ms;
  EXPECT_EQ(at(1, 199), kNoAnswer);
  options.rate_threshold = 0;
  server->set_options(options);
  EXPECT_EQ(at(1, 199), 0);
}

TEST_F(Trust, InThePublicKeyIsLimitedToTheManagerPortUnlessConfigured) {
  const auto status = [&](unsigned from, std::uint64_t key) {
    return send_request(from, sa_method::kGetTable, SaAttribute::kPkeyTableRecord, 0, key);
  };
  EXPECT_EQ(status(3, 1), mad_status::kGood) << "trust_public_key is set";
  options.trust_public_key = false;
  start(options);
  EXPECT_EQ(status(0, 1), mad_status::kGood) << "the port of the manager is trusted";
  EXPECT_EQ(status(3, 1), status(3, 0))
      << "a request with the public key has the status of a request without a key";
  EXPECT_NE(status(3, 1), mad_status::kGood);
  EXPECT_EQ(send_request(3, Method::kGet, SaAttribute::kPathRecord,
                         mask_of({sa::path_bit::kSgid, sa::path_bit::kDgid}), path(3, 2), 1),
            mad_status::kGood)
      << "the public key is not treated as a wrong key";
  options.sa_key = SmKey(7);
  start(options);
  EXPECT_EQ(status(3, 7), mad_status::kGood) << "a secret key grants trust";
  EXPECT_EQ(status(3, 1), kNoAnswer);
}

TEST(Refusals, AreCountedAndLoggedAtMostOnceAMinutePerReason) {
  sa::Refusals refusals;
  for (int ms = 0; ms < 60'000; ++ms)
    refusals.count(sa::Refusal::kGroups, Guid(1), Lid(1), std::chrono::milliseconds(ms));
  EXPECT_EQ(refusals.of(sa::Refusal::kGroups), 60'000u);
  EXPECT_EQ(refusals.logged(), 1u);
  refusals.count(sa::Refusal::kAlias, Guid(1), Lid(1), TimeNs{0});
  EXPECT_EQ(refusals.logged(), 2u);
  refusals.count(sa::Refusal::kGroups, Guid(1), Lid(1), std::chrono::minutes(1));
  EXPECT_EQ(refusals.logged(), 3u);
}

}  // namespace
}  // namespace weft
