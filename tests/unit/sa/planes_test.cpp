// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Queries of hosts with a port in each of several planes.
#include <map>
#include <utility>
#include <vector>

#include "sa/reporter.h"
#include "support/sa_subnet.h"

namespace weft {
namespace {

class PlanesOfTheSa : public ::testing::Test {
 protected:
  void start(const std::string& spec, const EmulatorOptions& emulator = {}) {
    subnet.emplace(fabric_of(spec), SaOptions{}, emulator);
    subnet->managed.use_all_ports();
    subnet->start();
  }
  Guid guid(unsigned host, unsigned plane) const {
    const Fabric& fabric = subnet->managed.fabric();
    return fabric.ports(NodeId(fabric.switch_count() + host))[plane].guid;
  }
  Gid gid(unsigned host, unsigned plane) const {
    return make_gid(subnet->options.subnet_prefix, guid(host, plane));
  }
  Lid lid(Guid port) const {
    const Fabric& known = subnet->snapshot().fabric;
    return known.endport(*known.find_endport(port)).lid;
  }
  std::optional<SaReply> path(const Gid& from, const Gid& to) {
    PathRecord wanted;
    wanted.sgid = from;
    wanted.dgid = to;
    return subnet->client->query(
        subnet->client->request(Method::kGet, SaAttribute::kPathRecord, 0xC, wanted));
  }

