// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compares completion times of Weft's flow simulator with the completion times of SimGrid for the
// same flows: random messages and all collectives.
#include <gtest/gtest.h>

#include <map>

#include "base/file.h"
#include "base/rng.h"
#include "exports/simgrid.h"
#include "jobs/build.h"
#include "jobs/flow_simulator.h"
#include "jobs/input/job_file.h"
#include "second_simulator/simgrid_run.h"
#include "support/fabric_of.h"
#include "support/fabrics.h"
#include "support/routed_by.h"
#include "support/temp_dir.h"

namespace weft::jobs {
namespace {

RoutedNetwork network_of_fabric(const Fabric& fabric, const Routes& routes) {
  auto network = network_of(fabric, routes.lfts);
  EXPECT_TRUE(network.has_value());
  return std::move(*network);
}

/// Exports the platform of a fabric. Each host must have one port.
ExportedPlatform exported_to(const std::string& file, const Fabric& fabric, const Routes& routes,
                             const RoutedNetwork& network) {
  const RoutedFabric input{fabric, &routes, switch_names(fabric, {}), hosts_of(fabric, {})};
  EXPECT_TRUE(check_simgrid(input));
  std::string text;
  write_simgrid(input, {.delay_ns = 0}, [&](std::string_view piece) { text.append(piece); });
  text.insert(text.find("    <host "), kClockHost);
  EXPECT_TRUE(write_file(file, text));
  std::map<Guid, std::string> names;
  for (const Host& host : input.hosts) names[fabric.node(host.adapters[0]).node_guid] = host.name;
  ExportedPlatform platform{file, {}};
  for (std::uint32_t h = 0; h < network.host_count(); ++h)
    platform.hosts.push_back(names.at(network.node(network.node_of_host(h)).guid));
  return platform;
}

/// Expects that the end times of all jobs differ by at most 0.1% from the end times of
/// SimGrid; the requirement is 5%.
void expect_equal_times(const RoutedNetwork& network, const Schedule& schedule,
                        const ExportedPlatform& exported) {
  const auto flow_result = simulate_flows(
      {.network = network, .schedule = schedule, .paths = {}, .changes = {}, .only_job = {}});
  ASSERT_TRUE(flow_result.has_value()) << flow_result.error().message;
  const auto simgrid_run = run_in_simgrid(network, schedule, 600, &exported);
  ASSERT_TRUE(simgrid_run.has_value()) << simgrid_run.error().message;
  ASSERT_TRUE(simgrid_run->has_ended);
  for (std::size_t j = 0; j < schedule.jobs.size(); ++j)
    EXPECT_NEAR(seconds_of(flow_result->jobs[j].time.end), simgrid_run->job_ends[j],
                1e-3 * simgrid_run->job_ends[j]);
}

class RandomMessages : public testing::TestWithParam<std::uint64_t> {};

/// One or two jobs with messages of random sizes between random hosts; some messages have
/// predecessors.
Schedule random_schedule(const RoutedNetwork& network, Rng& rng) {
  ScheduleBuilder builder;
  const std::uint64_t jobs = 1 + rng.below(2);
  for (std::uint64_t j = 0; j < jobs; ++j) {
    builder.begin_job({.name = "job",
                       .start = static_cast<Picoseconds>(j * rng.below(20'000'000)),
                       .start_up = static_cast<Picoseconds>(rng.below(3'000'000)),
                       .hop_latency = static_cast<Picoseconds>(rng.below(300'000))});
    std::vector<OpId> ops;
    const std::uint64_t messages = 5 + rng.below(60);
    for (std::uint64_t m = 0; m < messages; ++m) {
      const auto from = static_cast<std::uint32_t>(rng.below(network.host_count()));
      const auto to = static_cast<std::uint32_t>(rng.below(network.host_count()));
      const OpId op = rng.chance(0.1)
                          ? builder.delay(static_cast<Picoseconds>(rng.below(50'000'000)))
                          : builder.send(builder.connect({.from = from, .to = to}),
                                         static_cast<double>(1 + rng.below(2'000'000)));
      for (unsigned k = 0; k < 2 && !ops.empty(); ++k)
        if (rng.chance(0.4)) builder.depend(op, ops[rng.below(ops.size())]);
      ops.push_back(op);
    }
  }
  auto schedule = builder.finish();
  EXPECT_TRUE(schedule.has_value());
  return std::move(*schedule);
}

TEST_P(RandomMessages, EndAtTheTimesOfSimgrid) {
  const char* spec = kSmallSpecs[GetParam() % kSmallSpecs.size()];
  const Fabric fabric = fabric_of(spec);
  const Routes routes = routed_by("minhop", fabric);
  const RoutedNetwork network = network_of_fabric(fabric, routes);
  const TempDir folder;
  const auto platform = exported_to(folder / "platform.xml", fabric, routes, network);
  for (std::uint64_t i = 0; i < 10; ++i) {
    Rng rng(GetParam() * 100 + i);
    const Schedule schedule = random_schedule(network, rng);
    expect_equal_times(network, schedule, platform);
    if (HasFailure()) FAIL() << spec << " seed " << GetParam() * 100 + i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMessages, testing::Range<std::uint64_t>(0, 22));

struct ComparedJob {
  const char* fabric;
  const char* engine;
  const char* job;
};

void PrintTo(const ComparedJob& compared, std::ostream* out) {
  *out << compared.engine << " on " << compared.fabric << ": " << compared.job;
}

class CollectivesInSimgrid : public testing::TestWithParam<ComparedJob> {};

TEST_P(CollectivesInSimgrid, TakeTheSameTime) {
  const auto& [fabric, engine, job] = GetParam();
  const Fabric generated = fabric_of(fabric);
  const Routes routes = routed_by(engine, generated);
  const RoutedNetwork network = network_of_fabric(generated, routes);
  const std::vector<std::string> arguments{job};
  const auto workload = read_workload(arguments);
  ASSERT_TRUE(workload.has_value()) << workload.error().message;
  const auto built = build_workload(network, *workload, 7);
  ASSERT_TRUE(built.has_value()) << built.error().message;
  const TempDir folder;
  expect_equal_times(network, built->schedule,
                     exported_to(folder / "platform.xml", generated, routes, network));
}

// An oversubscribed tree, so that messages share links; ranks are on random hosts.
constexpr const char* kTree = "fattree2:k=24,blocking=2:1,leaves=16";
INSTANTIATE_TEST_SUITE_P(
    Jobs, CollectivesInSimgrid,
    testing::Values(
        ComparedJob{kTree, "ftree", "allreduce:ring,ranks=48,bytes=8MiB,placement=random"},
        ComparedJob{kTree, "ftree", "allreduce:tree,ranks=64,bytes=4MiB,placement=random"},
        ComparedJob{kTree, "ftree", "allreduce:double_tree,ranks=64,bytes=4MiB,placement=random"},
        ComparedJob{kTree, "ftree", "allreduce:halving_doubling,ranks=256,bytes=8MiB"},
        ComparedJob{kTree, "updn", "allreduce:recursive_doubling,ranks=256,bytes=1MiB"},
        ComparedJob{kTree, "updn", "allgather:ring,ranks=64,bytes=8MiB,placement=random"},
        ComparedJob{kTree, "ftree", "allgather:recursive_doubling,ranks=250,bytes=8MiB"},
        ComparedJob{kTree, "ftree", "reducescatter:ring,ranks=64,bytes=8MiB,placement=fragmented"},
        ComparedJob{kTree, "ftree", "reducescatter:recursive_halving,ranks=256,bytes=8MiB"},
        ComparedJob{kTree, "ftree", "alltoall:pairwise,ranks=48,bytes=8MiB,placement=random"},
        ComparedJob{kTree, "ftree", "alltoall:linear,ranks=32,bytes=8MiB,zipf=0.8"},
        ComparedJob{kTree, "ftree", "broadcast,ranks=256,bytes=4MiB"},
        ComparedJob{kTree, "ftree", "reduce,ranks=256,bytes=4MiB"},
        ComparedJob{kTree, "ftree", "gather,ranks=256,bytes=4MiB"},
        ComparedJob{kTree, "ftree", "scatter,ranks=256,bytes=4MiB"},
        ComparedJob{kTree, "ftree", "barrier,ranks=256"},
        ComparedJob{"torus:4x4x4,hosts=2", "dor", "alltoall:pairwise,ranks=32,bytes=8MiB"},
        ComparedJob{kTree, "ftree", "pipeline,ranks=16,micro_batches=8,bytes=1MiB,forward=100us"},
        ComparedJob{kTree, "ftree",
                    "training,tensor=4,pipeline=2,data=2,tensor_bytes=1MiB,"
                    "gradient_bytes=4MiB,pipeline_bytes=1MiB,forward=200us"}));

}  // namespace
}  // namespace weft::jobs
