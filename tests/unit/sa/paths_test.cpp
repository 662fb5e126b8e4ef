// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Queries for PathRecords: selectors of MTU and rate, SLs, P_Keys, routers, reversible paths, and
// limits of QoS levels.
#include "sa/paths/paths.h"
#include <fstream>

#include "ib/rates.h"
#include "support/sa_subnet.h"

namespace weft {
namespace {

std::uint64_t bits(std::initializer_list<unsigned> numbers) {
  std::uint64_t mask = 0;
  for (const unsigned number : numbers) mask |= std::uint64_t{1} << number;
  return mask;
}

class Paths : public ::testing::Test {
 protected:
  void SetUp() override { subnet.start(); }
  Gid gid(Lid lid) {
    const Fabric& fabric = subnet.snapshot().fabric;
    return make_gid(subnet.options.subnet_prefix,
                    fabric.port(fabric.endport(fabric.endport_of(lid)).port).guid);
  }
  /// Requests a path from the manager to the client, with the further components `more`. Returns
  /// the reply, or nothing if none arrives.
  std::optional<SaReply> get(std::initializer_list<unsigned> more, PathRecord wanted) {
    wanted.sgid = gid(subnet.snapshot().sm_lid());
    wanted.dgid = gid(subnet.snapshot().fabric.endport(subnet.client_endport()).lid);
    return subnet.client->query(subnet.client->request(Method::kGet, SaAttribute::kPathRecord,
                                                       bits({2, 3}) | bits(more), wanted));
  }
  SaSubnet subnet{fabric_of("fattree2:k=4")};
};

TEST_F(Paths, AreReturnedFromOneSourceToAllEndports) {
  PathRecord wanted;
  wanted.slid = subnet.snapshot().sm_lid();
  const auto reply = subnet.client->query(
      subnet.client->request(sa_method::kGetTable, SaAttribute::kPathRecord, bits({5}), wanted));
  ASSERT_TRUE(reply);
  ASSERT_EQ(reply->count(), subnet.snapshot().fabric.endport_count());
  for (std::size_t i = 0; i < reply->count(); ++i) {
    const PathRecord path = decode_path_record(reply->at<PathRecord>(i));
    EXPECT_EQ(path.slid, wanted.slid);
    EXPECT_EQ(path.dgid, gid(path.dlid));
    EXPECT_EQ(path.pkey, Pkey(0xFFFF));
    EXPECT_EQ(path.life, path.dlid == path.slid ? 0 : 18);
    EXPECT_TRUE(path.reversible);
  }
}

// On a ring, VLs break the cycle of channel dependencies, so a request cannot select another SL.
TEST(PathsOfARing, HaveOnlyTheSlOfTheDeadlockFreeRoutes) {
  SaSubnet subnet{fabric_of("torus:6,hosts=1")};
  subnet.managed.options.routing_engine = {{"lash"}, false};
  subnet.start();
  const Fabric& fabric = subnet.snapshot().fabric;
  const Routes& routes = subnet.snapshot().routes;
  ASSERT_NE(routes.path_sl.kind(), PathSl::Kind::kUniform);
  unsigned other_sls = 0;
  const EndportId own = subnet.client_endport();
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e) {
    if (EndportId(e) == own) continue;
    const Lid dlid = fabric.endport(EndportId(e)).lid;
    const Sl prescribed = routes.path_sl.sl(fabric, own, dlid);
    if (prescribed != Sl(0)) ++other_sls;
    PathRecord wanted;
    wanted.slid = fabric.endport(own).lid;
    wanted.dlid = dlid;
    const auto query = [&](std::initializer_list<unsigned> more) {
      return subnet.client->query(subnet.client->request(Method::kGet, SaAttribute::kPathRecord,
                                                         bits({4, 5}) | bits(more), wanted));
    };
    const auto free = query({});
    ASSERT_TRUE(free && free->status == 0);
    EXPECT_EQ(decode_path_record(free->at<PathRecord>(0)).sl, prescribed);
    for (std::uint8_t sl = 0; sl < 3; ++sl) {
      wanted.sl = Sl(sl);
      const auto reply = query({15});
      ASSERT_TRUE(reply);
      EXPECT_EQ(reply->status, Sl(sl) == prescribed ? mad_status::kGood : sa_status::kNoRecords);
      if (Sl(sl) != prescribed) continue;
      EXPECT_EQ(decode_path_record(reply->at<PathRecord>(0)).sl, prescribed);
    }
  }
  EXPECT_GT(other_sls, 0u);
}

TEST_F(Paths, MatchTheSelectorsOfMtuAndRate) {
  const auto plain = get({}, {});
  ASSERT_TRUE(plain && plain->status == 0);
  const PathRecord plain_path = decode_path_record(plain->at<PathRecord>(0));
  const auto mtu = [&](Selector selector, unsigned value) -> int {
    PathRecord wanted;
    wanted.mtu_selector = selector;
    wanted.mtu = static_cast<std::uint8_t>(value);
    const auto reply = get({16, 17}, wanted);
    if (!reply) return -1;
    return reply->status == 0 ? decode_path_record(reply->at<PathRecord>(0)).mtu
                              : -int{reply->status};
  };
  EXPECT_EQ(mtu(Selector::kGreater, plain_path.mtu - 1u), plain_path.mtu);
  EXPECT_EQ(mtu(Selector::kGreater, plain_path.mtu), -int{sa_status::kNoRecords});
  EXPECT_EQ(mtu(Selector::kLess, plain_path.mtu), plain_path.mtu - 1);
  EXPECT_EQ(mtu(Selector::kLess, 1), -int{sa_status::kNoRecords});
  EXPECT_EQ(mtu(Selector::kExactly, 1), 1);
  EXPECT_EQ(mtu(Selector::kBest, 1), plain_path.mtu);
  EXPECT_EQ(mtu(Selector::kBest, 0), -int{sa_status::kRequestInvalid});
  EXPECT_EQ(mtu(Selector::kLess, 6), -int{sa_status::kRequestInvalid});
  PathRecord wanted;
  wanted.rate_selector = Selector::kLess;
  wanted.rate = plain_path.rate;
  const auto slower = get({18, 19}, wanted);
  ASSERT_TRUE(slower && slower->status == 0);
  EXPECT_EQ(decode_path_record(slower->at<PathRecord>(0)).rate, slower_rate(plain_path.rate));
}

TEST_F(Paths, ContradictingIdentifiersAreInvalid) {
  PathRecord wanted;
  wanted.slid = subnet.snapshot().fabric.endport(EndportId(0)).lid;
  const auto reply = get({5}, wanted);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, sa_status::kRequestInvalid);
}

