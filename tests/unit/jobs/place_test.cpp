// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/place/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "jobs/build.h"
#include "jobs/place/candidates.h"
#include "jobs/place/contention.h"
#include "support/errors.h"
#include "unit/jobs/job_networks.h"

namespace weft::jobs {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

Workload workload_of(const std::vector<std::string>& specs) {
  Workload workload;
  for (const std::string& spec : specs) workload.jobs.push_back(job_of_spec(spec));
  return workload;
}

PlaceResult placed(const PlaceRequest& request) {
  auto result = place_job(request);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return *result;
}

/// The time of job 0 on these hosts, with the other jobs of the workload.
Picoseconds time_on(const RoutedNetwork& network, Workload workload,
                    const std::vector<std::uint32_t>& hosts, std::uint64_t seed = 0) {
  workload.jobs.front().placement.kind = PlacementKind::kChosen;
  workload.jobs.front().placement.chosen = hosts;
  const JobStudy study{.network = network, .workload = workload, .changes = {}, .seed = seed};
  const auto run = simulate_run(study, 0, 1, nullptr);
  EXPECT_TRUE(run.has_value()) << run.error().message;
  return run->jobs.front().time;
}

/// Hosts 0 to count - 1 in random order.
std::vector<std::uint32_t> random_hosts(std::uint32_t count, std::uint64_t seed) {
  return Rng(seed).permutation(count);
}

struct Case {
  std::string fabric;
  std::string engine;
  std::string free;
  std::uint32_t free_hosts;
  std::string job;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {"fattree2:k=8,blocking=3:1", "ftree", "host-[1-48]", 48,
       "alltoall:linear,ranks=8,bytes=8MiB"},
      {"fattree2:k=8,blocking=3:1", "ftree", "host-[1-48]", 48,
       "allreduce:ring,ranks=12,bytes=8MiB"},
      {"torus:4x4", "minhop", "host-[1-16]", 16, "allreduce:halving_doubling,ranks=8,bytes=8MiB"},
      {"torus:4x4", "minhop", "host-[1-16]", 16, "alltoall,ranks=6,bytes=8MiB"},
      {"ring:n=9", "minhop", "host-[1-9]", 9, "alltoall:linear,ranks=7,bytes=8MiB"}};
  return kCases;
}

TEST(Place, IsNotSlowerThanThePackedAndRandomPlacements) {
  for (const Case& one : cases()) {
    const RoutedNetwork network = network_of_spec(one.fabric, one.engine);
    const Workload workload = workload_of({one.job});
    const PlaceResult result =
        placed({.network = network, .workload = workload, .free = one.free, .simulations = 400});
    ASSERT_EQ(result.free_hosts, one.free_hosts);
    EXPECT_LE(result.simulations, 400U);
    const std::size_t count = result.best.hosts.size();
    EXPECT_EQ(result.best.time, time_on(network, workload, result.best.hosts));
    ASSERT_TRUE(result.packed && result.second);
    EXPECT_LE(result.best.time, result.packed->time) << one.job;
    EXPECT_LE(result.best.time, result.second->time) << one.job;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      auto hosts = random_hosts(one.free_hosts, seed);
      hosts.resize(count);
      EXPECT_LE(result.best.time, time_on(network, workload, hosts)) << one.job << " seed " << seed;
    }
  }
}

TEST(Place, PackedTimeEqualsTheSimulatedTime) {
  const RoutedNetwork network = network_of_spec("torus:4x4", "minhop");
  const Workload workload = workload_of({"alltoall,ranks=6,bytes=8MiB"});
  const JobStudy study{.network = network, .workload = workload, .changes = {}};
  const auto run = simulate_run(study, 0, 1, nullptr);
  ASSERT_TRUE(run.has_value());
  const PlaceResult result =
      placed({.network = network, .workload = workload, .free = "host-[1-16]", .simulations = 50});
  EXPECT_EQ(result.packed->time, run->jobs.front().time);
}

/// The least time over all selections of `ranks` hosts in all orders.
Picoseconds least_time(const RoutedNetwork& network, const Workload& workload, std::uint32_t hosts,
                       std::size_t ranks) {
  std::vector<std::uint32_t> order(hosts);
  std::iota(order.begin(), order.end(), 0U);
  Picoseconds least = kNever;
  do {
    least = std::min(least,
                     time_on(network, workload,
                             {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(ranks)}));
    std::reverse(order.begin() + static_cast<std::ptrdiff_t>(ranks), order.end());
  } while (std::ranges::next_permutation(order).found);
  return least;
}

