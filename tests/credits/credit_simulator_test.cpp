// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests the credit simulator in cases with rates that can be computed by hand.
#include "credits/credit_simulator.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "credits/random_traffic.h"
#include "support/routed_by.h"
#include "support/tiny.h"

namespace weft::credits {
namespace {

/// All sources send all packets to one host.
Traffic to_host(const HostPaths& paths, std::size_t to, bool replies = false) {
  return [&paths, to, replies](EndportId source, Rng&) {
    const std::size_t from = paths.index_of(source);
    return Demand{&paths.request(from, to), replies ? &paths.reply(from, to) : nullptr};
  };
}

/// Packets delivered per packet time, measured over 1,000 packet times after 1,000 of warm-up.
double packets_per_time(const Fabric& fabric, std::vector<EndportId> sources, Traffic traffic,
                        const CreditOptions& options = {}) {
  CreditSimulator simulator(fabric, std::move(sources), std::move(traffic), options);
  simulator.run(1000 * options.flits);
  const std::uint64_t before = simulator.delivered();
  simulator.run(1000 * options.flits);
  return static_cast<double>(simulator.delivered() - before) / 1000;
}

//  H0 - S0 - S1 - H1
TEST(CreditSimulator, SendsAtTheRateOfTheLink) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  const HostPaths paths(fabric, routed_by("minhop", fabric));
  EXPECT_NEAR(packets_per_time(fabric, {paths.hosts()[0]}, to_host(paths, 1)), 1.0, 0.05);
  EXPECT_NEAR(packets_per_time(fabric, {paths.hosts()[0]}, to_host(paths, 1, true)), 2.0, 0.1)
      << "replies use the other direction of each link";
}

//  H0 H1 H2 - S0 - S1 - H3
TEST(CreditSimulator, KeepsTheRateOfALinkWithSeveralInputs) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0, 3).hosts(1).build();
  const HostPaths paths(fabric, routed_by("minhop", fabric));
  const auto& hosts = paths.hosts();
  EXPECT_NEAR(packets_per_time(fabric, {hosts[0], hosts[1], hosts[2]}, to_host(paths, 3)), 1.0,
              0.01);
}

// H0 to H4 are on S0. H0 sends to H3 and H4 in turn, H1 and H2 to H3 only. H3 receives a third of
// its packets from each of H0, H1 and H2. H0 sends as many packets to H4 as to H3, because packets
// to H4 wait behind packets to H3. The total is 1 + 1/3. If packets to H4 did not wait, H0 would
// send to H4 at half of the link rate, and the total would be 1 + 1/2.
TEST(CreditSimulator, BlocksPacketsBehindTheHeadOfABuffer) {
  const Fabric fabric = Tiny(1).hosts(0, 5).build();
  const HostPaths paths(fabric, routed_by("minhop", fabric));
  const auto& hosts = paths.hosts();
  bool to_h4 = false;
  const Traffic traffic = [&](EndportId source, Rng&) {
    if (source == hosts[0]) to_h4 = !to_h4;
    const std::size_t to = source == hosts[0] && to_h4 ? 4 : 3;
    return Demand{&paths.request(paths.index_of(source), to), nullptr};
  };
  EXPECT_NEAR(packets_per_time(fabric, {hosts[0], hosts[1], hosts[2]}, traffic), 4.0 / 3, 0.02);
}

TEST(CreditSimulator, DrainsATreeCompletely) {
  const Fabric fabric = two_by_two(4);
  const HostPaths paths(fabric, routed_by("updn", fabric));
  CreditSimulator simulator(fabric, paths.hosts(), uniform_traffic(paths, true), {.buffer = 1});
  simulator.run(20000);
  const std::uint64_t running = simulator.delivered();
  EXPECT_GT(running, 1000u);
  const StuckPackets stuck = simulator.drain();
  EXPECT_EQ(stuck.packets, 0u);
  EXPECT_TRUE(stuck.lanes.empty());
  EXPECT_GT(simulator.delivered(), running);
}

TEST(CreditSimulator, RepeatsARunWithTheSameSeed) {
  const Fabric fabric = two_by_two(4);
  const HostPaths paths(fabric, routed_by("updn", fabric));
  const auto delivered = [&](std::uint64_t seed) {
    CreditSimulator simulator(fabric, paths.hosts(), uniform_traffic(paths, true), {.seed = seed});
    simulator.run(5000);
    return simulator.delivered();
  };
  EXPECT_EQ(delivered(1), delivered(1));
  EXPECT_NE(delivered(1), delivered(2));
}

TEST(LanePath, IsEmptyIfThePacketDoesNotArrive) {
  const Fabric fabric = ring_of_four();
  Routes routes = routed_by("minhop", fabric);
  const EndportId source = fabric.hosts()[0];
  const Endport& to = fabric.endport(fabric.hosts()[2]);
  const auto path = lane_path(fabric, routes, source, to.lid, Sl(0));
  ASSERT_TRUE(path);
  EXPECT_EQ(path->size(), 4u) << "links: host to switch, two between switches, switch to host";
  SlMap dropping = modulo_map(1);
  dropping[3] = 15;
  routes.sl2vl = Sl2Vl(dropping);
  EXPECT_FALSE(lane_path(fabric, routes, source, to.lid, Sl(3)));
  EXPECT_TRUE(lane_path(fabric, routes, source, to.lid, Sl(0)));
  const SwitchId at = fabric.endport(source).sw;
  const Channel& first = fabric.channel(ChannelId((*path)[1].link));
  routes.lfts.set(first.to, to.lid, first.to_port);  // back to the first switch: a loop
  EXPECT_FALSE(lane_path(fabric, routes, source, to.lid, Sl(0)));
  routes.lfts.set(at, to.lid, kNoRoute);
  EXPECT_FALSE(lane_path(fabric, routes, source, to.lid, Sl(0)));
}

}  // namespace
}  // namespace weft::credits