TEST(PathRates, RoundsRatesAfterEdrDownToOriginalRates) {
  for (unsigned code = 2; code <= 18; ++code)
    EXPECT_EQ(rate_up_to(static_cast<std::uint8_t>(code), kOriginalRateLast), code);
  EXPECT_EQ(rate_up_to(20, kOriginalRateLast), 7);   // 1xHDR, 50 Gb/s: 40
  EXPECT_EQ(rate_up_to(21, kOriginalRateLast), 18);  // 400 Gb/s: 300
  EXPECT_EQ(rate_up_to(24, kOriginalRateLast), 18);
}

TEST_F(Paths, HaveOriginalRatesWhenConfigured) {
  auto snapshot = std::make_shared<Snapshot>(subnet.snapshot());
  const PortId own = snapshot->fabric.endport(snapshot->sm).port;
  const Port& port = snapshot->fabric.port(own);
  PortInfo& info = snapshot->nodes[port.node.value()].ports[port.num.value()];
  info.link_width_active = 2;
  info.link_speed_ext_active = 8;  // 4xNDR
  SaOptions options;
  EXPECT_EQ(SaView(snapshot, options).limits(own).rate, 21);
  options.max_rate_enum = kOriginalRateLast;
  EXPECT_EQ(SaView(snapshot, options).limits(own).rate, 18);
}

TEST(PathLids, BeginWithPairsOfEqualPathBits) {
  std::vector<sa::LidPair> pairs;
  sa::for_lid_pairs({Lid(4), 2}, {Lid(8), 2}, [&](const sa::LidPair& pair) {
    pairs.push_back(pair);
    return true;
  });
  ASSERT_EQ(pairs.size(), 4u);
  EXPECT_EQ(pairs[0].dlid, Lid(8));
  EXPECT_EQ(pairs[1].slid, Lid(5));
  EXPECT_EQ(pairs[1].dlid, Lid(9));
  EXPECT_EQ(pairs[1].preference, 0);
  EXPECT_EQ(pairs[2].preference, 2);
}

