// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/health/port_health.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace weft {
namespace {

std::uint32_t window_mask(unsigned window) {
  return window >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << window) - 1;
}

}  // namespace

std::string describe(const HealthPort& port) {
  std::string text = fmt::format("'{}' (0x{:016x}) port {}", port.near_name, port.near.guid.value(),
                                 port.near.port.value());
  if (port.far.guid != Guid(0))
    text += fmt::format(", cabled to '{}' (0x{:016x}) port {}", port.name, port.far.guid.value(),
                        port.far.port.value());
  return text;
}

// ---- Options and marks

void PortHealth::configure(const HealthOptions& options, TimeNs now) {
  const std::vector<HealthMark> before = std::exchange(options_.marks, {});
  const bool was_on = options_.checks;
  options_ = options;
  if (!options_.checks) {
    while (!unhealthy_.empty()) make_healthy(unhealthy_.begin(), "checks were switched off");
    times_.clear();
    illegal_.clear();
    windows_.clear();
    reports_.clear();
    awaited_.clear();
    return;
  }
  if (!was_on || options_.marks != before)
    for (const HealthMark& mark : options_.marks) add_mark(mark);
  settle(now);
}

void PortHealth::add_mark(const HealthMark& mark) {
  if (mark.end) std::erase(awaited_, *mark.end);
  if (!mark.is_healthy) {
    awaited_.push_back(*mark.end);
  } else if (mark.end) {
    mark_healthy(*mark.end);
  } else {
    awaited_.clear();
    while (!unhealthy_.empty()) mark_healthy(CableEnd(unhealthy_.begin()->first));
  }
}

void PortHealth::mark_unhealthy(const HealthPort& port, const CableEnd& named, TimeNs now) {
  std::erase(awaited_, CableEnd(named));
  if (options_.checks) found({HealthCondition::kManual, port}, now);
}

bool PortHealth::mark_healthy(const CableEnd& end) {
  const auto port = std::ranges::find_if(unhealthy_, [&](const auto& entry) {
    return entry.first == end || entry.second.port.far == end;
  });
  if (port == unhealthy_.end()) return false;
  forget_counts(port->first);
  make_healthy(port, "marked as healthy");
  return true;
}

void PortHealth::forget_counts(const CableEnd& near) {
  const auto is_of_port = [&](const auto& entry) { return entry.first.first == near; };
  std::erase_if(times_, is_of_port);
  std::erase_if(windows_, is_of_port);
  illegal_.erase(near);
  std::erase_if(reports_, [&](const auto& entry) { return entry.second.first == near; });
}

void PortHealth::make_healthy(Ports::iterator port, std::string why) {
  changes_.push_back({std::move(port->second), false, std::move(why)});
  unhealthy_.erase(port);
}

// ---- Counts

const SweepLimit& PortHealth::sweep_limit(HealthCondition condition) const {
  if (condition == HealthCondition::kFlapping) return options_.flapping;
  return condition == HealthCondition::kSetErr ? options_.set_errors : options_.no_responses;
}

void PortHealth::note(const Finding& finding, TimeNs now) {
  const auto& [condition, port] = finding;
  if (!options_.checks || options_.action(condition, port.is_switch) == HealthAction::kIgnore ||
      times_.size() + illegal_.size() >= kPortsMax)
    return;
  if (condition == HealthCondition::kIllegal) {
    Illegal& illegal = illegal_[port.near];
    illegal.last = now;
    if (++illegal.count >= options_.illegal) found(finding, now);
    return;
  }
  const bool is_reboot = condition == HealthCondition::kReboot;
  const TimeLimit& limit = is_reboot ? options_.reboots : options_.traps;
  std::deque<TimeNs>& times = times_[{port.near, condition}];
  times.push_back(now);
  while (times.size() > limit.limit) times.pop_front();
  if (times.size() == limit.limit && now - times.front() <= limit.period) found(finding, now);
}

void PortHealth::end_sweep(const std::vector<Finding>& findings, Sweep kind, TimeNs now) {
  if (!options_.checks) return;
  for (auto& [key, window] : windows_)
    if (kind == Sweep::kFull || key.second != HealthCondition::kSetErr) window.sweeps <<= 1;
  for (const auto& [condition, port] : findings) {
    if (options_.action(condition, port.is_switch) == HealthAction::kIgnore) continue;
    Window& window = windows_[{port.near, condition}];
    window.sweeps |= 1;
    if (port.far.guid != Guid(0) || window.port.far.guid == Guid(0)) window.port = port;
  }
  for (auto& [key, window] : windows_) {
    const SweepLimit& limit = sweep_limit(key.second);
    window.sweeps &= window_mask(limit.window);
    if (std::popcount(window.sweeps) >= static_cast<int>(limit.limit))
      found({key.second, window.port}, now);
  }
  std::erase_if(windows_, [](const auto& entry) { return entry.second.sweeps == 0; });
  std::erase_if(times_, [&](const auto& entry) {
    const bool is_reboot = entry.first.second == HealthCondition::kReboot;
    return now - entry.second.back() > (is_reboot ? options_.reboots : options_.traps).period;
  });
  settle(now);
}