TEST(Place, IsOptimalOnTinyFabrics) {
  const std::vector<Case> tiny{
      {"ring:n=6", "minhop", "host-[1-6]", 6, "alltoall:linear,ranks=4,bytes=1MiB"},
      {"ring:n=6", "minhop", "host-[1-6]", 6, "allreduce:ring,ranks=4,bytes=1MiB"},
      {"torus:2x3", "minhop", "host-[1-6]", 6, "allreduce:recursive_doubling,ranks=4,bytes=1MiB"},
      {"fattree2:k=4,blocking=3:1", "ftree", "host-[1-6]", 6, "pipeline,ranks=4,bytes=1MiB"}};
  for (const Case& one : tiny) {
    const RoutedNetwork network = network_of_spec(one.fabric, one.engine);
    const Workload workload = workload_of({one.job});
    const Picoseconds least = least_time(network, workload, 6, 4);
    const PlaceResult all =
        placed({.network = network, .workload = workload, .free = one.free, .simulations = 360});
    EXPECT_TRUE(all.is_exhaustive);
    EXPECT_EQ(all.simulations, 360U);
    EXPECT_EQ(all.best.time, least) << one.fabric << " " << one.job;
    // A search that simulates only a part of the placements also finds the optimum here.
    const PlaceResult search =
        placed({.network = network, .workload = workload, .free = one.free, .simulations = 120});
    EXPECT_FALSE(search.is_exhaustive);
    EXPECT_EQ(search.best.time, least) << one.fabric << " " << one.job;
  }
}

TEST(Place, SelectsHostsOfOneLeafAndOrdersTheRing) {
  // Each of 8 leaves has 6 hosts. Three hosts of the first leaf and all hosts of the third leaf are
  // free; the list names them in mixed order.
  const RoutedNetwork network = network_of_spec("fattree2:k=8,blocking=3:1");
  const Workload workload = workload_of({"allreduce:ring,ranks=6,bytes=1MiB"});
  const PlaceResult result =
      placed({.network = network, .workload = workload, .free = "host-[1,13,3,18,5,14,17,15,16]"});
  auto hosts = result.best.hosts;
  std::ranges::sort(hosts);
  EXPECT_THAT(hosts, ElementsAre(12, 13, 14, 15, 16, 17));
  EXPECT_EQ(result.best.ring_hops, 12U);
  EXPECT_GT(result.packed->ring_hops, 12U);
  EXPECT_EQ(result.best.time, result.crossbar);
  EXPECT_GT(result.second->time, result.best.time);
}

TEST(Place, AvoidsTheLinksOfARunningJob) {
  // A ring of switches with one host each. The other job uses the full rate of the cable between
  // the first two switches.
  const RoutedNetwork network = network_of_spec("ring:n=8", "minhop");
  const auto other = "alltoall:linear,hosts=host-[1-2],bytes=1GiB";
  const Workload alone = workload_of({"alltoall:linear,ranks=2,bytes=64MiB"});
  Workload both = workload_of({"alltoall:linear,ranks=2,bytes=64MiB", other});
  const PlaceResult result = placed({.network = network, .workload = both, .free = "host-[3-8]"});
  const PlaceResult without = placed({.network = network, .workload = alone, .free = "host-[3-8]"});
  EXPECT_EQ(result.best.time, without.best.time);
  EXPECT_EQ(result.best.time, time_on(network, both, result.best.hosts));
  // With background traffic on all cables the time is longer. It equals the time of a simulation.
  both.background.push_back({.where = "background[0]", .load = 0.5, .all_hosts = true});
  const PlaceResult slowed =
      placed({.network = network, .workload = both, .free = "host-[3-8]", .seed = 3});
  EXPECT_GT(slowed.best.time, result.best.time);
  EXPECT_EQ(slowed.best.time, time_on(network, both, slowed.best.hosts, 3));
}

