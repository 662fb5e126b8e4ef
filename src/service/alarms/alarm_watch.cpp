// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/alarms/alarm_watch.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <utility>

#include "sm/discovery/degraded_links.h"

namespace weft {
namespace {

constexpr TimeNs kWindow = std::chrono::hours(1);
constexpr TimeNs kWindowStep = std::chrono::minutes(1);  // resolution of the stored increases
constexpr double kBitsOfWord = 32;                       // unit of PortXmitData and PortRcvData
constexpr double kBitsOfRateUnit = 1e8;                  // unit of data_rate_100mbit()

double bits_a_second(const Port* port) {
  if (port == nullptr || port->peer == kNoPort) return 0;
  return data_rate_100mbit(port->width, port->speed) * kBitsOfRateUnit;
}

/// Difference between the possible and the actual rate of the port's link, in percent of the
/// possible rate. 0 for the end with the higher port id, so that a link has one alarm.
double rate_lost(const Snapshot& snapshot, const Port* port) {
  if (port == nullptr || port->peer == kNoPort) return 0;
  const Port& peer = snapshot.fabric.port(port->peer);
  if (std::pair(peer.node, peer.num) < std::pair(port->node, port->num)) return 0;
  const std::size_t n = port->node.value(), m = peer.node.value();
  if (n >= snapshot.nodes.size() || m >= snapshot.nodes.size()) return 0;
  const ObservedNode &near = snapshot.nodes[n], &far = snapshot.nodes[m];
  if (port->num.value() >= near.ports.size() || peer.num.value() >= far.ports.size()) return 0;
  return 100 * (1 - rate_share(near, port->num, far, peer.num));
}

const Port* port_of(const Fabric& fabric, Guid guid, PortNum num) {
  const auto node = fabric.find_node(guid);
  const PortId port = node ? fabric.port_id(*node, num) : kNoPort;
  return port == kNoPort ? nullptr : &fabric.port(port);
}

void count(std::uint16_t& readings) {
  if (readings < std::numeric_limits<std::uint16_t>::max()) ++readings;
}

std::string id_of(Guid node, PortNum port, std::size_t rule) {
  Alarm alarm;
  alarm.rule = rule;
  alarm.node = node;
  alarm.port = port;
  return alarm_id(alarm);
}

}  // namespace

void AlarmWatch::set_limits(const AlarmLimitsTable& limits, WallTime wall) {
  limits_ = limits;
  for (auto& [key, state] : ports_)
    for (std::size_t rule = 0; rule < kAlarmRuleCount; ++rule) {
      if (limits_[rule].on) continue;
      if (state.streaks[rule].active)
        book_.clear(id_of(key.first, key.second, rule), "the rule is off", wall);
      state.streaks[rule] = {};
    }
}

void AlarmWatch::take(const CounterStore& store, const Snapshot& snapshot, TimeNs now,
                      WallTime wall) {
  for (auto& [key, state] : ports_) state.seen = false;
  for (const auto& [guid, node] : store.nodes()) {
    if (!node.active) continue;
    for (const auto& [num, tally] : node.ports)
      take_port(
          {{guid, num}, node.name, snapshot, port_of(snapshot.fabric, guid, num), {}, 0, now, wall},
          tally);
  }
  std::erase_if(ports_, [&](const auto& entry) {
    if (entry.second.seen) return false;
    end_port(entry.first, entry.second, "the port is no longer in the fabric", wall);
    return true;
  });
}

void AlarmWatch::take_port(const Reading& place, const PortTally& tally) {
  const auto [found, is_new] = ports_.try_emplace(place.key);
  PortState& state = found->second;
  state.seen = true;
  const bool was_cleared = !std::ranges::equal(state.before, tally.total, std::less_equal<>());
  const bool was_read = tally.errors_read != state.errors_read ||
                        tally.data_read != state.data_read || tally.total != state.before;
  const bool is_baseline = is_new || was_cleared || place.now <= state.at;
  Reading reading = place;
  if (was_read && !is_baseline) {
    for (std::size_t i = 0; i < kCounterCount; ++i)
      reading.delta[i] = tally.total[i] - state.before[i];
    reading.seconds = std::chrono::duration<double>(place.now - state.at).count();
    for (std::size_t rule = 0; rule < kAlarmRuleCount; ++rule)
      if (limits_[rule].on) apply(reading, rule, measure(reading, rule), state.streaks[rule]);
  }
  if (!was_read && !is_new) return;
  state.before = tally.total;
  state.at = place.now;
  state.errors_read = tally.errors_read;
  state.data_read = tally.data_read;
}

double AlarmWatch::measure(const Reading& reading, std::size_t rule) {
  const AlarmRule& definition = alarm_rules()[rule];
  const auto [first, second] = definition.counters;
  const std::uint64_t one = reading.delta[index(first)], other = reading.delta[index(second)];
  const std::uint64_t sum = first == second ? one : one + other;
  const double bits = bits_a_second(reading.port) * reading.seconds;
  switch (definition.measure) {
    case AlarmMeasure::kBitErrorRate:
      return bits > 0 ? static_cast<double>(sum) / bits : 0;
    case AlarmMeasure::kPerSecond:
      return static_cast<double>(sum) / reading.seconds;
    case AlarmMeasure::kInLastHour:
      return in_last_hour(reading, rule, sum);
    case AlarmMeasure::kLoad:
      return bits > 0 ? 100 * static_cast<double>(std::max(one, other)) * kBitsOfWord / bits : 0;
    default:
      return rate_lost(reading.snapshot, reading.port);
  }
}

/// Adds `count` and returns the sum of the last hour. Stores a sum for each minute, so a port has
/// at most 61 sums for a rule.
double AlarmWatch::in_last_hour(const Reading& reading, std::size_t rule, std::uint64_t count) {
  const auto key = std::pair(reading.key, rule);
  if (count > 0) {
    auto& list = increases_[key];
    if (!list.empty() && reading.now - list.back().at < kWindowStep)
      list.back().count += count;
    else
      list.push_back({reading.now, count});
  }
  const auto found = increases_.find(key);
  if (found == increases_.end()) return 0;
  auto& list = found->second;
  while (!list.empty() && reading.now - list.front().at >= kWindow) list.pop_front();
  double sum = 0;
  for (const Increase& increase : list) sum += static_cast<double>(increase.count);
  if (list.empty()) increases_.erase(found);
  return sum;
}

void AlarmWatch::apply(const Reading& reading, std::size_t rule, double value, Streak& streak) {
  const AlarmLimits& limits = limits_[rule];
  if (value >= limits.raise)
    count(streak.high);
  else
    streak.high = 0;
  if (value <= limits.clear)
    count(streak.low);
  else
    streak.low = 0;
  if (streak.active) {
    const std::string id = id_of(reading.key.first, reading.key.second, rule);
    book_.set_value(id, value);
    if (streak.low < limits.readings) return;
    book_.clear(id, "", reading.wall);
    streak.active = false;
    return;
  }
  if (streak.high < limits.readings) return;
  Alarm alarm{.rule = rule,
              .severity = limits.severity,
              .node = reading.key.first,
              .name = reading.name,
              .port = reading.key.second,
              .value = value,
              .worst = value,
              .limit = limits.raise,
              .raised = reading.wall};
  if (reading.port != nullptr && reading.port->peer != kNoPort) {
    const Port& peer = reading.snapshot.fabric.port(reading.port->peer);
    alarm.peer = reading.snapshot.fabric.node(peer.node).node_guid;
    alarm.peer_name = reading.snapshot.fabric.node(peer.node).description;
    alarm.peer_port = peer.num;
  }
  streak.active = book_.raise(std::move(alarm));
}

void AlarmWatch::end_port(const PortKey& key, const PortState& state, const std::string& reason,
                          WallTime wall) {
  for (std::size_t rule = 0; rule < kAlarmRuleCount; ++rule) {
    if (state.streaks[rule].active) book_.clear(id_of(key.first, key.second, rule), reason, wall);
    increases_.erase({key, rule});
  }
}

void AlarmWatch::forget(const std::string& reason, WallTime wall) {
  for (const auto& [key, state] : ports_) end_port(key, state, reason, wall);
  ports_.clear();
  increases_.clear();
}

}  // namespace weft
