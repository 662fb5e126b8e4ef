// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MultiPathRecords: paths between several sources and several destinations.
#include "sa/paths/paths.h"
#include "support/sa_subnet.h"

namespace weft {
namespace {

constexpr std::uint64_t kCounts = 1u << 19 | 1u << 20;
constexpr std::uint64_t kNumbPathBit = 1u << 6;

class MultiPaths : public ::testing::Test {
 protected:
  void SetUp() override {
    subnet.managed.options.lmc = 1;
    subnet.start();
  }
  /// GID of the n-th host.
  Gid gid(unsigned host) {
    const Fabric& fabric = subnet.managed.fabric();
    return make_gid(subnet.options.subnet_prefix,
                    fabric.port(fabric.endport(EndportId(fabric.switch_count() + host)).port).guid);
  }
  std::optional<SaReply> query(MultiPathRecord wanted, std::span<const Gid> gids,
                               std::uint64_t mask = kCounts, Method method = sa_method::kGetMulti) {
    Gmp gmp = subnet.client->request(method, SaAttribute::kMultiPathRecord, mask, wanted);
    for (std::size_t i = 0; i < gids.size(); ++i)
      std::ranges::copy(gids[i], sa_data(gmp).begin() + MultiPathRecord::kSize + i * sizeof(Gid));
    return subnet.client->query(gmp);
  }
  static MultiPathRecord counts(std::uint8_t sources, std::uint8_t destinations) {
    MultiPathRecord wanted;
    wanted.sgid_count = sources;
    wanted.dgid_count = destinations;
    return wanted;
  }
  std::optional<Lid> base_lid(const Gid& gid) {
    const auto endport = subnet.snapshot().fabric.find_endport(guid_of(gid));
    if (!endport) return std::nullopt;
    return subnet.snapshot().fabric.endport(*endport).lid;
  }
  SaSubnet subnet{fabric_of("fattree2:k=4")};
};

TEST_F(MultiPaths, EqualThePathRecordsOfEachPair) {
  const std::array gids{gid(0), gid(1), gid(5), gid(6), gid(7)};
  const auto reply = query(counts(2, 3), gids);
  ASSERT_TRUE(reply && reply->status == 0);
  std::map<std::pair<Gid, Gid>, unsigned> found;
  for (std::size_t i = 0; i < reply->count(); ++i) {
    const PathRecord path = decode_path_record(reply->at<PathRecord>(i));
    ++found[{path.sgid, path.dgid}];
    EXPECT_EQ(path.slid.value() & ~1u, base_lid(path.sgid)->value());
    EXPECT_EQ(path.dlid.value() & ~1u, base_lid(path.dgid)->value());
    PathRecord same;
    same.slid = path.slid;
    same.dlid = path.dlid;
    const auto one = subnet.client->query(
        subnet.client->request(Method::kGet, SaAttribute::kPathRecord, 1u << 4 | 1u << 5, same));
    ASSERT_TRUE(one && one->status == 0);
    same = decode_path_record(one->at<PathRecord>(0));
    EXPECT_EQ(path.sl, same.sl);
    EXPECT_EQ(path.mtu, same.mtu);
    EXPECT_EQ(path.rate, same.rate);
    EXPECT_EQ(path.pkey, same.pkey);
  }
  EXPECT_EQ(found.size(), 6u);
  for (const auto& [pair, count] : found) EXPECT_GE(count, 2u);  // LMC 1: several paths per pair
}

TEST_F(MultiPaths, AreLimitedToTheRequestedNumberPerPair) {
  const std::array gids{gid(0), gid(1), gid(6), gid(7)};
  for (const std::uint8_t most : std::initializer_list<std::uint8_t>{1, 2}) {
    MultiPathRecord wanted = counts(2, 2);
    wanted.numb_path = most;
    const auto reply = query(wanted, gids, kCounts | kNumbPathBit);
    ASSERT_TRUE(reply && reply->status == 0);
    EXPECT_EQ(reply->count(), 4u * most);
  }
}

TEST_F(MultiPaths, AreRefusedForUnknownOrMissingPorts) {
  const std::array gids{gid(0), gid(7)};
  const auto status = [&](const std::optional<SaReply>& reply) {
    return reply ? reply->status : std::uint16_t{0xFFFF};
  };
  EXPECT_EQ(status(query(counts(1, 1), gids)), mad_status::kGood);
  EXPECT_EQ(status(query(counts(1, 1), gids, 1u << 19)), sa_status::kInsufficientComponents);
  EXPECT_EQ(status(query(counts(1, 1), gids, 1u << 20)), sa_status::kInsufficientComponents);
  EXPECT_EQ(status(query(counts(0, 1), gids)), sa_status::kRequestInvalid);
  EXPECT_EQ(status(query(counts(1, 0), gids)), sa_status::kRequestInvalid);
  EXPECT_EQ(status(query(counts(200, 200), gids)),
            sa_status::kInvalidGid);  // more GIDs than fit into the record
  const std::array with_unknown_gid{gid(0), make_gid(subnet.options.subnet_prefix, Guid(0xDEAD))};
  EXPECT_EQ(status(query(counts(1, 1), with_unknown_gid)), sa_status::kInvalidGid);
  EXPECT_EQ(status(query(counts(1, 1), gids, kCounts, Method::kGet)), sa_status::kRequestInvalid);
}

TEST_F(MultiPaths, MatchTheRequestedMtu) {
  const std::array gids{gid(0), gid(7)};
  const auto free = query(counts(1, 1), gids);
  ASSERT_TRUE(free && free->count() > 0);
  const PathRecord path = decode_path_record(free->at<PathRecord>(0));
  MultiPathRecord wanted = counts(1, 1);
  wanted.mtu_selector = Selector::kGreater;
  wanted.mtu = path.mtu;
  const auto greater = query(wanted, gids, kCounts | 1u << 10 | 1u << 11);
  EXPECT_TRUE(greater && greater->count() == 0);
  wanted.mtu_selector = Selector::kExactly;
  const auto exact = query(wanted, gids, kCounts | 1u << 10 | 1u << 11);
  EXPECT_TRUE(exact && exact->count() == free->count());
}

}  // namespace
}  // namespace weft