TEST(Place, DoesNotDependOnThreads) {
  const RoutedNetwork network = network_of_spec("fattree2:k=8,blocking=3:1");
  const Workload workload = workload_of({"alltoall:linear,ranks=10,bytes=8MiB,zipf=1"});
  const auto with = [&](unsigned threads, std::uint64_t seed) {
    return placed({.network = network,
                   .workload = workload,
                   .free = "host-[1-40]",
                   .seed = seed,
                   .simulations = 150,
                   .threads = threads});
  };
  const PlaceResult one = with(1, 5);
  for (const unsigned threads : {2U, 16U}) {
    const PlaceResult several = with(threads, 5);
    EXPECT_EQ(several.best.hosts, one.best.hosts);
    EXPECT_EQ(several.second->hosts, one.second->hosts);
    EXPECT_EQ(several.simulations, one.simulations);
  }
}

TEST(Place, FillsServersWithConsecutiveRanks) {
  const RoutedNetwork network = rail_network(4, 2);
  const Workload workload = workload_of({"alltoall,ranks=5,bytes=1MiB"});
  const PlaceResult result = placed({.network = network, .workload = workload, .free = "n[0-3]"});
  ASSERT_EQ(result.best.hosts.size(), 5U);
  EXPECT_EQ(result.best.hosts[0] / 2, result.best.hosts[1] / 2);
  EXPECT_EQ(result.best.hosts[2] / 2, result.best.hosts[3] / 2);
  EXPECT_TRUE(result.is_exhaustive);
}

TEST(Place, SeveralRanksShareAHost) {
  const RoutedNetwork network = network_of_spec("ring:n=6", "minhop");
  const Workload workload = workload_of({"alltoall,ranks=5,ranks_per_host=2,bytes=1MiB"});
  const PlaceResult result =
      placed({.network = network, .workload = workload, .free = "host-[1-6]"});
  EXPECT_EQ(result.best.hosts.size(), 3U);
  EXPECT_EQ(result.ranks, 5U);
}

TEST(Place, OrdersAllFreeHostsWithoutANumberOfRanks) {
  const RoutedNetwork network = network_of_spec("ring:n=6", "minhop");
  const Workload workload = workload_of({"allreduce,bytes=1MiB"});
  const PlaceResult result =
      placed({.network = network, .workload = workload, .free = "host-[2,5,3,4]"});
  EXPECT_EQ(result.ranks, 4U);
  EXPECT_THAT(result.best.hosts, testing::UnorderedElementsAre(1, 2, 3, 4));
  EXPECT_FALSE(result.second.has_value());
}

TEST(Place, ReturnsTheBestPlacementSoFarWhenStopped) {
  const RoutedNetwork network = network_of_spec("ring:n=9", "minhop");
  const Workload workload = workload_of({"alltoall,ranks=7,bytes=1MiB"});
  const std::atomic<bool> stop = true;
  const PlaceResult result =
      placed({.network = network, .workload = workload, .free = "host-[1-9]", .stop = &stop});
  EXPECT_TRUE(result.is_partial);
  EXPECT_EQ(result.best.hosts, result.packed->hosts);
}

TEST(Place, NamesTheJobOrTheHostOfAnError) {
  const RoutedNetwork network = network_of_spec("ring:n=6", "minhop");
  const auto error = [&](const std::vector<std::string>& specs, const std::string& free) {
    const Workload workload = workload_of(specs);
    return error_of(place_job({.network = network, .workload = workload, .free = free}));
  };
  EXPECT_EQ(error({"barrier,ranks=4"}, "host-[1-3]"),
            "--job 'barrier,ranks=4': found 3 free hosts, expected 4 for 4 ranks");
  EXPECT_EQ(error({"barrier,ranks=2"}, "host-[1-2],nowhere"),
            "--free: host 'nowhere' is not in the fabric");
  EXPECT_EQ(error({"barrier,ranks=2"}, "host-[1-2],host-1"),
            "--free: host 'host-1' is listed twice");
  EXPECT_THAT(error({"barrier,ranks=2"}, "host-[1-"), StartsWith("--free: "));
  EXPECT_EQ(error({"barrier,hosts=host-1"}, "host-[1-2]"),
            "--job 'barrier,hosts=host-1': found the key \"hosts\", expected none: hosts are "
            "selected");
  EXPECT_EQ(error({"barrier,placement=random"}, "host-[1-2]"),
            "--job 'barrier,placement=random': found the key \"placement\", expected none: the "
            "placement is selected");
  EXPECT_EQ(
      error({"barrier", "barrier,ranks=2"}, "host-[1-2]"),
      "--job 'barrier,ranks=2': the key \"hosts\" is missing: a running job must list its hosts");
  EXPECT_THAT(error({"barrier", "barrier,hosts=host-[1,3]"}, "host-[1-2]"),
              testing::MatchesRegex("--free: host 'host-1' .* has ranks of another job"));
  EXPECT_THAT(error({"barrier"}, "host-1"),
              testing::HasSubstr("found 1 ranks, expected at least 2"));
  Workload idle = workload_of({"barrier"});
  idle.background.push_back({.where = "f:2: background[0]"});
  EXPECT_THAT(error_of(place_job({.network = network, .workload = idle, .free = "host-[1-2]"})),
              StartsWith("f:2: background[0]: hosts: found idle, expected all"));
  Workload failing = workload_of({"barrier"});
  failing.failures.push_back({.where = "f:3: failures[0]", .repair = {}});
  EXPECT_EQ(error_of(place_job({.network = network, .workload = failing, .free = "host-[1-2]"})),
            "f:3: failures[0]: expected no failures for a placement");
}

