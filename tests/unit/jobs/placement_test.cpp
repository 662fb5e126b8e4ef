// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"
#include "unit/jobs/job_networks.h"

namespace weft::jobs {
namespace {

using testing::ElementsAre;

class PlacementTest : public testing::Test {
 protected:
  // Four servers with two rails: hosts 2s and 2s + 1 are the rails of server s.
  const RoutedNetwork network_ = rail_network(4, 2);
  std::vector<bool> taken_ = std::vector<bool>(8);

  Result<std::vector<RankPlace>> places(const std::string& spec, std::uint64_t seed = 1) {
    const JobSpec job = job_of_spec("barrier," + spec);
    return place_ranks(network_, job, find_servers(network_, job.placement.server_hosts), job.ranks,
                       taken_, Rng(seed));
  }
  std::vector<std::uint32_t> hosts(const std::string& spec, std::uint64_t seed = 1) {
    const auto placed = places(spec, seed);
    EXPECT_TRUE(placed.has_value()) << placed.error().message;
    std::vector<std::uint32_t> result;
    for (const RankPlace& place : *placed) result.push_back(place.host);
    return result;
  }
};

TEST_F(PlacementTest, FindsServersByTheNamesOfAdapters) {
  const Servers servers = find_servers(network_, 0);
  ASSERT_EQ(servers.hosts.size(), 4U);
  for (std::uint32_t s = 0; s < 4; ++s)
    EXPECT_THAT(servers.hosts[s], ElementsAre(2 * s, 2 * s + 1));
}

TEST_F(PlacementTest, PackedFillsServersInOrder) {
  EXPECT_THAT(hosts("ranks=3"), ElementsAre(0, 1, 2));
  // The next job begins on a server that has no ranks of other jobs.
  EXPECT_THAT(hosts("ranks=2"), ElementsAre(4, 5));
}

TEST_F(PlacementTest, UsesAllFreeHostsWithoutANumberOfRanks) {
  EXPECT_EQ(hosts("ranks=2").size(), 2U);
  EXPECT_EQ(hosts("placement=packed").size(), 6U);
}

TEST_F(PlacementTest, RailPlacementFillsTheFirstRailOfAllServersFirst) {
  EXPECT_THAT(hosts("ranks=8,placement=rail"), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
}

TEST_F(PlacementTest, RandomPlacementSelectsWholeServersByTheSeed) {
  const auto first = hosts("ranks=8,placement=random", 1);
  std::set<std::vector<std::uint32_t>> different;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    taken_.assign(8, false);
    const auto placed = hosts("ranks=8,placement=random", seed);
    for (std::size_t i = 0; i < 8; i += 2) EXPECT_EQ(placed[i] + 1, placed[i + 1]);
    different.insert(placed);
  }
  EXPECT_GT(different.size(), 5U);
  taken_.assign(8, false);
  EXPECT_EQ(hosts("ranks=8,placement=random", 1), first);
}

TEST_F(PlacementTest, FragmentedKeepsServersOfAFragmentTogether) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    taken_.assign(8, false);
    const auto placed = hosts("ranks=8,placement=fragmented,fragment=2", seed);
    EXPECT_TRUE(placed == (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}) ||
                placed == (std::vector<std::uint32_t>{4, 5, 6, 7, 0, 1, 2, 3}));
  }
}

TEST_F(PlacementTest, SeveralRanksShareAHost) {
  EXPECT_THAT(hosts("ranks=5,ranks_per_host=2"), ElementsAre(0, 0, 1, 1, 2));
}

TEST_F(PlacementTest, ServerHostsOverridesTheNames) {
  const auto placed = places("ranks=8,server_hosts=4");
  ASSERT_TRUE(placed.has_value());
  EXPECT_EQ((*placed)[3].server, 0U);
  EXPECT_EQ((*placed)[3].rail, 3U);
  EXPECT_EQ((*placed)[4].server, 1U);
}

TEST_F(PlacementTest, KeepsTheOrderOfListedHosts) {
  EXPECT_THAT(hosts("hosts=H00000000000100[30,10,50]"), ElementsAre(3, 1, 5));
  const TempDir dir;
  ASSERT_TRUE(write_file((dir / "hosts"), "n3 HCA-1 # first\n\n0x10070\n").has_value());
  EXPECT_THAT(hosts("hosts=file:" + (dir / "hosts")), ElementsAre(6, 7));
}

TEST_F(PlacementTest, NamesTheJobAndTheHostOfAnError) {
  EXPECT_EQ(error_of(places("ranks=9")),
            "--job 'barrier,ranks=9': found 8 free hosts, expected 9 for 9 ranks");
  EXPECT_EQ(error_of(places("hosts=x1")),
            "--job 'barrier,hosts=x1': host 'x1' is not in the fabric");
  EXPECT_EQ(error_of(places("hosts=H0000000000010010,ranks=2")),
            "--job 'barrier,hosts=H0000000000010010,ranks=2': found 1 free hosts, expected 2 for 2 "
            "ranks");
  EXPECT_EQ(error_of(places("hosts=H000000000001001[0,0]")).substr(0, 45),
            "--job 'barrier,hosts=H000000000001001[0,0]': ");
  taken_[1] = true;
  EXPECT_EQ(error_of(places("hosts=H0000000000010010")),
            "--job 'barrier,hosts=H0000000000010010': host 'H0000000000010010' has ranks of "
            "another job");
  taken_.assign(8, true);
  EXPECT_EQ(error_of(places("placement=packed")),
            "--job 'barrier,placement=packed': found 0 free hosts, expected at least 1");
}

}  // namespace
}  // namespace weft::jobs