TEST(PathRouters, AreReadInOrderFromTheFile) {
  const TempDir dir;
  const std::string file = dir.path() + "/prefix-routes.conf";
  std::ofstream(file) << "# far\nfec0000000000001 0x99\n0xfec0000000000001 *\n";
  const auto routes = read_prefix_routes(file);
  ASSERT_TRUE(routes) << routes.error().message;
  ASSERT_EQ(routes->size(), 2u);
  EXPECT_EQ((*routes)[0].router, Guid(0x99));
  EXPECT_FALSE((*routes)[1].router);
  std::ofstream(file) << "fec0 zz\n";
  EXPECT_EQ(read_prefix_routes(file).error().message,
            file + ":1:6: found 'zz', expected the GUID of a router's port in hex, or *");
}

TEST_F(Paths, HaveTheMtuOfActiveLinks) {
  const auto mtu = [&] {
    const auto reply = get({}, {});
    return reply ? decode_path_record(reply->at<PathRecord>(0)).mtu : 0;
  };
  auto snapshot = std::make_shared<Snapshot>(subnet.snapshot());
  const Port& client =
      snapshot->fabric.port(snapshot->fabric.endport(subnet.client_endport()).port);
  PortInfo& info = snapshot->nodes[client.node.value()].ports[client.num.value()];
  EXPECT_EQ(mtu(), info.mtu_cap);
  info.neighbor_mtu = 2;  // as if set by another manager; live_link_changes is `wait`
  subnet.server->publish(snapshot);
  EXPECT_EQ(mtu(), 2);
  auto armed = std::make_shared<Snapshot>(*snapshot);
  armed->nodes[client.node.value()].ports[client.num.value()].state = PortState::kArmed;
  subnet.server->publish(armed);
  EXPECT_EQ(mtu(), 2);
  auto down = std::make_shared<Snapshot>(*snapshot);
  down->nodes[client.node.value()].ports[client.num.value()].state = PortState::kInit;
  subnet.server->publish(down);
  EXPECT_EQ(mtu(), info.mtu_cap) << "the manager sets another MTU before the link carries data";
}

TEST(PathsByGid, AcceptLinkLocalGidsUnderAnotherPrefix) {
  constexpr std::uint64_t kOwn = 0xFEC0'0000'0000'0007;
  SaSubnet subnet{fabric_of("fattree2:k=4")};
  subnet.managed.options.subnet_prefix = subnet.options.subnet_prefix = kOwn;
  // Paths to other subnets may use any router.
  subnet.options.prefix_routes = {{std::nullopt, std::nullopt}};
  subnet.start();
  const Fabric& known = subnet.snapshot().fabric;
  const Endport& manager = known.endport(subnet.snapshot().sm);
  const auto query = [&](std::uint64_t source, std::uint64_t destination, Guid guid) {
    PathRecord wanted;
    wanted.sgid = make_gid(source, known.port(known.endport(subnet.client_endport()).port).guid);
    wanted.dgid = make_gid(destination, guid);
    return subnet.client->query(
        subnet.client->request(Method::kGet, SaAttribute::kPathRecord, bits({2, 3}), wanted));
  };
  for (const std::uint64_t source : {kOwn, kLinkLocalPrefix})
    for (const std::uint64_t destination : {kOwn, kLinkLocalPrefix}) {
      const auto reply = query(source, destination, known.port(manager.port).guid);
      ASSERT_TRUE(reply && reply->status == 0) << std::hex << source << " " << destination;
      const PathRecord path = decode_path_record(reply->at<PathRecord>(0));
      EXPECT_EQ(path.dlid, manager.lid);
      EXPECT_EQ(prefix_of(path.sgid), source) << "the answer has the prefixes of the request";
      EXPECT_EQ(prefix_of(path.dgid), destination);
    }
  for (const auto& [prefix, guid] :
       {std::pair(kOwn + 1, known.port(manager.port).guid), std::pair(kOwn, Guid(0)),
        std::pair(kLinkLocalPrefix, Guid(0))})
    EXPECT_NE(query(kOwn, prefix, guid)->status, 0) << std::hex << prefix << " " << guid.value();
}