TEST(FreeServers, AcceptsNamesOfServersAndOfHosts) {
  const RoutedNetwork network = rail_network(4, 2);
  const Servers servers = find_servers(network, 0);
  const auto found = [&](const std::string& list) {
    auto free = free_servers(network, servers, list, "--free");
    EXPECT_TRUE(free.has_value()) << free.error().message;
    return *free;
  };
  EXPECT_THAT(found("n[2,0]"), ElementsAre(FreeServer{0, {0, 1}}, FreeServer{2, {4, 5}}));
  EXPECT_THAT(found("n1 HCA-2,n3"), ElementsAre(FreeServer{1, {3}}, FreeServer{3, {6, 7}}));
  EXPECT_EQ(error_of(free_servers(network, servers, "n1,n1 HCA-2", "--free")),
            "--free: host 'n1 HCA-2' is listed twice");
  EXPECT_EQ(error_of(free_servers(network, servers, "n1 HCA-2,n1", "--free")),
            "--free: host 'n1' is listed twice");
}

TEST(CandidateOrders, BeginWithPackedAndHaveEachServerOnce) {
  const RoutedNetwork network = network_of_spec("torus:4x4", "minhop");
  const auto free = free_servers(network, find_servers(network, 0), "host-[2-15]", "");
  ASSERT_TRUE(free.has_value());
  const auto orders = candidate_orders(network, *free, 6, Rng(1));
  ServerOrder packed(14);
  std::iota(packed.begin(), packed.end(), 0U);
  ASSERT_GT(orders.size(), 10U);
  EXPECT_EQ(orders.front(), packed);
  for (ServerOrder order : orders) {
    std::ranges::sort(order);
    EXPECT_EQ(order, packed);
  }
}

TEST(Contention, IsUpdatedWhenRanksMove) {
  const RoutedNetwork network = network_of_spec("torus:4x4", "minhop");
  const Workload workload = workload_of({"alltoall,ranks=6,bytes=8MiB"});
  const auto built = build_workload(network, workload, 0);
  ASSERT_TRUE(built.has_value());
  std::vector<std::uint32_t> hosts;
  for (const RankPlace& place : built->jobs.front().places) hosts.push_back(place.host);
  const Traffic traffic = traffic_of(network, built->schedule, hosts, 0);
  EXPECT_EQ(traffic.demands.size(), 30U);
  Contention moved(network, traffic, hosts);
  const double packed = moved.value();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto random = random_hosts(16, seed);
    random.resize(6);
    moved.move_to(random);
    moved.move_to(hosts);
    EXPECT_NEAR(moved.value(), packed, 1e-9 * packed) << " seed " << seed;
  }
  // The contention increases if both messages use one channel.
  const RoutedNetwork line = network_of_spec("mesh:1x6", "minhop");
  const Traffic pair{{{0, 1, 1e6}, {2, 3, 1e6}}, std::vector<double>(line.channel_count())};
  const std::vector<std::uint32_t> apart{0, 1, 2, 3}, crossing{0, 2, 1, 3};
  Contention contention(line, pair, apart);
  const double low = contention.value();
  contention.move_to(crossing);
  EXPECT_GT(contention.value(), low);
}

}  // namespace
}  // namespace weft::jobs
