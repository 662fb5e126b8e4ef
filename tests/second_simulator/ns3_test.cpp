// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Completion times of Weft's flow simulator, compared with a packet simulation in ns-3 on exported
// topologies. The flow model omits headers, acknowledgements and the time for which switches store
// packets. With these costs added to the input of the flow model, both times agree.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "exports/ns3.h"
#include "jobs/build.h"
#include "jobs/flow_simulator.h"
#include "jobs/input/job_file.h"
#include "second_simulator/ns3_run.h"
#include "support/fabric_of.h"
#include "support/routed_by.h"

namespace weft::jobs {
namespace {

constexpr Picoseconds kDelay500ns = 500'000;  // delay of a link in exported topologies

struct RoutedTopology {
  Fabric fabric;
  RoutedNetwork network;
};

RoutedTopology topology_of(const std::string& spec, const std::string& engine) {
  Fabric fabric = fabric_of(spec);
  auto network = network_of(fabric, routed_by(engine, fabric).lfts);
  EXPECT_TRUE(network.has_value());
  return {std::move(fabric), std::move(*network)};
}

std::vector<double> ends_in_ns3(const RoutedTopology& routed, const Schedule& schedule) {
  const RoutedFabric exported{routed.fabric, nullptr, switch_names(routed.fabric, {}),
                              hosts_of(routed.fabric, {})};
  std::string text;
  write_ns3(exported, {}, [&](std::string_view piece) { text.append(piece); });
  const auto ends = run_in_ns3(text, exported, routed.network, schedule);
  EXPECT_TRUE(ends.has_value()) << ends.error().message;
  return ends.value_or(std::vector<double>(schedule.jobs.size()));
}

std::vector<double> ends_of_flows(const RoutedTopology& routed, const Schedule& schedule) {
  const auto flows_result = simulate_flows({.network = routed.network, .schedule = schedule});
  EXPECT_TRUE(flows_result.has_value()) << flows_result.error().message;
  std::vector<double> ends;
  for (const JobRun& job : flows_result->jobs) ends.push_back(seconds_of(job.time.end));
  return ends;
}

/// The schedule with the costs of packets added: headers lengthen messages, and every switch stores
/// a packet before it forwards the packet. Start-up times must be longer than the time of a packet.
Schedule with_costs_of_packets(Schedule schedule) {
  constexpr double longer = double{kPacketPayload + kPacketOverhead} / kPacketPayload;
  for (OpId id = 0; id < schedule.op_count(); ++id)
    if (schedule.ops[id].connection != kDelay) schedule.ops[id].amount *= longer;
  constexpr Picoseconds kPacket = (kPacketPayload + kPacketOverhead) * 80;  // at 100 Gbit/s
  for (ScheduledJob& job : schedule.jobs) {
    job.hop_latency += kPacket;
    job.start_up -= kPacket;  // packets are not stored before the first link
  }
  return schedule;
}

/// Expects that every job in ns-3 takes at most `factor` times as long as flows, and as long as
/// flows with the costs of packets, within the relative deviation `share`.
void expect_times_of_flows(const RoutedTopology& routed, const Schedule& schedule, double factor,
                           double share) {
  const auto flows = ends_of_flows(routed, schedule);
  const auto expected = ends_of_flows(routed, with_costs_of_packets(schedule));
  const auto packets = ends_in_ns3(routed, schedule);
  for (std::size_t j = 0; j < schedule.jobs.size(); ++j) {
    EXPECT_LE(packets[j], factor * flows[j]) << schedule.jobs[j].name;
    EXPECT_NEAR(packets[j], expected[j], share * expected[j]) << schedule.jobs[j].name;
  }
}

/// A job for each message, so that the end time of each message is known.
Schedule messages(const RoutedNetwork& network,
                  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs, double bytes) {
  ScheduleBuilder builder;
  for (const auto& [from, to] : pairs) {
    builder.begin_job({.name = network.node(network.node_of_host(from)).label + " to " +
                               network.node(network.node_of_host(to)).label,
                       .start_up = 1'000'000,
                       .hop_latency = kDelay500ns});
    builder.send(builder.connect({.from = from, .to = to, .job = builder.job_index()}), bytes);
  }
  auto schedule = builder.finish();
  EXPECT_TRUE(schedule.has_value());
  return std::move(*schedule);
}

Schedule schedule_of(const RoutedTopology& routed, const std::string& job) {
  const std::vector<std::string> arguments{job + ",start_up=1us,hop_latency=500ns"};
  const auto workload = read_workload(arguments);
  EXPECT_TRUE(workload.has_value()) << workload.error().message;
  auto built = build_workload(routed.network, *workload, 7);
  EXPECT_TRUE(built.has_value()) << built.error().message;
  return std::move(built->schedule);
}

TEST(PacketsInNs3, OfAnIncastTakeTheTimeOfFlows) {
  const RoutedTopology routed = topology_of("fattree2:k=8", "ftree");
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t host = 1; host < 8; ++host) pairs.emplace_back(host * 4, 0);
  expect_times_of_flows(routed, messages(routed.network, pairs, 1 << 20), 1.02, 0.005);
}

/// Every host sends to one other host and receives from one other host.
Schedule permutation(const RoutedNetwork& network) {
  std::vector<std::uint32_t> to(network.host_count());
  for (std::uint32_t h = 0; h < to.size(); ++h) to[h] = h;
  Rng rng(5);
  for (std::uint32_t h = 1; h < to.size(); ++h)  // a single cycle, so no host sends to itself
    std::swap(to[h], to[rng.below(h)]);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t h = 0; h < to.size(); ++h) pairs.emplace_back(h, to[h]);
  return messages(network, pairs, 1 << 20);
}

