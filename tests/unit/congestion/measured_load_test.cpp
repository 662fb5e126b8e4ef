// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Loads of links with measured traffic, compared with the sum of the flows of all pairs of hosts.
#include "congestion/measured_load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/rng.h"
#include "routing/minhop.h"
#include "support/fabric_of.h"

namespace weft {
namespace {

/// The largest share of a link that is used, computed from the flow of each pair of hosts.
double largest_share(const Fabric& fabric, const Lfts& lfts, const HostTraffic& traffic,
                     double bytes_of_link) {
  double received = 0;
  for (const double rate : traffic.received) received += rate;
  std::map<ChannelId, double> load;
  for (std::uint32_t from = fabric.switch_count(); from < fabric.endport_count(); ++from)
    for (std::uint32_t to = fabric.switch_count(); to < fabric.endport_count(); ++to) {
      const Endport& end = fabric.endport(EndportId(to));
      SwitchId at = fabric.endport(EndportId(from)).sw;
      while (at != end.sw) {
        const ChannelId channel = fabric.channel_at(at, lfts.port(at, end.lid));
        load[channel] += traffic.sent[from] * traffic.received[to] / received;
        at = fabric.channel(channel).to;
      }
    }
  double largest = 0;
  for (const auto& [channel, bytes] : load) largest = std::max(largest, bytes / bytes_of_link);
  return largest;
}

TEST(MeasuredLoad, EqualsTheSumOfTheFlowsOfAllPairs) {
  const Fabric fabric = fabric_of("fattree2:k=8");
  const auto routes = route_minhop(fabric, {});
  ASSERT_TRUE(routes);
  Rng rng(7);
  HostTraffic traffic;
  traffic.sent.assign(fabric.endport_count(), 0);
  traffic.received = traffic.sent;
  for (std::uint32_t i = fabric.switch_count(); i < fabric.endport_count(); ++i) {
    traffic.sent[i] = static_cast<double>(rng.below(1'000'000'000));
    traffic.received[i] = static_cast<double>(rng.below(1'000'000'000));
  }
  const LinkLoad largest = largest_load(fabric, routes->lfts, traffic, 1);
  const double rate = 12.5e9;  // bytes per second of EDR
  EXPECT_NEAR(largest.share, largest_share(fabric, routes->lfts, traffic, rate), 1e-4);
  EXPECT_GT(largest.share, 0.01);
  ASSERT_NE(largest.channel, kNoChannel);
  const LinkLoad other = largest_load(fabric, routes->lfts, traffic, 3);
  EXPECT_EQ(other.share, largest.share);
  EXPECT_EQ(other.channel, largest.channel);
}

TEST(MeasuredLoad, IsZeroWithoutTraffic) {
  const Fabric fabric = fabric_of("fattree2:k=4");
  const auto routes = route_minhop(fabric, {});
  HostTraffic traffic;
  traffic.sent.assign(fabric.endport_count(), 0);
  traffic.received = traffic.sent;
  EXPECT_EQ(largest_load(fabric, routes->lfts, traffic, 1).share, 0);
}

}  // namespace
}  // namespace weft