/// Paths from a switch to a switch with a higher number have SL 1, all other paths SL 0.
class ReversiblePaths : public ::testing::Test {
 protected:
  void SetUp() override {
    subnet.start();
    const std::uint32_t switches = subnet.snapshot().fabric.switch_count();
    std::vector<std::uint8_t> sls(std::size_t{switches} * switches, 0);
    for (std::uint32_t a = 0; a < switches; ++a)
      for (std::uint32_t b = a + 1; b < switches; ++b) sls[a * switches + b] = 1;
    snapshot_ = std::make_shared<Snapshot>(subnet.snapshot());
    snapshot_->routes.path_sl = PathSl::by_switch_pair(switches, std::move(sls));
    ASSERT_TRUE(snapshot_->verdict.verified && snapshot_->verdict.ok());
  }
  void ignore_replies(bool ignored) {
    snapshot_->verdict.replies_ignored = ignored;
    subnet.server->publish(std::make_shared<const Snapshot>(*snapshot_));
  }
  bool is_reversible(EndportId source, EndportId destination) {
    const Fabric& fabric = snapshot_->fabric;
    PathRecord wanted;
    wanted.slid = fabric.endport(source).lid;
    wanted.dlid = fabric.endport(destination).lid;
    const auto get = [&](std::initializer_list<unsigned> component_bits) {
      return subnet.client->query(subnet.client->request(Method::kGet, SaAttribute::kPathRecord,
                                                         bits(component_bits), wanted));
    };
    const auto reply = get({4, 5});
    EXPECT_TRUE(reply && reply->status == 0);
    const bool reversible = reply && decode_path_record(reply->at<PathRecord>(0)).reversible;
    wanted.reversible = true;  // requests reversible paths only
    const auto again = get({4, 5, 11});
    EXPECT_EQ(again && again->status == 0, reversible);
    return reversible;
  }
  EndportId host_of(std::uint32_t sw, std::size_t index) const {
    return snapshot_->fabric.endports_at(SwitchId(sw))[index];
  }
  SaSubnet subnet{Tiny(2).link(0, 1).hosts(0, 2).hosts(1, 2).build()};

 private:
  std::shared_ptr<Snapshot> snapshot_;
};

TEST_F(ReversiblePaths, AreThoseWithACaAtAnEndIfRepliesAreVerified) {
  ignore_replies(false);
  EXPECT_TRUE(is_reversible(host_of(0, 0), host_of(1, 0)));
  EXPECT_TRUE(is_reversible(EndportId(0), host_of(1, 0)));
  EXPECT_FALSE(is_reversible(EndportId(0), EndportId(1)))
      << "the reply path between these switches has another SL";
}

TEST_F(ReversiblePaths, HaveEqualSlsInBothDirectionsIfRepliesAreNotVerified) {
  ignore_replies(true);
  EXPECT_FALSE(is_reversible(host_of(0, 0), host_of(1, 0)));
  EXPECT_FALSE(is_reversible(EndportId(0), host_of(1, 0)));
  EXPECT_TRUE(is_reversible(host_of(0, 0), host_of(0, 1)));
}

/// The client and host 1 are limited members of partition A and full members of partition B. In
/// partition C the client is a limited and host 1 a full member.
TEST(PathsOfPartitions, RequireMatchingPortsInTheRequestedPartition) {
  SaSubnet subnet{fabric_of("fattree2:k=4")};
  const Fabric& real = subnet.managed.fabric();
  const auto guid = [&](EndportId endport) { return real.port(real.endport(endport).port).guid; };
  const Guid own = guid(subnet.emulated_client_endport()),
             other = guid(EndportId(real.switch_count() + 1));
  std::vector<std::string> warnings;
  auto file = parse_partitions(
      fmt::format("A=0x10: 0x{0:x}=limited, 0x{1:x}=limited;\nB=0x20: 0x{0:x}=full, "
                  "0x{1:x}=full;\nC=0x30: 0x{0:x}=limited, 0x{1:x}=full;\n",
                  own.value(), other.value()),
      "p", warnings);
  ASSERT_TRUE(file);
  subnet.managed.options.partitions = *file;
  subnet.start();
  PathRecord wanted;
  wanted.sgid = make_gid(subnet.options.subnet_prefix, own);
  wanted.dgid = make_gid(subnet.options.subnet_prefix, other);
  const auto by = [&](unsigned pkey) {
    wanted.pkey = Pkey(static_cast<std::uint16_t>(pkey));
    const auto reply = subnet.client->query(
        subnet.client->request(Method::kGet, SaAttribute::kPathRecord, bits({2, 3, 13}), wanted));
    return reply ? reply->status : std::uint16_t{0xFFFF};
  };
  for (const unsigned pkey : {0x8010u, 0x0010u, 0xFFFFu, 0x7FFFu, 0x8040u, 0x8000u})
    EXPECT_EQ(by(pkey), sa_status::kNoRecords) << std::hex << pkey;
  for (const unsigned pkey : {0x8020u, 0x0020u, 0x8030u})
    EXPECT_EQ(by(pkey), mad_status::kGood) << std::hex << pkey;
}

