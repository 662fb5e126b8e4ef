// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/alarms/alarm_book.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace weft {

std::string alarm_id(const Alarm& alarm) {
  return fmt::format("{}:0x{:016x}:{}", alarm_rules()[alarm.rule].name, alarm.node.value(),
                     alarm.port.value());
}

std::string alarm_text(const Alarm& alarm) {
  const AlarmRule& rule = alarm_rules()[alarm.rule];
  std::string text =
      fmt::format("{} {}: {}: {:.3g} {}, limit {:.3g}", rule.name, name(alarm.severity), rule.about,
                  alarm.value, rule.unit, alarm.limit);
  if (!alarm.end_reason.empty()) text += ": " + alarm.end_reason;
  return text;
}

std::string_view name(AlarmChange::Kind kind) {
  switch (kind) {
    case AlarmChange::Kind::kRaised:
      return "raised";
    case AlarmChange::Kind::kCleared:
      return "cleared";
    default:
      return "acknowledged";
  }
}

Event event_of(const AlarmChange& change) {
  Event event;
  event.kind = change.kind == AlarmChange::Kind::kRaised    ? WEFT_EVENT_ALARM_RAISED
               : change.kind == AlarmChange::Kind::kCleared ? WEFT_EVENT_ALARM_CLEARED
                                                            : WEFT_EVENT_ALARM_ACKNOWLEDGED;
  event.node = change.alarm.node;
  event.name = change.alarm.name;
  event.port = change.alarm.port;
  event.peer = change.alarm.peer;
  event.peer_name = change.alarm.peer_name;
  event.peer_port = change.alarm.peer_port;
  event.text = alarm_text(change.alarm);
  return event;
}

void AlarmBook::set_listener(Listener listener) {
  const std::lock_guard lock(listener_mutex_);
  listener_ = std::move(listener);
}

void AlarmBook::notify(const AlarmChange& change) {
  const std::lock_guard lock(listener_mutex_);
  if (listener_) listener_(change);
}

bool AlarmBook::raise(Alarm alarm) {
  AlarmChange change{AlarmChange::Kind::kRaised, std::move(alarm)};
  {
    const std::lock_guard lock(mutex_);
    if (active_.size() >= kActiveMax) {
      ++not_listed_;
      return false;
    }
    active_.insert_or_assign(alarm_id(change.alarm), change.alarm);
  }
  notify(change);
  return true;
}

void AlarmBook::set_value(const std::string& id, double value) {
  const std::lock_guard lock(mutex_);
  const auto found = active_.find(id);
  if (found == active_.end()) return;
  found->second.value = value;
  found->second.worst = std::max(found->second.worst, value);
}

void AlarmBook::clear(const std::string& id, const std::string& reason, WallTime at) {
  AlarmChange change{AlarmChange::Kind::kCleared, {}};
  {
    const std::lock_guard lock(mutex_);
    const auto found = active_.find(id);
    if (found == active_.end()) return;
    change.alarm = std::move(found->second);
    active_.erase(found);
    change.alarm.ended = at;
    change.alarm.end_reason = reason;
    ended_.push_front(change.alarm);
    if (ended_.size() > kEndedMax) ended_.pop_back();
  }
  notify(change);
}

Result<Alarm> AlarmBook::acknowledge(const std::string& id, bool acknowledged,
                                     std::string comment) {
  AlarmChange change{AlarmChange::Kind::kAcknowledged, {}};
  bool changed = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = active_.find(id);
    if (found == active_.end()) return fail(Code::kUsage, "no active alarm {}", weft::quoted(id));
    Alarm& alarm = found->second;
    changed = acknowledged && !alarm.acknowledged;
    alarm.acknowledged = acknowledged;
    alarm.comment = acknowledged ? std::move(comment) : std::string();
    change.alarm = alarm;
  }
  if (changed) notify(change);
  return change.alarm;
}

AlarmBook::Listing AlarmBook::list() const {
  const std::lock_guard lock(mutex_);
  Listing listing{{}, {ended_.begin(), ended_.end()}, not_listed_};
  for (const auto& [id, alarm] : active_) listing.active.push_back(alarm);
  return listing;
}

AlarmBook::Counts AlarmBook::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts;
  for (const auto& [id, alarm] : active_) {
    ++counts.active[alarm.rule];
    if (alarm.acknowledged) ++counts.acknowledged[alarm.rule];
  }
  return counts;
}

}  // namespace weft