void PortHealth::report(const CableEnd& at, const HealthPort& port,
                        const std::optional<HealthCondition>& condition, TimeNs now) {
  if (!options_.checks) return;
  reports_.erase(at);
  if (!condition) return;
  reports_.emplace(at, std::pair(port.near, *condition));
  found({*condition, port}, now);
}

void PortHealth::forget_absent(const std::function<bool(Guid)>& is_present) {
  std::erase_if(reports_, [&](const auto& entry) { return !is_present(entry.first.guid); });
}

void PortHealth::found(const Finding& finding, TimeNs now) {
  const auto& [condition, port] = finding;
  const auto known = unhealthy_.find(port.near);
  const bool is_switch = known != unhealthy_.end() ? known->second.port.is_switch : port.is_switch;
  if (options_.action(condition, is_switch) == HealthAction::kIgnore) return;
  if (known != unhealthy_.end() && known->second.conditions.contains(condition)) return;
  UnhealthyPort& unhealthy =
      known != unhealthy_.end()
          ? known->second
          : unhealthy_.emplace(port.near, UnhealthyPort{port, {}, {}, now}).first->second;
  unhealthy.conditions.insert(condition);
  unhealthy.action = strongest(unhealthy);
  changes_.push_back({unhealthy, true, std::string(name(condition))});
}

HealthAction PortHealth::strongest(const UnhealthyPort& port) const {
  HealthAction action = HealthAction::kIgnore;
  for (const HealthCondition condition : port.conditions)
    action = std::max(action, options_.action(condition, port.port.is_switch));
  return action;
}

// ---- The end of a condition

bool PortHealth::holds(const CableEnd& near, HealthCondition condition, TimeNs now) const {
  switch (condition) {
    case HealthCondition::kManual:
      return true;
    case HealthCondition::kIllegal: {
      const auto illegal = illegal_.find(near);
      return illegal != illegal_.end() && now - illegal->second.last < HealthOptions::kUnhealthyMin;
    }
    case HealthCondition::kReboot:
    case HealthCondition::kNoisy: {
      const TimeLimit& limit =
          condition == HealthCondition::kReboot ? options_.reboots : options_.traps;
      const auto times = times_.find({near, condition});
      return times != times_.end() && times->second.size() >= limit.limit &&
             now - times->second.front() <= limit.period;
    }
    case HealthCondition::kFlapping:
    case HealthCondition::kUnresponsive:
    case HealthCondition::kSetErr:
      break;
    case HealthCondition::kCreditWatchdog:
    case HealthCondition::kSymmetry:
    case HealthCondition::kRawBer:
    case HealthCondition::kEffectiveBer:
    case HealthCondition::kSymbolBer:
    case HealthCondition::kContainAndDrain:
      return std::ranges::any_of(
          reports_, [&](const auto& entry) { return entry.second == std::pair(near, condition); });
  }
  const auto window = windows_.find({near, condition});
  return window != windows_.end() &&
         std::popcount(window->second.sweeps) >= static_cast<int>(sweep_limit(condition).limit);
}

/// A reported port is healthy again when no condition applies, at the earliest after kUnhealthyMin.
/// If the link of a port is not used, no observation can show that the port is healthy: it stays
/// unhealthy until it is marked as healthy, or until its conditions are ignored.
void PortHealth::settle(TimeNs now) {
  for (auto at = unhealthy_.begin(); at != unhealthy_.end();) {
    const auto port = at++;
    UnhealthyPort& unhealthy = port->second;
    const HealthAction before = std::exchange(unhealthy.action, strongest(unhealthy));
    if (unhealthy.action != before && unhealthy.action != HealthAction::kIgnore)
      changes_.push_back({unhealthy, true, "the action changed"});
    if (unhealthy.action == HealthAction::kIgnore) {
      make_healthy(port, "its conditions are ignored");
      continue;
    }
    if (unhealthy.action > HealthAction::kReport ||
        now - unhealthy.since < HealthOptions::kUnhealthyMin)
      continue;
    std::erase_if(unhealthy.conditions,
                  [&](HealthCondition condition) { return !holds(port->first, condition, now); });
    if (!unhealthy.conditions.empty()) continue;
    illegal_.erase(port->first);
    make_healthy(port, "the condition has ended");
  }
}

AvoidedLinks PortHealth::avoided() const {
  AvoidedLinks links;
  for (const auto& [near, port] : unhealthy_) {
    if (port.action < HealthAction::kIsolate) continue;
    std::set<CableEnd>& ends =
        port.action == HealthAction::kIsolate ? links.isolated : links.not_discovered;
    ends.insert(near);
    if (port.port.far.guid != Guid(0)) ends.insert(port.port.far);
  }
  return links;
}

}  // namespace weft