  std::optional<SaSubnet> subnet;
};

/// The client sends requests from its port in the last plane to the manager's LID in that plane.
TEST_F(PlanesOfTheSa, APathIsInThePlaneOfThePorts) {
  start("fattree2:k=4,planes=4,speed=XDR,width=1x");
  for (unsigned plane = 1; plane <= 4; ++plane) {
    const auto reply = path(gid(7, plane), gid(0, plane));
    ASSERT_TRUE(reply && reply->status == 0) << plane;
    const PathRecord found = decode_path_record(reply->at<PathRecord>(0));
    EXPECT_EQ(found.slid, lid(guid(7, plane)));
    EXPECT_EQ(found.dlid, lid(guid(0, plane)));
    EXPECT_EQ(found.rate, 17) << "rate 17 is 200 Gbit/s, one lane of XDR";
  }
}

TEST_F(PlanesOfTheSa, NoPathConnectsDifferentPlanes) {
  start("fattree2:k=4,planes=2");
  const auto reply = path(gid(3, 1), gid(0, 2));
  ASSERT_TRUE(reply);
  EXPECT_NE(reply->status, 0);
}

TEST_F(PlanesOfTheSa, AllGidsOfTwoHostsHaveAPathInEachUsablePlane) {
  for (const bool damaged : {false, true}) {
    start(std::string("fattree2:k=4,planes=4") + (damaged ? ",plane_down=1" : ""));
    MultiPathRecord wanted;
    wanted.sgid_count = wanted.dgid_count = damaged ? 3 : 4;
    Gmp gmp = subnet->client->request(sa_method::kGetMulti, SaAttribute::kMultiPathRecord,
                                      1u << 19 | 1u << 20, wanted);
    std::size_t at = MultiPathRecord::kSize;
    for (const unsigned host : {2u, 5u})
      for (unsigned plane = damaged ? 2 : 1; plane <= 4; ++plane, at += sizeof(Gid))
        std::ranges::copy(gid(host, plane), sa_data(gmp).begin() + at);
    const auto reply = subnet->client->query(gmp);
    ASSERT_TRUE(reply && reply->status == 0);
    std::map<Gid, Gid> found;
    for (std::size_t i = 0; i < reply->count(); ++i) {
      const PathRecord record = decode_path_record(reply->at<PathRecord>(i));
      found[record.sgid] = record.dgid;
    }
    EXPECT_EQ(found.size(), damaged ? 3u : 4u);
    for (unsigned plane = damaged ? 2 : 1; plane <= 4; ++plane)
      EXPECT_EQ(found[gid(2, plane)], gid(5, plane));
  }
}

/// Plane ports with one GUID. The client sends requests from its port in the last plane.
class SharedPlaneGids : public PlanesOfTheSa {
 protected:
  void SetUp() override { start_without({}); }
  /// Starts a subnet in which these plane ports {host, plane} have no link.
  void start_without(std::vector<std::pair<unsigned, std::uint8_t>> cut) {
    EmulatorOptions emulator;
    emulator.planar = PlanarSupport::kAll;
    emulator.shared_aport_guids = true;
    subnet.emplace(fabric_of("fattree2:k=4,planes=4"), SaOptions{}, emulator);
    subnet->managed.use_all_ports();
    const Fabric& fabric = subnet->managed.fabric();
    for (const auto& [host, plane] : cut)
      subnet->managed.emulated().cut_cable(
          fabric.port_id(NodeId(fabric.switch_count() + host), PortNum(plane)));
    subnet->start();
  }
  /// Expects one record for two hosts, with the LIDs of a plane.
  void expect_path(unsigned from, unsigned to, std::uint8_t plane) {
    const auto reply = path(gid(from, 1), gid(to, 1));
    ASSERT_TRUE(reply && reply->status == 0) << from << " to " << to;
    const PathRecord found = decode_path_record(reply->at<PathRecord>(0));
    EXPECT_EQ(found.slid, lid_in(from, plane)) << from << " to " << to;
    EXPECT_EQ(found.dlid, lid_in(to, plane)) << from << " to " << to;
    EXPECT_EQ(found.sgid, gid(from, 1));
    EXPECT_EQ(found.dgid, gid(to, 1));
  }
  Lid lid_in(unsigned host, std::uint8_t plane) const {
    const Fabric& known = subnet->snapshot().fabric;
    const NodeId node(known.switch_count() + host);
    return known.endport(known.endport_at(known.port_id(node, PortNum(plane)))).lid;
  }
};

TEST_F(SharedPlaneGids, HaveAPathInThePlaneOfTheRequester) {
  const auto reply = path(gid(7, 1), gid(0, 1));
  ASSERT_TRUE(reply && reply->status == 0);
  const PathRecord found = decode_path_record(reply->at<PathRecord>(0));
  EXPECT_EQ(found.slid, lid_in(7, 4));
  EXPECT_EQ(found.dlid, lid_in(0, 4));
  EXPECT_EQ(found.dgid, gid(0, 1));
}

TEST_F(SharedPlaneGids, HaveAPathInThePlaneOfTheRequestedLid) {
  for (const bool has_slid : {true, false}) {
    PathRecord wanted;
    wanted.sgid = gid(7, 1);
    wanted.dgid = gid(0, 1);
    wanted.slid = lid_in(7, 2);
    wanted.dlid = lid_in(0, 2);
    const auto reply = subnet->client->query(subnet->client->request(
        Method::kGet, SaAttribute::kPathRecord, 0xC | (has_slid ? 1u << 5 : 1u << 4), wanted));
    ASSERT_TRUE(reply && reply->status == 0) << has_slid;
    const PathRecord found = decode_path_record(reply->at<PathRecord>(0));
    EXPECT_EQ(found.slid, lid_in(7, 2));
    EXPECT_EQ(found.dlid, lid_in(0, 2));
  }
}

/// The plane of the requester is plane 4.
TEST_F(SharedPlaneGids, HaveAPathInAPlaneThatConnectsBothHosts) {
  start_without({{1, 4}, {2, 1}, {3, 4}, {3, 1}});
  expect_path(7, 4, 4);
  expect_path(2, 7, 4);
  expect_path(7, 1, 1);
  expect_path(1, 7, 1);
  expect_path(1, 2, 2);
  expect_path(2, 1, 2);
  expect_path(1, 3, 2);
  expect_path(1, 1, 1);
}

TEST_F(SharedPlaneGids, HaveOnePathFromEachHostInATableOfADestination) {
  start_without({{1, 4}, {2, 1}});
  PathRecord wanted;
  wanted.dgid = gid(1, 1);
  const auto reply = subnet->client->query(
      subnet->client->request(sa_method::kGetTable, SaAttribute::kPathRecord, 0x4, wanted));
  ASSERT_TRUE(reply && reply->status == 0);
  std::map<Gid, std::pair<Lid, Lid>> found;
  for (std::size_t i = 0; i < reply->count(); ++i) {
    const PathRecord record = decode_path_record(reply->at<PathRecord>(i));
    if (subnet->snapshot().fabric.is_switch(
            subnet->snapshot()
                .fabric.endport(subnet->snapshot().fabric.endport_of(record.slid))
                .node))
      continue;
    EXPECT_TRUE(found.try_emplace(record.sgid, record.slid, record.dlid).second);
  }
  EXPECT_EQ(found.size(), 8u);
  for (unsigned host = 0; host < 8; ++host) {
    const std::uint8_t plane = host == 2 ? 2 : 1;
    EXPECT_EQ(found[gid(host, 1)], std::pair(lid_in(host, plane), lid_in(1, plane))) << host;
  }
}

TEST_F(SharedPlaneGids, HaveNoPathInAnotherPlaneThanTheRequestedLid) {
  start_without({{1, 4}});
  PathRecord wanted;
  wanted.sgid = gid(7, 1);
  wanted.dgid = gid(1, 1);
  wanted.slid = lid_in(7, 4);
  const auto reply = subnet->client->query(
      subnet->client->request(Method::kGet, SaAttribute::kPathRecord, 0xC | 1u << 5, wanted));
  ASSERT_TRUE(reply);
  EXPECT_NE(reply->status, 0);
}

/// The first port with the GUID has no link.
TEST_F(SharedPlaneGids, AreFoundByAMultiPathQueryWithoutALinkInTheFirstPlane) {
  start_without({{1, 1}});
  MultiPathRecord wanted;
  wanted.sgid_count = wanted.dgid_count = 1;
  Gmp gmp = subnet->client->request(sa_method::kGetMulti, SaAttribute::kMultiPathRecord,
                                    1u << 19 | 1u << 20, wanted);
  std::ranges::copy(gid(1, 1), sa_data(gmp).begin() + MultiPathRecord::kSize);
  std::ranges::copy(gid(5, 1), sa_data(gmp).begin() + MultiPathRecord::kSize + sizeof(Gid));
  const auto reply = subnet->client->query(gmp);
  ASSERT_TRUE(reply && reply->status == 0);
  ASSERT_EQ(reply->count(), 3u);
  for (std::uint8_t plane = 2; plane <= 4; ++plane)
    EXPECT_EQ(decode_path_record(reply->at<PathRecord>(plane - 2u)).slid, lid_in(1, plane));
}

TEST_F(SharedPlaneGids, HaveAPathInEachPlaneInAMultiPathQuery) {
  MultiPathRecord wanted;
  wanted.sgid_count = wanted.dgid_count = 1;
  Gmp gmp = subnet->client->request(sa_method::kGetMulti, SaAttribute::kMultiPathRecord,
                                    1u << 19 | 1u << 20, wanted);
  std::ranges::copy(gid(2, 1), sa_data(gmp).begin() + MultiPathRecord::kSize);
  std::ranges::copy(gid(5, 1), sa_data(gmp).begin() + MultiPathRecord::kSize + sizeof(Gid));
  const auto reply = subnet->client->query(gmp);
  ASSERT_TRUE(reply && reply->status == 0);
  ASSERT_EQ(reply->count(), 4u);
  for (std::uint8_t plane = 1; plane <= 4; ++plane) {
    const PathRecord record = decode_path_record(reply->at<PathRecord>(plane - 1u));
    EXPECT_EQ(record.slid, lid_in(2, plane));
    EXPECT_EQ(record.dlid, lid_in(5, plane));
  }
}

/// A subscription that is restored from a file, or comes from another manager, has no port.
TEST_F(PlanesOfTheSa, ReportsLeaveInThePlaneOfTheSubscriber) {
  start("fattree2:k=4,planes=2");
  const SaView view(subnet->managed.sm().snapshot(), subnet->options);
  for (unsigned plane = 1; plane <= 2; ++plane) {
    sa::Subscriptions subscriptions;
    sa::Subscription subscription;
    subscription.info.gid = Gid{};
    subscription.info.lid_begin = Lid(0xFFFF);
    subscription.info.generic = true;
    subscription.info.subscribe = true;
    subscription.info.type = 0xFFFF;
    subscription.info.trap = 0xFFFF;
    subscription.info.producer = 0xFFFFFF;
    subscription.subscriber = gid(3, plane);
    ASSERT_TRUE(subscriptions.add(subscription));
    sa::Reporter reporter;
    Notice notice;
    notice.type = NoticeType::kSubnetManagement;
    notice.producer = 4;
    notice.trap = static_cast<std::uint16_t>(TrapNumber::kGroupDeleted);
    reporter.queue_notice({notice, Gid{}, Pkey(0xFFFF)}, view, subscriptions);
    std::vector<Gmp> sent;
    reporter.step(TimeNs{0}, view, subscriptions, [&](const Gmp& gmp) { sent.push_back(gmp); });
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].peer.port, plane);
  }
}

}  // namespace
}  // namespace weft
