// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/place/contention.h"

#include <algorithm>
#include <map>

#include "jobs/paths.h"

namespace weft::jobs {
namespace {

double seconds_per_byte(const NetChannel& channel) {
  return 1 / (capacity_of(channel) * kPicosecondsPerSecond);
}

}  // namespace

Traffic traffic_of(const RoutedNetwork& network, const Schedule& schedule,
                   std::span<const std::uint32_t> hosts, Picoseconds time) {
  Traffic traffic;
  traffic.occupied.resize(network.channel_count());
  std::vector<std::uint32_t> place(network.host_count(), RoutedNetwork::kNone);
  for (std::uint32_t i = 0; i < hosts.size(); ++i) place[hosts[i]] = i;
  std::vector<double> bytes(schedule.connections.size());
  for (const Op& op : std::span(schedule.ops).first(schedule.op_count()))
    if (op.connection != kDelay) bytes[op.connection] += op.amount;
  std::vector<std::uint32_t> route;
  const auto occupy = [&](const Connection& connection, double amount) {
    if (network.walk(connection.from, connection.to, 0, route).end != NetWalkEnd::kArrived) return;
    for (const std::uint32_t channel : route)
      traffic.occupied[channel] += amount * seconds_per_byte(network.channel(channel));
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> demands;
  for (std::size_t c = 0; c < bytes.size(); ++c) {
    const Connection& connection = schedule.connections[c];
    if (bytes[c] == 0 || connection.computes || connection.from == connection.to) continue;
    if (connection.job == 0)
      demands[{place[connection.from], place[connection.to]}] += bytes[c];
    else
      occupy(connection, bytes[c]);
  }
  for (const Stream& stream : schedule.background)
    occupy(stream.connection, stream.rate * static_cast<double>(time));
  for (const auto& [pair, amount] : demands)
    traffic.demands.push_back({pair.first, pair.second, amount});
  return traffic;
}

Contention::Contention(const RoutedNetwork& network, const Traffic& traffic,
                       std::span<const std::uint32_t> hosts)
    : network_(network),
      traffic_(traffic),
      hosts_(hosts.begin(), hosts.end()),
      first_(hosts.size() + 1),
      touching_(2 * traffic.demands.size()),
      seconds_(traffic.occupied),
      is_affected_(traffic.demands.size()) {
  for (const NetChannel& channel : network.channels())
    seconds_per_byte_.push_back(seconds_per_byte(channel));
  for (const Demand& demand : traffic.demands) {
    ++first_[demand.from + 1];
    ++first_[demand.to + 1];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  auto next = first_;
  for (std::uint32_t d = 0; d < traffic.demands.size(); ++d) {
    touching_[next[traffic.demands[d].from]++] = d;
    touching_[next[traffic.demands[d].to]++] = d;
    add(traffic.demands[d], 1);
  }
  if (!seconds_.empty() && std::ranges::max(seconds_) > 0) unit_ = std::ranges::max(seconds_);
  sum_ = 0;
  for (const double seconds : seconds_) sum_ += weight(seconds);
}

double Contention::weight(double seconds) const {
  const double square = (seconds / unit_) * (seconds / unit_);
  return square * square;
}

void Contention::add(const Demand& demand, double sign) {
  if (network_.walk(hosts_[demand.from], hosts_[demand.to], 0, route_).end !=
      NetWalkEnd::kArrived) {
    lost_ += sign;
    return;
  }
  for (const std::uint32_t channel : route_) {
    double& seconds = seconds_[channel];
    sum_ -= weight(seconds);
    seconds = std::max(0.0, seconds + sign * demand.bytes * seconds_per_byte_[channel]);
    sum_ += weight(seconds);
  }
}

void Contention::move_to(std::span<const std::uint32_t> hosts) {
  affected_.clear();
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    if (hosts[i] == hosts_[i]) continue;
    for (std::uint32_t t = first_[i]; t < first_[i + 1]; ++t) {
      const std::uint32_t demand = touching_[t];
      if (is_affected_[demand]) continue;
      is_affected_[demand] = true;
      affected_.push_back(demand);
    }
  }
  for (const std::uint32_t demand : affected_) add(traffic_.demands[demand], -1);
  std::ranges::copy(hosts, hosts_.begin());
  for (const std::uint32_t demand : affected_) {
    add(traffic_.demands[demand], 1);
    is_affected_[demand] = false;
  }
}

}  // namespace weft::jobs