TEST_F(Paths, HaveTheLimitsOfTheQosLevelIfLower) {
  const auto plain = get({}, {});
  ASSERT_TRUE(plain && plain->status == 0);
  const PathRecord plain_path = decode_path_record(plain->at<PathRecord>(0));
  const auto limited_to = [&](unsigned rate, unsigned mtu) {
    std::vector<std::string> warnings;
    auto policy = parse_qos_policy(
        fmt::format("qos-levels\nqos-level\nname: DEFAULT\nsl: 0\nmtu-limit: {}\nrate-limit: {}\n"
                    "end-qos-level\nend-qos-levels\n",
                    mtu, rate),
        "p", warnings);
    EXPECT_TRUE(policy.has_value());
    auto snapshot = std::make_shared<Snapshot>(subnet.snapshot());
    snapshot->qos = QosMatcher(std::move(*policy), snapshot->fabric, snapshot->sm,
                               partitions_without_file(), warnings);
    subnet.server->publish(snapshot);
    const auto reply = get({}, {});
    EXPECT_TRUE(reply && reply->status == 0);
    return decode_path_record(reply->at<PathRecord>(0));
  };
  const std::uint8_t slower = slower_rate(plain_path.rate);
  ASSERT_NE(slower, 0);
  EXPECT_EQ(limited_to(slower, plain_path.mtu).rate, slower);
  EXPECT_EQ(limited_to(plain_path.rate, plain_path.mtu).rate, plain_path.rate);
  std::uint8_t faster = plain_path.rate;
  for (std::uint8_t code = 2; code <= 63; ++code)
    if (data_rate_of(code) > data_rate_of(plain_path.rate)) faster = code;
  ASSERT_NE(faster, plain_path.rate);
  EXPECT_EQ(limited_to(faster, plain_path.mtu).rate, plain_path.rate);
  EXPECT_EQ(limited_to(plain_path.rate, plain_path.mtu - 1u).mtu, plain_path.mtu - 1);
  EXPECT_EQ(limited_to(plain_path.rate, 5).mtu, plain_path.mtu);
}

TEST(PathRouters, AreTheDestinationsOfPathsToThePrefix) {
  constexpr std::uint64_t kNear = 0xFEC0'0000'0000'0001, kFar = 0xFEC0'0000'0000'0002;
  SaSubnet subnet{fabric_of("fattree2:k=4")};
  const Fabric& real = subnet.managed.fabric();
  const Guid router = real.port(real.endport(EndportId(real.switch_count() + 2)).port).guid;
  subnet.options.prefix_routes = {{kNear, router},
                                  {kFar, std::nullopt}};  // any router: the fabric has none
  subnet.start();
  const Fabric& known = subnet.snapshot().fabric;
  PathRecord wanted;
  wanted.slid = subnet.snapshot().sm_lid();
  const auto to = [&](std::uint64_t prefix) {
    wanted.dgid = make_gid(prefix, Guid(0x1234));
    return subnet.client->query(
        subnet.client->request(Method::kGet, SaAttribute::kPathRecord, bits({2, 5}), wanted));
  };
  const auto reply = to(kNear);
  ASSERT_TRUE(reply && reply->status == 0);
  const PathRecord path = decode_path_record(reply->at<PathRecord>(0));
  EXPECT_EQ(path.dlid, known.endport(*known.find_endport(router)).lid);
  EXPECT_EQ(path.dgid, wanted.dgid);
  EXPECT_GT(path.hop_limit, 1);
  for (const std::uint64_t prefix : {kFar, kFar + 1}) {
    const auto none = to(prefix);
    ASSERT_TRUE(none);
    EXPECT_NE(none->status, 0) << std::hex << prefix;
  }
}

}  // namespace
}  // namespace weft
