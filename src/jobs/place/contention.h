// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An estimate of the contention of a placement, from the bytes that cross each channel on static
// paths; the times of messages are ignored. The estimate takes a small part of the time of a
// simulation and can be updated after changes of single ranks. So a search can compare thousands of
// placements before it simulates the best.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "congestion/routed_network.h"
#include "jobs/schedule.h"

namespace weft::jobs {

/// Bytes between two hosts, given by their positions in the list of a job's hosts.
struct Demand {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double bytes = 0;
};

/// The traffic of the first job between its hosts, and the seconds for which all messages of the
/// other jobs, and the background traffic within `time`, occupy each channel.
struct Traffic {
  std::vector<Demand> demands;
  std::vector<double> occupied;  // by channel
};
Traffic traffic_of(const RoutedNetwork& network, const Schedule& schedule,
                   std::span<const std::uint32_t> hosts, Picoseconds time);

class Contention {
 public:
  /// The network and the traffic must outlive this object.
  Contention(const RoutedNetwork& network, const Traffic& traffic,
             std::span<const std::uint32_t> hosts);

  /// The sum, over the channels, of the fourth power of the time that the bytes of the channel
  /// take, in units of the longest time at construction. The busiest channels dominate the sum;
  /// each demand without a route adds 10^9.
  double value() const { return sum_ + 1e9 * lost_; }

  /// Replaces the list of hosts: position i of `hosts` replaces position i of the list. The cost is
  /// proportional to the number of demands from or to the positions that change their host.
  void move_to(std::span<const std::uint32_t> hosts);

 private:
  void add(const Demand& demand, double sign);
  double weight(double seconds) const;

  const RoutedNetwork& network_;
  const Traffic& traffic_;
  std::vector<std::uint32_t> hosts_;
  std::vector<std::uint32_t> first_;  // by host in the list plus the end: index into touching_
  std::vector<std::uint32_t> touching_;
  std::vector<double> seconds_per_byte_;  // by channel
  std::vector<double> seconds_;           // by channel
  std::vector<bool> is_affected_;         // by demand, during move_to()
  std::vector<std::uint32_t> affected_;
  std::vector<std::uint32_t> route_;
  double unit_ = 1;
  double sum_ = 0;
  double lost_ = 0;  // number of demands without a route
};

}  // namespace weft::jobs
