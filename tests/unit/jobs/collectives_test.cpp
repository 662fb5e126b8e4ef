// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Times of collectives on a non-blocking network, compared with their closed forms, and the bytes
// that each algorithm sends.
#include "jobs/collectives/collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "unit/jobs/job_networks.h"

namespace weft::jobs {
namespace {

constexpr double kBytes = 1 << 24;

double seconds(const std::string& spec) {
  return seconds_of(run_of(network_without_shared_links(), spec + ",bytes=16MiB").jobs[0].time);
}

class CollectivesOfRanks : public testing::TestWithParam<unsigned> {};

TEST_P(CollectivesOfRanks, TakeTheTimeOfTheClosedForm) {
  const unsigned n = GetParam();
  const double share = kBytes * (n - 1) / n / kEdr;
  const std::string ranks = ",ranks=" + std::to_string(n);
  const auto expect = [&](const std::string& work, double time) {
    EXPECT_NEAR(seconds(work + ranks), time, 1e-6 * time) << work << ranks;
  };
  expect("allreduce:ring", 2 * share);
  expect("allgather:ring", share);
  expect("reducescatter:ring", share);
  expect("alltoall:pairwise", share);
  expect("alltoall:linear", share);
  expect("gather", share);
  expect("scatter", share);
  if (!std::has_single_bit(n)) return;
  expect("allreduce:halving_doubling", 2 * share);
  expect("allreduce:recursive_doubling", std::log2(n) * kBytes / kEdr);
  expect("allgather:recursive_doubling", share);
  expect("reducescatter:recursive_halving", share);
}

INSTANTIATE_TEST_SUITE_P(Ranks, CollectivesOfRanks, testing::Values(2U, 3U, 5U, 8U, 16U, 31U));

TEST(Collectives, AddStartUpAndHopLatencyToEveryStep) {
  // All ranks are on one switch, so a message uses two channels.
  const auto run = run_of(network_without_shared_links(),
                          "allreduce:ring,ranks=4,bytes=1MiB,start_up=2us,hop_latency=300ns");
  const double step = (1 << 20) / 4.0 / kEdr + 2e-6 + 2 * 300e-9;
  EXPECT_NEAR(seconds_of(run.jobs[0].time), 6 * step, 1e-11);
}

TEST(Collectives, SendTheBytesOfTheAlgorithm) {
  const auto bytes = [](const std::string& spec) {
    return run_of(network_without_shared_links(), spec + ",ranks=6,bytes=6000").jobs[0].bytes;
  };
  EXPECT_NEAR(bytes("allreduce:ring"), 2 * 5 * 6000, 1e-6);
  EXPECT_NEAR(bytes("allgather:ring"), 5 * 6000, 1e-6);
  EXPECT_NEAR(bytes("alltoall:pairwise"), 5 * 6000, 1e-6);
  EXPECT_NEAR(bytes("alltoall:linear,zipf=1"), bytes("alltoall:pairwise,zipf=1"), 1e-6);
  EXPECT_NEAR(bytes("allreduce:tree"), 2 * 5 * 6000, 1e-6);
  EXPECT_NEAR(bytes("allreduce:double_tree"), 2 * 5 * 6000, 1e-6);
  EXPECT_NEAR(bytes("broadcast"), 5 * 6000, 1e-6);
  EXPECT_NEAR(bytes("reduce"), 5 * 6000, 1e-6);
  // The two ranks above the power of two send and receive all bytes. The other four ranks exchange
  // 3/4 of the bytes twice.
  EXPECT_NEAR(bytes("allreduce:halving_doubling"), 2 * 2 * 6000 + 4 * 2 * 0.75 * 6000, 1e-6);
}

TEST(Collectives, RankOfARingForwardsThePartOfThePreviousStep) {
  Workload workload;
  workload.jobs.push_back(job_of_spec("allgather:ring,ranks=3,bytes=3"));
  const auto built = build_workload(network_without_shared_links(), workload, 1);
  ASSERT_TRUE(built.has_value()) << built.error().message;
  // Ops 0 to 2 are the sends of the first step.
  for (OpId rank = 0; rank < 3; ++rank)
    EXPECT_THAT(built->schedule.successors_of(rank),
                testing::UnorderedElementsAre(3 + rank, 3 + (rank + 1) % 3));
}

TEST(Collectives, RootOfATreeReturnsAChunkAfterReceivingAllParts) {
  Workload workload;
  workload.jobs.push_back(job_of_spec("allreduce:tree,ranks=3,bytes=3"));
  const auto built = build_workload(network_without_shared_links(), workload, 1);
  ASSERT_TRUE(built.has_value()) << built.error().message;
  // Rank 0 is the root, rank 2 the child of rank 0, and rank 1 the child of rank 2.
  const auto& ops = built->schedule.ops;
  const auto& connections = built->schedule.connections;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
  for (OpId op = 0; op < 4; ++op)
    order.emplace_back(connections[ops[op].connection].from, connections[ops[op].connection].to);
  const auto& places = built->jobs[0].places;
  const auto host = [&](std::uint32_t rank) { return places[rank].host; };
  EXPECT_THAT(order,
              testing::ElementsAre(std::pair(host(1), host(2)), std::pair(host(2), host(0)),
                                   std::pair(host(0), host(2)), std::pair(host(2), host(1))));
  for (OpId op = 0; op < 3; ++op)
    EXPECT_THAT(built->schedule.successors_of(op), testing::Contains(op + 1));
}

TEST(Collectives, BarrierTakesOnlyTheStartUpTimeOfEachStep) {
  const auto run =
      run_of(network_without_shared_links(), "barrier,ranks=9,start_up=1us,hop_latency=0");
  EXPECT_EQ(run.jobs[0].time, 4'000'000);
  EXPECT_EQ(run.jobs[0].messages, 0U);
}

// A pipelined broadcast to 16 ranks takes at most 3.2 times the time of one transfer of the bytes.
// A double tree uses both directions of the links of all ranks.
TEST(Collectives, PipelinedTreesTakeTheTimeOfAFewTransfers) {
  const double time = kBytes / kEdr;
  EXPECT_GE(seconds("broadcast,ranks=16,chunk=64KiB"), time);
  EXPECT_LE(seconds("broadcast,ranks=16,chunk=64KiB"), 3.2 * time);
  EXPECT_LT(seconds("allreduce:double_tree,ranks=16,chunk=64KiB"),
            seconds("allreduce:tree,ranks=16,chunk=64KiB"));
  EXPECT_LT(seconds("allreduce:tree,ranks=16,chunk=64KiB"),
            0.6 * seconds("allreduce:tree,ranks=16,chunk=16MiB"));
}

TEST(Collectives, RepeatMultipliesTheTime) {
  EXPECT_NEAR(seconds("allgather,ranks=5,repeat=3"), 3 * seconds("allgather,ranks=5"), 1e-9);
}

TEST(Collectives, ZipfDistributesBytesUnequallyToDestinations) {
  const auto parts = destination_parts(8, 1.0, 3);
  EXPECT_NEAR(std::accumulate(parts.begin(), parts.end(), 0.0), 1, 1e-12);
  EXPECT_NEAR(*std::ranges::max_element(parts) / *std::ranges::min_element(parts), 8, 1e-9);
  EXPECT_NE(parts, destination_parts(8, 1.0, 4));
  EXPECT_EQ(parts, destination_parts(8, 1.0, 3));
  // The destination with the largest part receives it from 7 ranks.
  const double slowest = 7 * kBytes * *std::ranges::max_element(parts) / kEdr;
  EXPECT_NEAR(seconds("alltoall:linear,ranks=8,zipf=1"), slowest, 1e-6 * slowest);
}

// Channel c of a ring uses rail c between servers. So two channels have twice the bandwidth of one
// channel, and use no cable between the rails.
TEST(Collectives, EachRingChannelUsesASeparateRail) {
  const RoutedNetwork network = rail_network(4, 2);
  const auto time = [&](const std::string& spec) {
    return seconds_of(run_of(network, spec).jobs[0].time);
  };
  const double one = time("allreduce:ring,bytes=8MiB,channels=1");
  EXPECT_NEAR(one, 2.0 * 7 / 8 * (8 << 20) / kRailRate, 1e-9);
  EXPECT_NEAR(time("allreduce:ring,bytes=8MiB,channels=2"), one / 2, 1e-9);
}

// The cable between the rails has the rate of a host. With PXN no message uses it.
TEST(Collectives, PxnSendsMessagesOnTheRailOfTheDestination) {
  const RoutedNetwork network = rail_network(4, 2);
  const auto time = [&](const std::string& spec) {
    return seconds_of(run_of(network, spec).jobs[0].time);
  };
  const double part = (8 << 20) / 8.0 / kRailRate;
  EXPECT_NEAR(time("alltoall:linear,bytes=8MiB,pxn=true"), 6 * part, 1e-9);
  // Each of the four hosts on a rail sends to three servers on the other rail, over the cable
  // between the rails.
  EXPECT_NEAR(time("alltoall:linear,bytes=8MiB"), 12 * part, 1e-9);
}

TEST(Collectives, LocalRateLimitsMessagesInsideAServer) {
  const RoutedNetwork network = rail_network(1, 2);
  const auto time = [&](const std::string& spec) {
    return seconds_of(run_of(network, spec).jobs[0].time);
  };
  EXPECT_EQ(time("allreduce:ring,bytes=8MiB"), 0);
  EXPECT_NEAR(time("allreduce:ring,bytes=8MiB,local_rate=4GB/s"), (8 << 20) / 4e9, 1e-9);
}

}  // namespace
}  // namespace weft::jobs
