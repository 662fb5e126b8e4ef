// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/alarms/alarm_service.h"

#include <chrono>

#include "base/log.h"

namespace weft {
namespace {

WallTime alarm_time() {
  return std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
}

std::string place_of(const Alarm& alarm) {
  std::string text =
      fmt::format("{} (0x{:016x}) port {}", alarm.name, alarm.node.value(), alarm.port.value());
  if (alarm.peer != Guid(0))
    text += fmt::format(" - {} port {}", alarm.peer_name, alarm.peer_port.value());
  return text;
}

}  // namespace

AlarmService::AlarmService(const AlarmLimitsTable& limits) : watch_(*book_, limits) {
  book_->set_listener([this](const AlarmChange& change) { changed(change); });
}

/// Other threads may use the book after the end of this object (shared_book()).
AlarmService::~AlarmService() { book_->set_listener(nullptr); }

std::vector<std::shared_ptr<const DeliveryMeter>> AlarmService::meters() const {
  std::vector<std::shared_ptr<const DeliveryMeter>> meters;
  for (const auto& receiver : receivers_) meters.push_back(receiver->meter());
  return meters;
}

void AlarmService::start() {
  for (const auto& receiver : receivers_) receiver->start();
}

void AlarmService::changed(const AlarmChange& change) {
  const std::string text = fmt::format("alarm {}: {}: {}", name(change.kind),
                                       place_of(change.alarm), alarm_text(change.alarm));
  if (change.kind == AlarmChange::Kind::kRaised)
    log::warn("{}", text);
  else
    log::info("{}", text);
  for (const auto& receiver : receivers_) receiver->take(change);
  if (on_change) on_change(change);
}

void AlarmService::take(const CounterStore& store, const Snapshot& snapshot, TimeNs now) {
  const std::lock_guard lock(mutex_);
  watch_.take(store, snapshot, now, alarm_time());
}

void AlarmService::set_limits(const AlarmLimitsTable& limits) {
  const std::lock_guard lock(mutex_);
  watch_.set_limits(limits, alarm_time());
}

void AlarmService::forget(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  watch_.forget(reason, alarm_time());
}

}  // namespace weft