TEST(PacketsInNs3, OfAPermutationTakeTheTimeOfFlows) {
  const RoutedTopology routed = topology_of("fattree2:k=8", "ftree");
  expect_times_of_flows(routed, permutation(routed.network), 1.04, 0.01);
}

// Host 0 sends at a third of the rate of the cable between the first two switches, so the message
// from host 5 has two thirds of the rate of the port of host 6. With packets, the message with two
// queues on its path has a lower rate.
TEST(PacketsInNs3, AtTwoBottlenecksTakeTheTimeOfFlows) {
  const RoutedTopology routed = topology_of("line:n=3,hosts=3", "updn");
  const Schedule schedule = messages(routed.network, {{0, 6}, {1, 3}, {2, 4}, {5, 6}}, 1 << 20);
  expect_times_of_flows(routed, schedule, 1.04, 0.1);
  const auto flows = ends_of_flows(routed, schedule);
  EXPECT_NEAR(flows[3], flows[0] / 2, 0.05 * flows[0]);
}

TEST(PacketsInNs3, OfCollectivesTakeTheTimeOfFlows) {
  const RoutedTopology routed = topology_of("fattree2:k=8", "ftree");
  for (const char* job :
       {"allreduce:ring,ranks=16,bytes=4MiB", "allreduce:halving_doubling,ranks=16,bytes=2MiB",
        "alltoall:pairwise,ranks=16,bytes=1MiB,placement=random"})
    expect_times_of_flows(routed, schedule_of(routed, job), 1.1, 0.01);
}

TEST(PacketsInNs3, FailForATextThatIsNotATopology) {
  const RoutedTopology routed = topology_of("fattree2:k=4", "ftree");
  const RoutedFabric exported{routed.fabric, nullptr, switch_names(routed.fabric, {}),
                              hosts_of(routed.fabric, {})};
  const Schedule schedule = messages(routed.network, {{0, 1}}, 1);
  EXPECT_FALSE(run_in_ns3("3 1 2\n2\n0 2 100Gbps 500ns 0\n", exported, routed.network, schedule));
  EXPECT_FALSE(run_in_ns3("no numbers", exported, routed.network, schedule));
}

}  // namespace
}  // namespace weft::jobs
